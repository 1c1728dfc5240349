"""Writes the CSV files of this folder; see README.md."""
import inspect
import numpy as np
import metric_learn.lfda
import sklearn.datasets as datasets
from metric_learn import LMNN
from sklearn.neighbors import NeighborhoodComponentsAnalysis as NCA
from sklearn.decomposition import PCA


def write(name, a):
    np.savetxt(name + ".csv", a, fmt="%.17g", delimiter=",")


# Two lines of metric-learn 0.7.0 are not what the paper says. It takes column k of
# a matrix whose columns it has partially sorted, where the k-th smallest of every
# column is row k; and it adds the scatter within classes where it should subtract
# it, which raises every eigenvalue by 2 and so changes the weighted embedding.
source = inspect.getsource(metric_learn.lfda)
for wrong, right in [
    ("np.partition(dist, k, axis=0)[:, k]", "np.partition(dist, k, axis=0)[k]"),
    ("tSb -= _sum_outer(X) / n - tSw", "tSb -= _sum_outer(X) / n + tSw"),
]:
    assert wrong in source
    source = source.replace(wrong, right)
scope = {"__name__": "metric_learn.lfda", "__package__": "metric_learn"}
exec(source, scope)
LFDA = scope["LFDA"]

for name, load in [("iris", datasets.load_iris), ("wine", datasets.load_wine)]:
    x, y = load(return_X_y=True)
    for k in [1, 3] + [7] * (x.shape[1] > 7):
        for kind in ["weighted", "plain", "orthonormalized"]:
            m = LFDA(n_components=2, k=k, embedding_type=kind).fit(x, y)
            write(f"{name}_lfda_{k}_{kind}", m.components_.T)

x, y = datasets.load_iris(return_X_y=True)
m = LMNN(n_neighbors=3, n_components=2, init="pca", max_iter=20000, convergence_tol=1e-10, learn_rate=1e-7).fit(x, y)
print(m.n_iter_)
write("iris_lmnn", m.components_.T)
labels = np.unique(y, return_inverse=True)[1]
targets = m._select_targets(x, labels)
write("iris_lmnn_targets", targets)
rows = np.repeat(np.arange(len(x)), 3)
diff = x[rows] - x[targets.ravel()]
for suffix, components in [("start", PCA(2).fit(x).components_), ("end", m.components_)]:
    _, objective, active = m._loss_grad(x, components, diff.T @ diff, 3, 0.5, targets, labels)
    write("iris_lmnn_" + suffix, np.array([[objective, active]]))
    print(suffix, objective, active)
write("iris_lmnn_startcomponents", PCA(2).fit(x).components_.T)

# Value and gradient of NCA's objective at two places: far from and near its maximum.
x = datasets.load_wine().data
x, y = (x - x.mean(0)) / x.std(0), datasets.load_wine().target
m = NCA(2, init="pca", max_iter=5, tol=1e-12).fit(x, y)
far = PCA(2).fit(x).components_
same = y[:, None] == y
for name, a in [("wine_nca_far", far), ("wine_nca_near", m.components_)]:
    m.n_iter_ = 0
    value, gradient = m._loss_grad_lbfgs(a.ravel(), x, same, -1.0)
    write(name, a.T)
    write(name + "_gradient", gradient.reshape(a.shape).T)
    write(name + "_value", np.array([[value]]))
x, y = datasets.load_iris(return_X_y=True)
m = NCA(2, init="pca", max_iter=1000, tol=1e-12).fit(x, y)
value, _ = m._loss_grad_lbfgs(m.components_.ravel(), x, y[:, None] == y, -1.0)
write("iris_nca_end_value", np.array([[value]]))
print("NCA", value, m.n_iter_)
