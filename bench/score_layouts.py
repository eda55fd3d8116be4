"""CPU time of `tamis.scores` and of scikit-learn's f_classif on one matrix in one layout: python score_layouts.py LAYOUT.

Both run once before they are timed, then in turn; the least of the repeats counts. Prints one line of JSON, with the
memory that the first call of tamis took above the matrix.
"""

import json
import resource
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.feature_selection import f_classif

import tamis

ROWS, COLUMNS, REPEATS = 1000, 20_000, 9


def dense(dtype, order):
    X = np.random.default_rng(1).standard_normal((ROWS, COLUMNS))
    return np.asarray(X, dtype=dtype, order=order)


def scattered(share, form):
    rng = np.random.default_rng(1)
    return sparse.random(ROWS, COLUMNS, share, form, rng=rng, data_rvs=rng.standard_normal)


LAYOUTS = {
    "float64 by rows": lambda: dense("float64", "C"),
    "float64 by columns": lambda: dense("float64", "F"),
    "float32 by rows": lambda: dense("float32", "C"),
    "float32 by columns": lambda: dense("float32", "F"),
    "1 % by columns": lambda: scattered(0.01, "csc"),
    "1 % by rows": lambda: scattered(0.01, "csr"),
    "5 % by columns": lambda: scattered(0.05, "csc"),
    "5 % by rows": lambda: scattered(0.05, "csr"),
}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seconds(work, X, y):
    start = time.process_time()
    work(X, y)
    return time.process_time() - start


def main():
    X = LAYOUTS[sys.argv[1]]()
    y = (np.arange(ROWS) * 7 % 5 < 2).astype(int)
    jobs = {"seconds": tamis.scores, "peer_seconds": f_classif}
    tamis.scores(X[:, :50], y)
    before = peak()
    tamis.scores(X, y)
    taken = peak() - before
    f_classif(X, y)
    found = [{name: seconds(work, X, y) for name, work in jobs.items()} for _ in range(REPEATS)]
    least = {name: min(one[name] for one in found) for name in jobs}
    size = X.data.nbytes if sparse.issparse(X) else X.nbytes
    print(json.dumps(least | {"memory_bytes": taken, "matrix_bytes": size, "peak_bytes": peak()}))


if __name__ == "__main__":
    main()
