"""PFCVM by Laplace approximation as a plain numpy program: the peer that our vector machines are measured against.

The same algorithm with the same settings (relative truncation where rows outnumber features, else a hard cut), one
start, every product a BLAS call; nothing is learned that the program does not learn too.
"""

import numpy as np


def standardise(x):
    spread = x.std(0)
    keep = spread > 0
    return (x[:, keep] - x[:, keep].mean(0)) / spread[keep]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def kernel(x, z, theta, s, rbf):
    inner = (x * (theta * s)) @ z.T
    if not rbf:
        return inner
    a, b = (x * x) @ (theta * s), (z * z) @ (theta * s)
    return np.exp(-np.maximum(a[:, None] + b - 2 * inner, 0))


def derivative(x, z, k, v, s, rbf):
    if not rbf:
        return x * (s * (v @ z))
    w = k * v
    return -s * (x * x * w.sum(1)[:, None] - 2 * x * (w @ z) + w @ (z * z))


class Weights:
    def __init__(self, values, precision, first, relative):
        self.v, self.a, self.first, self.relative = values, precision, first, relative

    def steepness(self):
        lam = 5 * np.sqrt(self.a) if self.relative else np.zeros_like(self.a)
        lam[: self.first] = 0
        return lam

    def log_prior(self, v):
        lam = self.steepness()
        value = (-0.5 * self.a * v * v + 0.5 * np.log(self.a)).sum() + np.log(2) * (len(v) - self.first)
        return value + log_sigmoid(lam * v)[lam > 0].sum()

    def slope(self):
        lam = self.steepness()
        up = sigmoid(lam * self.v)
        return -self.a * self.v + lam * (1 - up), lam * lam * up * (1 - up)


def curvature(j, c, g):
    s = np.sqrt(c)[:, None] * j / np.sqrt(g)
    rows = s.shape[0] < s.shape[1]
    m = s @ s.T if rows else s.T @ s
    m[np.diag_indices_from(m)] += 1
    return s, rows, np.linalg.cholesky(m)


def solve(factored, g, b):
    s, rows, low = factored
    b = b / np.sqrt(g)
    if rows:
        t = np.linalg.solve(low.T, np.linalg.solve(low, s @ b))
        b = b - s.T @ t
    else:
        b = np.linalg.solve(low.T, np.linalg.solve(low, b))
    return b / np.sqrt(g)


def shares(factored):
    s, rows, low = factored
    if rows:
        return (np.linalg.solve(low, s) ** 2).sum(0)
    return 1 - (np.linalg.inv(low) ** 2).sum(0)


def log_det(factored, g):
    return np.log(g).sum() + 2 * np.log(np.diag(factored[2])).sum()


def newton(y, f, j, w, others, attempt):
    value = log_sigmoid(y * f).sum() + w.log_prior(w.v) + others
    up = sigmoid(f)
    prior, extra = w.slope()
    gradient = j.T @ ((y + 1) / 2 - up) + prior
    free = (np.arange(len(w.v)) < w.first) | (w.v > 0) | (gradient > 0)
    g = (w.a + extra)[free]
    factored = curvature(j[:, free], up * (1 - up), g)
    direction = solve(factored, g, gradient[free])
    if direction @ gradient[free] < 1e-8 * (1 + abs(value)):
        return None
    step = 1.0
    while step > 1e-10:
        moved = w.v.copy()
        moved[free] += step * direction
        moved[w.first :] = np.maximum(moved[w.first :], 0)
        there, kept = attempt(moved)
        if log_sigmoid(y * there).sum() + w.log_prior(moved) + others >= value + 1e-4 * gradient @ (moved - w.v):
            return moved, there, kept
        step /= 2
    return None


def fit(x, y, bases, rbf, strictness=0.5, tol=1e-5, max_iter=200):
    """x standardised, y of −1 and 1; returns the features kept and their weights."""
    rows, features = x.shape
    s = 1 / features
    relative = rows > features
    z, zy = x[bases], y[bases]
    w = Weights(np.r_[0.0, np.ones(len(bases))], np.r_[1e-3, np.ones(len(bases))], 1, relative)
    t = Weights(np.ones(features), np.ones(features), 0, relative)
    left = np.arange(features)
    trace, still = [], 0
    for _ in range(max_iter):
        k = kernel(x, z, t.v, s, rbf)
        phi = np.c_[np.ones(rows), k * zy]
        f = phi @ w.v
        for _ in range(25):
            moved = newton(y, f, phi, w, t.log_prior(t.v), lambda v: (phi @ v, None))
            if moved is None:
                break
            w.v, f, _ = moved
        def at(theta):
            there = kernel(x, z, theta, s, rbf)
            return w.v[0] + there @ (w.v[1:] * zy), there
        moved = newton(y, f, derivative(x, z, k, w.v[1:] * zy, s, rbf), t, w.log_prior(w.v), at)
        if moved is not None:
            t.v, f, k = moved
            phi = np.c_[np.ones(rows), k * zy]
        up = sigmoid(f)
        evidence = log_sigmoid(y * f).sum()
        for weights, j, c in [(w, phi, 0.0), (t, derivative(x, z, k, w.v[1:] * zy, s, rbf), strictness)]:
            _, extra = weights.slope()
            g = weights.a + extra
            factored = curvature(j, up * (1 - up), g)
            evidence += weights.log_prior(weights.v) - 0.5 * log_det(factored, g)
            gamma = (extra + weights.a * shares(factored)) / g
            weights.new = (gamma + 2 * c) / np.maximum(weights.v**2, 1e-200)
        for weights in (w, t):
            weights.a[weights.first :] = weights.new[weights.first :]
        still = still + 1 if trace and abs(evidence - trace[-1]) < tol * (1 + abs(evidence)) else 0
        trace.append(evidence)
        keeps = []
        for weights in (w, t):
            v, a = weights.v[weights.first :], weights.a[weights.first :]
            keep = (a * v.max() ** 2 <= 1e6) & (v >= 1e-3 * v.max())
            if not keep.any():
                keep[v.argmax()] = True
            keeps.append(keep)
            weights.v = np.r_[weights.v[: weights.first], v[keep]]
            weights.a = np.r_[weights.a[: weights.first], a[keep]]
        z, zy = z[keeps[0]][:, keeps[1]], zy[keeps[0]]
        x, left = x[:, keeps[1]], left[keeps[1]]
        if still >= 3 and len(trace) >= 5:
            break
        if not rbf and t.v.max() > 0:
            g = t.v.max()
            t.v, t.a = t.v / g, t.a * g * g
            w.v[1:], w.a[1:] = w.v[1:] * g, w.a[1:] / (g * g)
    return left, t.v


def waveform(rows, noise=19, seed=1):
    """Breiman's waves 0 and 1, half of the rows each."""
    rng = np.random.default_rng(seed)
    point = np.arange(1, 22)
    wave = [np.maximum(6 - abs(point - peak), 0) for peak in (11, 15, 7)]
    u = rng.random((rows, 1))
    label = np.arange(rows) % 2
    signal = u * wave[0] + (1 - u) * np.where(label[:, None] == 0, wave[1], wave[2])
    x = np.c_[signal + rng.normal(size=(rows, 21)), rng.normal(size=(rows, noise))]
    return standardise(x), np.where(label == 1, 1.0, -1.0)


def landmarks(y, rng, most=200):
    rows = len(y)
    if rows <= 400:
        return np.arange(rows)
    return np.sort(np.concatenate([rng.choice(np.flatnonzero(y == c), most // 2, replace=False) for c in (-1.0, 1.0)]))


if __name__ == "__main__":
    import json
    import sys
    import time

    job = sys.argv[1]
    if job == "fold":
        import csv, gzip

        opened = gzip.open(sys.argv[2], "rt") if sys.argv[2].endswith(".gz") else open(sys.argv[2])
        table = list(csv.reader(opened))
        at = table[0].index("label")
        labels = [row[at] for row in table[2:]]
        y = np.where(np.array(labels) == max(labels), 1.0, -1.0)
        x = standardise(np.array([[float(v) for i, v in enumerate(row) if i != at] for row in table[2:]]))
        rbf, starts, repeats = False, 1, 5
    else:
        rows, starts = int(sys.argv[2]), int(sys.argv[3])
        x, y = waveform(rows)
        rbf, repeats = True, 1 if rows > 5000 else 3
    rng = np.random.default_rng(0)
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(starts):
            bases = landmarks(y, rng)
            left, _ = fit(x, y, bases, rbf, max_iter=200 if len(bases) == len(y) else 50)
        best = min(best, time.process_time() - start)
    print(json.dumps({"seconds": best, "features": len(left)}))
