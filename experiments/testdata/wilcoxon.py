"""Writes wilcoxon.csv: two-sided p-values of scipy.stats.wilcoxon and ranks of
scipy.stats.rankdata. Run with Python 3.11, scipy 1.17.1, numpy 2.4.6."""
import itertools

import numpy as np
from scipy import stats

rng = np.random.default_rng(7)


def exact(d, pratt):
    """All signs counted out: what scipy does without ties only."""
    d = np.asarray(d, float)
    if not pratt:
        d = d[d != 0]
    r = stats.rankdata(np.abs(d))[d != 0]
    d = d[d != 0]
    plus = r[d > 0].sum()
    sums = np.array(list(itertools.product([0, 1], repeat=len(r)))) @ r
    return min(1, 2 * min((sums <= plus).mean(), (sums >= plus).mean()))


rows = []
for n in (1, 2, 5, 10, 20, 25):  # no ties
    for shift in (0.0, 0.7):
        d = np.round(rng.normal(shift, 1, n), 6)
        rows.append(("exact", "wilcox", stats.wilcoxon(d, method="exact").pvalue, d))
for n in (26, 40, 200):  # no ties
    for shift in (0.0, 0.2):
        d = np.round(rng.normal(shift, 1, n), 6)
        rows.append(("normal", "wilcox", stats.wilcoxon(d, method="asymptotic", correction=False).pvalue, d))
for n in (4, 9, 15):  # ties and zeros, counted out
    for shift in (0, 1):
        d = rng.integers(-3, 4, n) + shift
        for zero in ("wilcox", "pratt"):
            want = exact(d, zero == "pratt")
            if n <= 13 and np.any(d != 0):  # scipy permutes signs here
                perm = stats.wilcoxon(d, zero_method=zero, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
                assert abs(perm - want) < 1e-12, (perm, want, d, zero)
            rows.append(("exact", zero, want, d))
for n in (60, 150):  # ties and zeros, normal
    for shift in (0, 1):
        d = rng.integers(-4, 5, n) + shift * (rng.random(n) < 0.3)
        for zero in ("wilcox", "pratt"):
            p = stats.wilcoxon(d, zero_method=zero, method="asymptotic", correction=False).pvalue
            rows.append(("normal", zero, p, d))
with open("wilcoxon.csv", "w") as f:
    f.write("method,zeros,p,differences\n")
    for method, zero, p, d in rows:
        f.write(f"{method},{zero},{p!r},{' '.join(repr(float(v)) for v in d)}\n".replace("np.float64(", "").replace(")", ""))
