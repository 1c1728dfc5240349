"""Writes the CSV files of this folder; see README.md."""
import numpy as np
import sklearn.datasets as datasets
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA


def write(name, a):
    np.savetxt(name + ".csv", a, fmt="%.17g", delimiter=",")


for name, load in [("iris", datasets.load_iris), ("wine", datasets.load_wine)]:
    x, y = load(return_X_y=True)
    write(name, np.column_stack([x, y]))
    write(name + "_pca", PCA(3, svd_solver="full").fit(x).components_.T)
    write(name + "_fda_svd", LDA(solver="svd").fit(x, y).scalings_[:, :2])
    write(name + "_fda_eigen", LDA(solver="eigen").fit(x, y).scalings_[:, :2])
    # Solver "eigen" shrinks the total scatter too, and so S_b; "lsqr" S_w alone.
    coef = LDA(solver="lsqr", shrinkage=0.3).fit(x, y).coef_
    write(name + "_fda_shrunk", (coef[1:] - coef[0]).T)

# More features than samples: scikit-learn leaves out directions of no variance
# within classes, after scaling every feature to unit variance within.
x, y = datasets.load_wine(return_X_y=True)
few = np.r_[0:4, 60:64, 140:144]
write("few_fda_svd", LDA(solver="svd").fit(x[few], y[few]).scalings_[:, :2])
