#!/usr/bin/env python3
"""Default WDA beside projections of scikit-learn, in front of three classifiers.

    python3 default.py run MONGE FOLDER... --out default.csv
    python3 default.py table default.csv

run fits every NPZ file of the folders (arrays X, y and, if rows are divided already, split: 0 for training,
1 for test) with the command MONGE, and writes one line for each fit and classifier. A run continues where
the file ends. Files that FOLDER/standardize.txt names are standardized. Without split there are three
random halves. At most 2000 rows are fitted to, and 4000 tested with. table prints the tables of experiments/published.

PCA and LDA are those of scikit-learn; LDA shrinks the covariance of every class by itself. LDA-0.5 has one
pooled covariance, shrunk by half toward a multiple of the identity. Needs NumPy and scikit-learn."""
import argparse
import csv
import glob
import os
import resource
import subprocess
import tempfile
import warnings

import numpy as np

COLUMNS = ['set', 'rows', 'features', 'classes', 'tests', 'p', 'split', 'method', 'for', 'mixture', 'seed', 'classifier', 'error', 'seconds']
BASELINES = ['PCA', 'LDA', 'LDA-0.5']
CLASSIFIERS = ['neighbors', 'linear', 'centroid']


def fewer(y, n, rng):
    """Indices of about n rows, the same share of every class, at least two of each."""
    if len(y) <= n:
        return np.arange(len(y))
    order, out = rng.permutation(len(y)), []
    for c, count in zip(*np.unique(y, return_counts=True)):
        out += list(order[y[order] == c][:max(2, round(n * count / len(y)))])
    return np.array(out)


def divide(file, split):
    """Training and test rows of a file."""
    z = np.load(file)
    x, y, rng = z['X'].astype(np.float64), z['y'], np.random.default_rng(500 + split)
    if 'split' in z.files:
        train, test = np.where(z['split'] == 0)[0], np.where(z['split'] == 1)[0]
    else:
        train, test = [], []
        for c in np.unique(y):
            rows = rng.permutation(np.where(y == c)[0])
            half = max(2, len(rows) // 2)
            train, test = train + list(rows[:half]), test + list(rows[half:])
        train, test = np.array(train), np.array(test)
    train, test = train[fewer(y[train], 2000, rng)], test[fewer(y[test], 4000, rng)]
    labels, counts = np.unique(y[train], return_counts=True)
    train = train[np.isin(y[train], labels[counts > 1])]
    return x[train], y[train], x[test], y[test]


def within(x, y):
    """Rows less the mean of their class."""
    classes, at = np.unique(y, return_inverse=True)
    return x - np.stack([x[at == c].mean(0) for c in range(len(classes))])[at]


def baseline(name, x, y, p):
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    classes = np.unique(y)
    if name == 'PCA':
        return PCA(min(p, len(x) - 1)).fit(x).components_.T
    q = min(p, len(classes) - 1)
    if name == 'LDA':
        keep, basis = x.std(0) > 0, None
        part = x[:, keep]
        if part.shape[1] > 2000:
            basis = PCA(min(len(y) - 1, 1000)).fit(part).components_.T
            part = part @ basis
        v = LinearDiscriminantAnalysis(solver='eigen', shrinkage='auto').fit(part, y).scalings_[:, :q]
        out = np.zeros((x.shape[1], q))
        out[keep] = v if basis is None else basis @ v
        return out
    centered, basis = x - x.mean(0), None
    if centered.shape[1] >= len(centered):
        _, s, vt = np.linalg.svd(centered, full_matrices=False)
        basis = vt[s > 1e-9 * s[0]].T
        centered = centered @ basis
    means = np.stack([centered[y == c].mean(0) for c in classes])
    residuals = within(centered, y)
    covariance = residuals.T @ residuals / len(y)
    d = len(covariance)
    between = (means * np.array([(y == c).mean() for c in classes])[:, None]).T @ means
    low = np.linalg.cholesky(0.5 * covariance + 0.5 * np.trace(covariance) / d * np.eye(d))
    w = np.linalg.solve(low, np.linalg.solve(low, between).T)
    v = np.linalg.solve(low.T, np.linalg.eigh((w + w.T) / 2)[1][:, ::-1][:, :q])
    return v if basis is None else basis @ v


def errors(projection, x, y, tx, ty):
    """Error of each classifier, with a mean variance of 1 within classes."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    a, b = x @ projection, tx @ projection
    unit = np.sqrt((within(a, y) ** 2).mean()) or 1
    a, b = a / unit, b / unit
    for name, c in zip(CLASSIFIERS, [KNeighborsClassifier(5), LogisticRegression(max_iter=2000), NearestCentroid()]):
        yield name, 1 - c.fit(a, y).score(b, ty)


def wda(command, x, y, p, options, limit):
    """The projection of monge fit, or None if it takes too long, and its CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(folder + '/rows.npz', X=x, y=y.astype(np.int32))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            subprocess.run([command, 'fit', '--data', folder + '/rows.npz', '-p', str(p), '--model', folder + '/model', *options],
                           check=True, capture_output=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None, limit
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return np.load(folder + '/model')['projection'], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(args):
    warnings.filterwarnings('ignore')
    done = set()
    if os.path.exists(args.out):
        with open(args.out) as f:
            done = {tuple(r[k] for k in COLUMNS[:1] + COLUMNS[5:11]) for r in csv.DictReader(f)}
    files = sorted((f for folder in args.folders for f in glob.glob(folder + '/*.npz')), key=os.path.getsize)
    names = {n for folder in args.folders if os.path.exists(folder + '/standardize.txt') for n in open(folder + '/standardize.txt').read().split()}
    with open(args.out, 'a', newline='') as f:
        out = csv.writer(f)
        if not done and f.tell() == 0:
            out.writerow(COLUMNS)
        for file in files:
            name = os.path.basename(file)[:-4]
            if args.only and name not in args.only.split(','):
                continue
            for split in range(1 if 'split' in np.load(file).files else 3):
                x, y, tx, ty = divide(file, split)
                if name in names:
                    mean, deviation = x.mean(0), x.std(0)
                    deviation[deviation == 0] = 1
                    x, tx = (x - mean) / deviation, (tx - mean) / deviation
                p = min(args.components, x.shape[1])
                fits = [(m, '', '', '') for m in BASELINES]
                fits += [('WDA', use, mixture, str(seed)) for use in args.uses.split(',') for mixture in args.mixture.split(',') for seed in range(1, args.seeds + 1)]
                for method, use, mixture, seed in fits:
                    key = (name, str(p), str(split), method, use, mixture, seed)
                    if key in done or mixture == '1' and len(x) >= 1000:
                        continue
                    seconds = ''
                    if method == 'WDA':
                        options = ['--seed', seed, '--for', use] + ([] if mixture == 'auto' else ['--mixture', mixture])
                        projection, seconds = wda(args.command, x, y, p, options, args.limit)
                    else:
                        projection = baseline(method, x, y, p)
                    row = [name, len(x), x.shape[1], len(np.unique(y)), len(ty), *key[1:]]
                    results = [('neighbors', '')] if projection is None else errors(projection, x, y, tx, ty)
                    for classifier, error in results:
                        out.writerow(row + [classifier, error if error == '' else f'{error:.5f}', seconds if seconds == '' else f'{seconds:.2f}'])
                    f.flush()
                    print(name, *key[1:], seconds, flush=True)


def mean(rows, **where):
    """Mean over splits of the mean error over seeds, and of the standard deviation over seeds; None without any."""
    by = {}
    for r in rows:
        if r['error'] != '' and all(r[k] == v for k, v in where.items()):
            by.setdefault(r['split'], []).append(100 * float(r['error']))
    if not by:
        return None, None
    return np.mean([np.mean(v) for v in by.values()]), np.mean([np.std(v, ddof=1) if len(v) > 1 else np.nan for v in by.values()])


def table(args):
    with open(args.csv) as f:
        rows = list(csv.DictReader(f))
    sets = {}
    for r in rows:
        sets.setdefault(r['set'], []).append(r)
    print('| set | rows × features, classes | PCA | LDA | LDA-0.5 | WDA | sd over seeds | WDA − best of the others |\n|---|---|---|---|---|---|---|---|')
    losses, deviations = [], []
    for name in sorted(sets):
        of = sets[name]
        values = [mean(of, method=m, classifier='neighbors')[0] for m in BASELINES]
        ours, deviation = mean(of, method='WDA', mixture='auto', classifier='neighbors', **{'for': 'neighbors'})
        if ours is None:
            continue
        losses.append((ours - min(values), name))
        if int(of[0]['rows']) < 400:
            deviations.append(deviation)
        print(f'| {name} | {of[0]["rows"]} × {of[0]["features"]}, {of[0]["classes"]} | ' + ' | '.join(f'{v:.1f}' for v in values)
              + f' | {ours:.1f} | {deviation:.1f} | {ours - min(values):+.1f} |')
    print(f'\n{len(losses)} sets: mean {np.mean([v for v, _ in losses]):+.2f} points, worst {max(losses)[0]:+.1f} ({max(losses)[1]}). '
          f'Standard deviation over seeds below 400 rows ({len(deviations)} sets): {np.sqrt(np.mean(np.square(deviations))):.1f}.')
    print('\n| classifier | sets | WDA fitted for | mixture | WDA − best of PCA, LDA, LDA-0.5: mean | worst | mean − that without mixture |\n|---|---|---|---|---|---|---|')
    for classifier in CLASSIFIERS:
        for use in dict.fromkeys(['neighbors', classifier]):
            for mixture in ['auto', '1']:
                gains, pairs = [], []
                for name, of in sets.items():
                    best = min(mean(of, method=m, classifier=classifier)[0] for m in BASELINES)
                    # The same seeds for both.
                    where = {'method': 'WDA', 'classifier': classifier, 'for': use}
                    v, alone = (mean([r for r in of if r['seed'] == '1'], mixture=m, **where)[0] for m in (mixture, '1'))
                    if v is None and mixture == '1' and int(of[0]['rows']) >= 1000: # not mixed
                        v = mean([r for r in of if r['seed'] == '1'], mixture='auto', **where)[0]
                    if v is not None:
                        gains.append((v - best, name))
                        if alone is not None:
                            pairs.append(v - alone)
                if gains:
                    gain = '' if mixture == '1' or len(pairs) < 2 else f'{np.mean(pairs):+.2f} ± {np.std(pairs, ddof=1) / len(pairs) ** .5:.2f}, {len(pairs)} sets'
                    print(f'| {classifier} | {len(gains)} | {use} | {mixture} | {np.mean([g for g, _ in gains]):+.2f} | {max(gains)[0]:+.1f} ({max(gains)[1]}) | {gain} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    r = commands.add_parser('run')
    r.add_argument('command')
    r.add_argument('folders', nargs='+')
    r.add_argument('--out', default='default.csv')
    r.add_argument('--components', type=int, default=10)
    r.add_argument('--seeds', type=int, default=3)
    r.add_argument('--for', dest='uses', default='neighbors', help='what WDA is fitted for, separated by commas')
    r.add_argument('--mixture', default='auto', help='auto, 1 or both, separated by a comma')
    r.add_argument('--limit', type=float, default=300, help='seconds after which a fit is left out')
    r.add_argument('--only', help='names of sets, separated by commas')
    r.set_defaults(do=run)
    t = commands.add_parser('table')
    t.add_argument('csv')
    t.set_defaults(do=table)
    args = parser.parse_args()
    args.do(args)


if __name__ == '__main__':
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    main()
