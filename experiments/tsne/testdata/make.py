"""Writes the CSV files of this folder; see README.md."""
import numpy as np
from scipy.spatial.distance import squareform
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE, trustworthiness
from sklearn.manifold._t_sne import _gradient_descent, _joint_probabilities, _kl_divergence
from sklearn.metrics import pairwise_distances


def write(name, a):
    np.savetxt(name + ".csv", a, fmt="%.9g", delimiter=",")


x, y = load_digits(return_X_y=True)
x, y = x[::12], y[::12]
n = len(x)
write("digits", np.column_stack([x, y]))
starts = 1e-4 * np.random.RandomState(1).randn(n, 8)
starts -= starts.mean(0)
write("starts", starts)
starts = np.loadtxt("starts.csv", delimiter=",")
start = starts[:, :2]

# The first steps, all with exaggeration 12.
p = _joint_probabilities(pairwise_distances(x, squared=True), 20, 0)
write("joint", squareform(p)[:3])
steps, _, _ = _gradient_descent(
    _kl_divergence, start.copy().ravel(), it=0, max_iter=5, momentum=0.5, learning_rate=50.0, min_gain=0.01,
    args=[12 * p, 1, n, 2])
write("steps", steps.reshape(n, 2))

found = []
for k in range(0, 8, 2):
    t = TSNE(method="exact", perplexity=20, init=starts[:, k:k + 2].copy(), max_iter=500)
    out = t.fit_transform(x)
    found.append([t.kl_divergence_] + [trustworthiness(x, out, n_neighbors=k) for k in (5, 10)])
print("KL divergence %.4f, trustworthiness %.4f (5 neighbors), %.4f (10)" % tuple(np.mean(found, 0)))
