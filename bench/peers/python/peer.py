"""Offers Python peers by the line protocol of bench/peers/README.md: numpy, faiss, scipy, lapx,
scikit-learn, POT (its numpy backend), OTT-JAX and geomloss (on PyTorch). The argument lists the
peers to offer, as keys of PACKAGES separated by commas.
"""

import os
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version

import numpy as np

warnings.filterwarnings("ignore")  # POT warns in every solve that it has not converged


class Case:
    """The parsed name of a case and the folder of its data."""

    def __init__(self, spec, directory):
        self.kind, *rest = spec.split("/")
        self.values = dict(p.split("=") for p in rest)
        self.dtype = np.float64 if self.values["type"] == "f64" else np.float32
        self.directory = directory

    def int(self, key):
        return int(self.values[key])

    def float(self, key):
        return self.dtype(self.values[key])

    def load(self, name, *shape):
        path = os.path.join(self.directory, f"{name}.{self.values['type']}")
        return np.fromfile(path, self.dtype).reshape(shape)


# Each of the following functions prepares one kind of case for one peer. It takes a Case and
# returns a function without arguments that does the work and returns the result. It may also
# return a pair of functions: the second one extracts the result from the output of the first.


def numpy_exp(c):
    x, out = c.load("x", -1), np.empty(c.int("n"), c.dtype)
    return lambda: np.exp(x, out=out)


def numpy_log(c):
    x, out = c.load("x", -1), np.empty(c.int("n"), c.dtype)
    return lambda: np.log(x, out=out)


def numpy_softmax(c):
    x = c.load("x", -1)

    def run():
        e = np.exp(x - x.max())
        e /= e.sum()
        return e

    return run


def scipy_softmax(c):
    from scipy.special import softmax

    x = c.load("x", -1)
    return lambda: softmax(x)


def numpy_logsumexp(c):
    x = c.load("x", -1)

    def run():
        top = x.max()
        return np.atleast_1d(top + np.log(np.exp(x - top).sum()))

    return run


def scipy_logsumexp(c):
    from scipy.special import logsumexp

    x = c.load("x", -1)
    return lambda: np.atleast_1d(logsumexp(x))


def rows(c):
    """Rows and the query, all of length 1."""
    return c.load("x", c.int("n"), c.int("d")), c.load("y", c.int("d"))


def numpy_query(c):
    x, q = rows(c)

    def run():
        d = x @ q
        d *= -2
        d += 2
        return d

    return run


def numpy_nearest(c):
    distances, k = numpy_query(c), c.int("k")

    def run():
        d = distances()
        return np.sort(np.partition(d, k - 1)[:k])

    return run


def faiss_query(c):
    import faiss

    x, q = rows(c)
    q = q.reshape(1, -1)
    return lambda: faiss.pairwise_distances(q, x)


def faiss_nearest(c):
    import faiss

    x, q = rows(c)
    q, k = q.reshape(1, -1), c.int("k")
    index = faiss.IndexFlatL2(c.int("d"))
    index.add(x)
    return lambda: index.search(q, k)[0]


def stored(c):
    """Rows and queries of a search."""
    d = c.int("d")
    return c.load("x", c.int("n"), d), c.load("y", c.int("m"), d)


def faiss_search(c, threshold=None):
    """FAISS uses a matrix product for at least threshold queries."""
    import faiss

    x, q = stored(c)
    index = faiss.IndexFlatIP(c.int("d")) if c.values["of"] == "ip" else faiss.IndexFlatL2(c.int("d"))
    index.add(x)
    if threshold is None:
        threshold = faiss.cvar.distance_compute_blas_threshold

    def run():
        default = faiss.cvar.distance_compute_blas_threshold
        faiss.cvar.distance_compute_blas_threshold = threshold
        found = index.search(q, c.int("k"))[0]
        faiss.cvar.distance_compute_blas_threshold = default
        return found

    return run


def faiss20_search(c):
    return faiss_search(c, 20)


def usearch_search(c):
    from usearch.index import search

    x, q = stored(c)
    sign, offset, metric = (-1, 1, "ip") if c.values["of"] == "ip" else (1, 0, "l2sq")
    run = lambda: search(x, q, c.int("k"), metric, exact=True, threads=1)
    # usearch returns 1 − q·x as inner product
    return run, lambda found: sign * (np.asarray(found.distances, np.float64) - offset)


def faiss_codes(c):
    """A search of codes with a given codebook instead of a trained one."""
    import faiss

    d, m, bits = c.int("d"), c.int("m"), c.int("bits")
    x, given = c.load("x", c.int("n"), d), c.load("y", -1)
    query, book = given[:d].reshape(1, -1), given[d:].reshape(m, d // m, 1 << bits)
    index = faiss.IndexPQ(d, m, bits) if bits == 8 else faiss.IndexPQFastScan(d, m, bits)
    faiss.copy_array_to_vector(np.ascontiguousarray(book.transpose(0, 2, 1)).ravel(), index.pq.centroids)
    index.is_trained = True
    index.add(x)
    return lambda: index.search(query, c.int("k"))[0]


def clouds(c):
    n, d = c.int("n"), c.int("d")
    return c.load("x", n, d), c.load("y", n, d)


def distances(x, y):
    d = x @ y.T
    d *= -2
    d += np.einsum("ij,ij->i", x, x)[:, None]
    d += np.einsum("ij,ij->i", y, y)[None, :]
    return np.maximum(d, 0, out=d)


def numpy_sqdist(c):
    x, y = clouds(c)
    return lambda: distances(x, y)


def scipy_sqdist(c):
    from scipy.spatial.distance import cdist

    if c.dtype != np.float64:
        return None  # it computes in float64
    x, y = clouds(c)
    return lambda: cdist(x, y, "sqeuclidean")


def sklearn_sqdist(c):
    from sklearn.metrics.pairwise import euclidean_distances

    x, y = clouds(c)
    return lambda: euclidean_distances(x, y, squared=True)


def pot_sqdist(c):
    import ot

    x, y = clouds(c)
    return lambda: ot.dist(x, y)


def numpy_gibbs(c):
    x, y = clouds(c)
    lam = c.float("lambda")

    def run():
        d = distances(x, y)
        d *= -lam
        return np.exp(d, out=d)

    return run


def numpy_iterate(c):
    n = c.int("n")
    k = c.load("x", n, n)
    state = {}

    def start():
        state["v"] = np.ones(n, c.dtype)

    def run():
        u = w / (k @ state["v"])
        state["v"] = w / (u @ k)
        return u

    w = c.dtype(1) / c.dtype(n)
    start()
    run()
    run()
    return run  # whose first call is the third iteration


def numpy_lse(c):
    x = c.load("x", c.int("n"), c.int("n"))

    def run():
        top = x.max(axis=1)
        e = x - top[:, None]
        np.exp(e, out=e)
        return top + np.log(e.sum(axis=1))

    return run


def scipy_lse(c):
    from scipy.special import logsumexp

    x = c.load("x", c.int("n"), c.int("n"))
    return lambda: logsumexp(x, axis=1)


def numpy_project(c):
    x, p = c.load("x", c.int("n"), c.int("d")), c.load("y", c.int("d"), c.int("p"))
    return lambda: x @ p


def transport(c):
    n = c.int("n")
    return c.load("x", n, n), np.full(n, c.dtype(1) / c.dtype(n)), 1 / float(c.values["lambda"]), c.int("iters")


def pot_sinkhorn(c, method="sinkhorn"):
    import ot

    m, a, reg, iters = transport(c)
    return lambda: ot.sinkhorn(a, a, m, reg, method=method, numItermax=iters, stopThr=0, warn=False)


def pot_sinkhornlog(c):
    return pot_sinkhorn(c, "sinkhorn_log")


def batch(c):
    n, count = c.int("n"), c.int("count")
    a = np.full(n, c.dtype(1) / c.dtype(n))
    if c.kind == "tiny":
        m, b = c.load("x", count, n, n), np.tile(a, (count, 1))
    else:
        m, b = np.broadcast_to(c.load("x", n, n), (count, n, n)), c.load("y", count, n)
    return a, b, m, 1 / float(c.values["lambda"]), c.int("iters")


def pot_tiny(c):
    import ot

    a, b, m, reg, iters = batch(c)
    solve = lambda m, b: ot.sinkhorn(a, b, m, reg, numItermax=iters, stopThr=0, warn=False)
    return lambda: np.array([np.vdot(solve(m, b), m) for m, b in zip(m, b)])


pot_many = pot_tiny


def potbatch_tiny(c):
    from ot.batch import solve_batch

    a, b, m, reg, iters = batch(c)
    a = np.tile(a, (len(b), 1))
    return lambda: solve_batch(m, reg, a=a, b=b, max_iter=iters, tol=0, method="sinkhorn").value_linear


potbatch_many = potbatch_tiny


def potcolumns_many(c):
    import ot

    a, b, m, reg, iters = batch(c)
    m, b = m[0], np.ascontiguousarray(b.T)
    return lambda: ot.sinkhorn(a, b, m, reg, numItermax=iters, stopThr=0, warn=False)


def ott_sinkhorn(c, lse=False):
    import jax

    jax.config.update("jax_enable_x64", True)
    from ott.geometry import geometry
    from ott.solvers import linear

    m, a, reg, iters = transport(c)

    @jax.jit
    def solve(m, a):
        g = geometry.Geometry(cost_matrix=m, epsilon=reg, scale_cost=1.0)
        r = linear.solve(g, a, a, lse_mode=lse, threshold=-1.0, min_iterations=iters, max_iterations=iters, inner_iterations=iters)
        return r.matrix

    m, a = jax.numpy.asarray(m), jax.numpy.asarray(a)
    return lambda: np.asarray(solve(m, a).block_until_ready())


def ott_sinkhornlog(c):
    return ott_sinkhorn(c, True)


def torch_sinkhornlog(c):
    """The loop of geomloss without annealing, with the log-sum-exp of geomloss."""
    import torch
    from geomloss.sinkhorn_samples import softmin_tensorized

    torch.set_num_threads(1)
    m, a, reg, iters = transport(c)
    m, loga = torch.from_numpy(m)[None], torch.from_numpy(np.log(a))[None]
    mt = m.transpose(1, 2).contiguous()

    def run():
        f = torch.zeros_like(loga)
        for _ in range(iters):
            g = softmin_tensorized(reg, mt, loga + f / reg)
            f = softmin_tensorized(reg, m, loga + g / reg)
        return torch.exp((f[0][:, None] + g[0][None, :] - m[0]) / reg + loga[0][:, None] + loga[0][None, :]).numpy()

    return run


# The following functions do not store a matrix: every pass computes the distances again. The
# result is the centered potential of the points x. Each iteration first updates the potential of
# the points y.


def potential(f):
    f = np.asarray(f, np.float64).ravel()
    return f - f.mean()


def pot_free(c):
    from ot.bregman import empirical_sinkhorn

    x, y = clouds(c)
    reg, iters = 1 / float(c.values["lambda"]), c.int("iters")

    def run():  # updates the potential of its first argument first
        _, f = empirical_sinkhorn(y, x, reg, numIterMax=iters, stopThr=0, isLazy=True, batchSize=1000, warn=False)
        return potential(f)

    return run


def ott_free(c):
    import jax

    jax.config.update("jax_enable_x64", True)
    from ott.geometry import pointcloud
    from ott.solvers import linear

    x, y = clouds(c)
    reg, iters = 1 / float(c.values["lambda"]), c.int("iters")

    @jax.jit
    def solve(x, y):
        g = pointcloud.PointCloud(x, y, epsilon=reg, batch_size=1000, scale_cost=1.0)
        r = linear.solve(g, lse_mode=False, threshold=-1.0, min_iterations=iters, max_iterations=iters, inner_iterations=iters)
        return r.f

    x, y = jax.numpy.asarray(x), jax.numpy.asarray(y)
    return lambda: potential(solve(x, y).block_until_ready()) / reg


def torch_free(c):
    """The loop of geomloss without annealing, with its log-sum-exp in KeOps."""
    import torch
    from geomloss.sinkhorn_samples import softmin_online_lazytensor

    torch.set_num_threads(1)
    x, y = (torch.from_numpy(p)[None] for p in clouds(c))
    n, iters = c.int("n"), c.int("iters")
    eps = 1 / float(c.values["lambda"]) / 2  # its cost is half the squared distance
    logw = torch.full((1, n), -float(np.log(n)), dtype=x.dtype)

    def run():
        f = torch.zeros_like(logw)
        for _ in range(iters):
            g = softmin_online_lazytensor(eps, (y, x), logw + f / eps)
            f = softmin_online_lazytensor(eps, (x, y), logw + g / eps)
        return potential(f.numpy()) / eps

    return run


# Exact transport.


def pot_emd(c):
    import ot

    n = c.int("n")
    m, weights = c.load("x", n, n), c.load("y", 2, n)
    a, b = weights[0].copy(), weights[1].copy()
    return lambda: ot.emd2(a, b, m, numItermax=10**9)


def pot_emdtiny(c):
    import ot

    n = c.int("n")
    m, a = c.load("x", c.int("count"), n, n), np.full(n, c.dtype(1) / c.dtype(n))
    return lambda: np.array([ot.emd2(a, a, m) for m in m])


def scipy_assign(c):
    from scipy.optimize import linear_sum_assignment

    ms = c.load("x", c.int("count"), c.int("n"), c.int("n"))
    return lambda: [linear_sum_assignment(m) for m in ms], lambda all: np.array([m[pairs].sum() for m, pairs in zip(ms, all)])


def lapx_assign(name):
    def make(c):
        import lap

        ms, solve = c.load("x", c.int("count"), c.int("n"), c.int("n")), getattr(lap, name)
        return lambda: [solve(m) for m in ms], lambda all: np.array([found[0] for found in all])  # the costs

    return make


lapjv_assign, lapjvx_assign, lapjvc_assign = lapx_assign("lapjv"), lapx_assign("lapjvx"), lapx_assign("lapjvc")
lapjvs_assign, lapjvh_assign, lapjvr_assign = lapx_assign("lapjvs"), lapx_assign("lapjvh"), lapx_assign("lapjvr")


def pot_line(c):
    import ot

    x, y, order = c.load("x", -1), c.load("y", -1), c.int("order")
    return lambda: ot.wasserstein_1d(x, y, p=order), lambda power: power ** (1 / order)


def scipy_line(c):
    from scipy.stats import wasserstein_distance

    if c.int("order") != 1:
        return None
    x, y = c.load("x", -1), c.load("y", -1)
    return lambda: wasserstein_distance(x, y)


def pot_sliced(c):
    import ot

    x, y = clouds(c)
    return lambda: ot.sliced_wasserstein_distance(x, y, n_projections=c.int("directions"), p=2, seed=1)


def wda_problem(c):
    """The problem that POT's wda passes to its optimizer."""
    import ot.dr

    n, d, p = c.int("n"), c.int("d"), c.int("p")
    x, start = c.load("x", n, d), c.load("y", d, p)
    labels = np.repeat(np.arange(c.int("classes")), n // c.int("classes"))

    class Found(Exception):
        pass

    class Catch:
        def run(self, problem, initial_point):
            raise Found(problem)

    try:
        ot.dr.wda(x.copy(), labels, p=p, reg=1 / float(c.values["lambda"]), k=c.int("iters"), solver=Catch(), P0=start, normalize=True)
    except Found as found:
        return found.args[0], start, (x, labels)


def pot_wda(c):
    """The gradient of POT's wda. Its forward sweep also computes the cost."""
    if c.dtype != np.float64:
        return None
    problem, start, _ = wda_problem(c)
    f = problem.cost(start)

    def run():
        g = problem.euclidean_gradient(start)
        return np.concatenate([[f], g.ravel()])

    return run


def pot_fit(c):
    import contextlib
    import io

    import ot.dr

    problem, start, (x, labels) = wda_problem(c)

    def run():
        with contextlib.redirect_stdout(io.StringIO()):
            p, _ = ot.dr.wda(x.copy(), labels, p=c.int("p"), reg=1 / float(c.values["lambda"]), k=c.int("iters"), maxiter=100, P0=start, normalize=True)
        return np.array([problem.cost(p)])

    return run


PACKAGES = {"numpy": "numpy", "faiss": "faiss-cpu", "faiss20": "faiss-cpu", "usearch": "usearch", "scipy": "scipy", "sklearn": "scikit-learn", "pot": "POT", "potbatch": "POT", "potcolumns": "POT", "ott": "ott-jax", "torch": "geomloss"}
PACKAGES |= {name: "lapx" for name in ("lapjv", "lapjvx", "lapjvc", "lapjvs", "lapjvh", "lapjvr")}


def hello(_):
    found = []
    for name, package in PACKAGES.items():
        if name not in sys.argv[1].split(","):
            continue
        try:
            found.append(f"{name}={package}-{version(package)}")
        except PackageNotFoundError:
            pass
    return " ".join(found)


running = {}


def open_(args):
    impl, spec, directory, out, stride = args
    c = Case(spec, directory)
    make = globals().get(f"{impl}_{c.kind}")
    run = make(c) if make else None
    if run is None:
        return "no"
    run, result = run if isinstance(run, tuple) else (run, lambda x: x)
    np.ascontiguousarray(result(run())).ravel()[:: int(stride)].astype(np.float64).tofile(out)
    running[impl] = run
    return "ok"


def time_(args):
    run = running[args[0]]
    reps, warm = int(args[1]), int(args[2])
    for _ in range(warm):
        run()
    begin = time.perf_counter_ns()
    for _ in range(reps):
        run()
    return f"{(time.perf_counter_ns() - begin) / reps:.3f}"


def close(args):
    running.pop(args[0], None)
    return "ok"


def main():
    commands = {"hello": hello, "open": open_, "time": time_, "close": close}
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no reply
    for line in sys.stdin:
        command, *args = line.split()
        print(commands[command](args), file=replies)


if __name__ == "__main__":
    main()
