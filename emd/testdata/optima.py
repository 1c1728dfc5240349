"""Writes optima.txt: the optimal cost of random problems, by shortest paths in whole numbers, checked with POT
(ot.emd2) and SciPy (linprog), which agree to their tolerances where they find a solution.

    pip install POT scipy && python optima.py > optima.txt

TestOptima makes the same problems from their seeds.
"""
from fractions import Fraction

import numpy as np
import ot
from scipy.optimize import linprog

MASK = (1 << 64) - 1


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return (z ^ z >> 31) % n

    def uniform(self):
        return self(1 << 53) * 2.0**-53


def weights(r, n, kind):
    w = np.empty(n)
    for i in range(n):
        if kind == 0:
            w[i] = 1
        elif kind == 1:
            w[i] = 1 + r(100)
        elif kind == 2:
            w[i] = r(3)
        else:
            w[i] = 2.0 ** -r(40)
    if kind == 2:
        w[0] += 1
    return w


def problem(seed):
    r = Random(seed)
    n, m = 1 + r(12), 1 + r(12)
    kind = seed % 6
    x, y = [r(20) for _ in range(n)], [r(20) for _ in range(m)]
    c = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            if kind in (0, 4):
                c[i, j] = r.uniform()
            elif kind == 1:
                c[i, j] = r(10)
            elif kind == 2:
                c[i, j] = r(3)
            elif kind == 3:
                c[i, j] = (x[i] - y[j]) ** 2
            else:
                c[i, j] = c[i % 3, j] if i >= 3 else r.uniform()
    if seed // 6 % 2:
        c -= 0.5
    exponent = r(400) - 200 if kind == 4 else 0
    a, b = weights(r, n, seed // 12 % 4), weights(r, m, seed // 12 % 4)
    return c, exponent, a, b * (a.sum() / b.sum())


def whole(v):
    """Returns integers k and an e with v = k·2^e."""
    ratios = [float(x).as_integer_ratio() for x in v]
    d = max(q for _, q in ratios)
    return [p * (d // q) for p, q in ratios], d


def optimum(c, a, b):
    """Moves mass along shortest paths, one after the other."""
    n, m = c.shape
    costs, unit = whole(c.ravel())
    w, scale = whole(np.concatenate([a, b]))
    left, need = w[:n], w[n:]
    need[max(range(m), key=lambda j: need[j])] += sum(left) - sum(need)
    flow = [[0] * m for _ in range(n)]
    while any(left):
        far = 1 << 4000
        u, v, via, back = [0 if x else far for x in left], [far] * m, [-1] * m, [-1] * n
        changed = True
        while changed:
            changed = False
            for i in range(n):
                for j in range(m):
                    e = costs[i * m + j]
                    if u[i] < far and u[i] + e < v[j]:
                        v[j], via[j], changed = u[i] + e, i, True
                    if flow[i][j] and v[j] < far and v[j] - e < u[i]:
                        u[i], back[i], changed = v[j] - e, j, True
        j = min((j for j in range(m) if need[j]), key=lambda j: v[j])
        path, end = [], j
        while True:
            i = via[j]
            path.append((i, j, 1))
            if back[i] < 0:
                break
            j = back[i]
            path.append((i, j, -1))
        most = min([left[i], need[end]] + [flow[p][q] for p, q, s in path if s < 0])
        for p, q, s in path:
            flow[p][q] += s * most
        left[i] -= most
        need[end] -= most
    total = sum(flow[i][j] * costs[i * m + j] for i in range(n) for j in range(m))
    return float(Fraction(total, unit * scale))


def main():
    for seed in range(2000):
        c, exponent, a, b = problem(seed)
        value = optimum(c, a, b)
        n, m = c.shape
        rows = np.kron(np.eye(n), np.ones(m))
        columns = np.kron(np.ones(n), np.eye(m))
        lp = linprog(c.ravel(), A_eq=np.vstack([rows, columns])[:-1], b_eq=np.concatenate([a, b])[:-1])
        tolerance = 1e-6 * max(1, a.sum()) * max(1, abs(c).max())
        assert (lp.status != 0 or abs(lp.fun - value) <= tolerance) and abs(ot.emd2(a, b, c) - value) <= tolerance, seed
        print(seed, repr(value * 2.0**exponent), flush=True)


main()
