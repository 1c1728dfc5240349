"""Tests of monge_sklearn. The command monge must be on the PATH: python test_monge_sklearn.py"""

import os
import subprocess
import tempfile

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from monge_sklearn import WDA


def test_conventions():
    results = check_estimator(WDA())
    passed = sum(r["status"] == "passed" for r in results)
    assert passed > 30, f"{passed} checks passed"
    print(f"check_estimator: {passed} checks passed")


def test_pipeline():
    X, y = load_wine(return_X_y=True)
    accuracy = cross_val_score(make_pipeline(WDA(arguments=("--standardize",)), KNeighborsClassifier(5)), X, y, cv=3).mean()
    assert accuracy > 0.93, accuracy


def test_file():
    """A model file projects as monge transform does, and names its classes."""
    X, y = load_wine(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        np.savez(path("wine.npz"), X=X, y=np.array(["a", "b", "c"])[y])
        monge = lambda *arguments: subprocess.run(["monge", *arguments], check=True, capture_output=True)
        monge("fit", "--data", path("wine.npz"), "--model", path("wine.wda"))
        monge("transform", "--model", path("wine.wda"), "--data", path("wine.npz"), "--out", path("z.npy"))
        wda = WDA.from_file(path("wine.wda"))
        want = np.load(path("z.npy"))
        error = np.abs(wda.transform(X) - want).max() / np.abs(want).max()
        assert error < 1e-10, error
        assert list(wda.classes_) == ["a", "b", "c"], wda.classes_
        assert list(wda.get_feature_names_out()) == ["wda0", "wda1"]


def test_names():
    """A model of a table knows its columns: others, or another order, are an error."""
    X, y = load_wine(return_X_y=True)
    names = [f"größe {i}" for i in range(X.shape[1])]
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("wine.csv"), "w", encoding="utf-8") as file:
            print(*names, "kind", sep=",", file=file)
            for row, label in zip(X, y):
                print(*row, f"class{label}", sep=",", file=file)
        subprocess.run(["monge", "fit", "--method=fisher", "--data", path("wine.csv"), "--model", path("wine.wda")], check=True, capture_output=True)
        wda = WDA.from_file(path("wine.wda"))
    assert list(wda.feature_names_in_) == names, wda.feature_names_in_
    if not has_pandas():
        return
    import pandas

    table = pandas.DataFrame(X, columns=names)
    assert wda.transform(table).shape == (len(X), 2)
    for other in (table[names[::-1]], table.rename(columns={names[0]: "other"})):
        try:
            wda.transform(other)
        except ValueError as error:
            assert "feature names" in str(error), error
        else:
            raise AssertionError("no error for other columns")


def has_pandas():
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


def test_errors():
    X, y = load_wine(return_X_y=True)
    for arguments, word in ((("--no-such-flag",), "unknown flag"), (("--components=99",), "exceeds the 13 features")):
        try:
            WDA(arguments=arguments).fit(X, y)
        except ValueError as error:
            assert word in str(error), error
        else:
            raise AssertionError(f"no error with {arguments}")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "ok")
