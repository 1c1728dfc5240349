"""Golden cases of unequal mass, in 60 digits: python3 unequal.py > unequal.json (mpmath).

Minimizes <T, M> + KL(T | a (x) b)/lambda + rho_a KL(T1 | a) + rho_b KL(T'1 | b), or with a mass
m in the place of prices subject to T1 <= a, T'1 <= b, sum T = m, by scaling until nothing moves
by more than 1e-40, and then asserts the optimality conditions, which know nothing of the way.
"""
import json
import random
from mpmath import mp, mpf, exp, log, fsum

mp.dps = 60


def kl(x, y):
    return fsum(p * log(p / q) - p + q if p else q for p, q in zip(x, y))


def solve(M, a, b, lam, ra, rb, m):
    n, k = len(a), len(b)
    K = [[exp(-lam * M[i][j]) for j in range(k)] for i in range(n)]

    def best(w, r, rho):
        if m is not None:  # min(eta w, w/r) with sum min(eta w r, w) = m
            order = sorted(range(len(w)), key=lambda i: -r[i])
            full = mpf(0)
            for c, i in enumerate(order):
                rest = fsum(w[l] * r[l] for l in order[c:])
                eta = (m - full) / rest
                if eta * r[i] <= 1:
                    break
                full += w[i]
            return [min(eta * w[i], w[i] / r[i]) for i in range(len(w))]
        t = mpf(1) if rho is None else rho * lam / (rho * lam + 1)
        return [w[i] * r[i] ** -t for i in range(len(w))]

    u = [mpf(1)] * n
    for step in range(200000):
        v = best(b, [fsum(u[i] * K[i][j] for i in range(n)) for j in range(k)], rb)
        new = best(a, [fsum(K[i][j] * v[j] for j in range(k)) for i in range(n)], ra)
        moved = max(abs(log(x / y)) for x, y in zip(new, u))
        u = new
        if moved < mpf(10) ** -40:
            break
    else:
        raise SystemExit("no convergence")
    T = [[u[i] * K[i][j] * v[j] for j in range(k)] for i in range(n)]
    r = [fsum(row) for row in T]
    c = [fsum(T[i][j] for i in range(n)) for j in range(k)]
    value = fsum(T[i][j] * M[i][j] for i in range(n) for j in range(k))
    cost = value
    value += kl([x for row in T for x in row], [x * y for x in a for y in b]) / lam
    small = mpf(10) ** -25
    for w, s, x, rho in ((a, r, u, ra), (b, c, v, rb)):
        if m is not None:
            top = max(p / q for p, q in zip(x, w))
            for p, q, z in zip(w, s, x):
                assert q <= p * (1 + small) and (abs(z / p / top - 1) < small or abs(q / p - 1) < small)
        elif rho is None:
            assert all(abs(p / q - 1) < small for p, q in zip(w, s))
        else:
            assert all(abs(log(z / p) / lam + rho * log(q / p)) < small for p, q, z in zip(w, s, x))
            value += rho * kl(s, w)
    assert m is None or abs(fsum(r) - m) < small
    return dict(T=[[float(x) for x in row] for row in T], cost=float(cost), value=float(value), rows=[float(x) for x in r], columns=[float(x) for x in c])


def main():
    rng = random.Random(19)
    cases = []
    for name, n, k, lam, ra, rb, m, far, sa, sb in (
        ("both", 6, 5, 5, 0.5, 1.5, None, 0, 1, 2.5),
        ("one", 5, 6, 5, None, 0.7, None, 0, 1, 1.5),
        ("dear", 5, 5, 20, 50, 50, None, 0, 1, 1.25),
        ("cheap", 4, 5, 3, 1e-3, 2e-3, None, 0, 2, 1),
        ("far", 6, 5, 2000, 0.05, 0.1, None, 2, 1, 1),
        ("partial", 6, 5, 10, None, None, 0.95, 0, 1, 1.2),
        ("partial, all", 5, 4, 5, None, None, 1, 0, 1, 1.5),
        ("partial, far", 6, 6, 1000, None, None, 0.55, 2, 1, 1),
    ):
        x = [[rng.random(), rng.random() + (far if i == 0 else 0)] for i in range(n)]
        y = [[rng.random(), rng.random()] for _ in range(k)]
        a, b = [0.1 + rng.random() for _ in range(n)], [0.1 + rng.random() for _ in range(k)]
        a, b = [w * sa / sum(a) for w in a], [w * sb / sum(b) for w in b]
        M = [[sum((mpf(p) - mpf(q)) ** 2 for p, q in zip(s, t)) for t in y] for s in x]
        mpfs = lambda w: [mpf(z) for z in w]
        if m is not None and m == sa:
            m = sum(mpfs(a))
        opt = lambda z: None if z is None else mpf(z)
        got = solve(M, mpfs(a), mpfs(b), mpf(lam), opt(ra), opt(rb), opt(m))
        cases.append(dict(name=name, lam=lam, rho_a=ra or 0, rho_b=rb or 0, mass=float(m) if m else 0, x=x, y=y, a=a, b=b, **got))
    print(json.dumps(cases, indent=1))


main()
