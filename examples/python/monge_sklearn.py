"""Wasserstein discriminant analysis as a transformer of scikit-learn.

Copy this file into your project. It needs NumPy and scikit-learn. WDA.fit also needs the command
monge; a model file that exists is read without it.
"""

import os
import subprocess
import tempfile

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class WDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Project rows so that classes stay apart.

    n_components: dimensions to project to. If X has fewer features, it is their number.
    seed: determines all that is random.
    arguments: more flags of monge fit, such as ("--standardize",).
    command: name or path of the command monge.
    """

    def __init__(self, n_components=2, *, seed=1, arguments=(), command="monge"):
        self.n_components, self.seed, self.arguments, self.command = n_components, seed, arguments, command

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"WDA needs two classes, and all rows are of 1 class: {classes[0]!r}")
        with tempfile.TemporaryDirectory() as folder:
            data, model = os.path.join(folder, "data.npz"), os.path.join(folder, "model.wda")
            np.savez(data, X=X, y=labels)
            p = min(self.n_components, X.shape[1])
            flags = ["fit", "--quiet", "--data", data, "--model", model, f"--components={p}", f"--seed={self.seed}", *self.arguments]
            run = subprocess.run([self.command, *flags], capture_output=True, text=True)
            if run.returncode != 0:
                raise ValueError(run.stderr.strip())
            self._read(model)
        self.classes_ = classes
        return self

    @classmethod
    def from_file(cls, path):
        """Return the transformer of a model file. It needs no fit.

        If the model has the names of its features, a DataFrame must have these columns, in this order.
        """
        self = cls()
        self._read(path)
        with np.load(path, allow_pickle=False) as file:
            if "feature_names" in file:
                self.feature_names_in_ = file["feature_names"].astype(object)
        self.n_components = self.projection_.shape[1]
        return self

    def _read(self, path):
        with np.load(path, allow_pickle=False) as file:
            self.mean_, self.projection_ = file["mean"], file["projection"]
            self.classes_ = file["class_names"] if "class_names" in file else file["labels"]
        self.n_features_in_, self._n_features_out = self.projection_.shape

    def transform(self, X):
        check_is_fitted(self, "projection_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.projection_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
