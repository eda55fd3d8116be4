"""Selectors for Python side by side: 20 relevant features of 2,000, what each finds and how long it takes.

Two classes; the relevant features differ by 0.4 to 0.9 standard deviations. Wall-clock seconds with two threads or
jobs each where a selector takes any; the mean of three data sets, but one where a data set takes over a minute.
"""

import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV, GenericUnivariateSelect, SelectFdr
from sklearn.linear_model import LogisticRegression

import tamis

RELEVANT, FEATURES, REPEATS = 20, 2000, 3


def draw(rows, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rows) % 2)
    X = rng.standard_normal((rows, FEATURES))
    X[:, :RELEVANT] += rng.uniform(0.4, 0.9, RELEVANT) * y[:, None]
    return X, y


def selector(estimator):
    return lambda X, y: estimator.fit(X, y).get_support()


def boruta(X, y):
    from boruta import BorutaPy

    forest = RandomForestClassifier(n_jobs=2, max_depth=5, random_state=0)
    return BorutaPy(forest, n_estimators="auto", random_state=0).fit(X, y).support_


def mrmr(X, y):
    import pandas
    from mrmr import mrmr_classif

    chosen = mrmr_classif(X=pandas.DataFrame(X), y=pandas.Series(y), K=RELEVANT, show_progress=False, n_jobs=2)
    return np.isin(np.arange(FEATURES), chosen)


def stability_selection(X, y, halves=100, threshold=0.6):
    """Meinshausen & Bühlmann with an L1 logistic regression that keeps about 20 features of each half."""
    rng = np.random.default_rng(0)
    counts = np.zeros(X.shape[1])
    for _ in range(halves):
        half = rng.permutation(len(y))[: len(y) // 2]
        strength = 0.02
        for _ in range(12):
            model = LogisticRegression(C=strength, l1_ratio=1.0, solver="liblinear").fit(X[half], y[half])
            kept = np.flatnonzero(model.coef_[0])
            if len(kept) >= RELEVANT:
                break
            strength *= 1.5
        counts[kept] += 1
    return counts / halves > threshold


SELECTORS = {
    "tamis SNBL": selector(tamis.SNBL()),
    "tamis NPFS, jmi, k = 20": selector(tamis.NPFS(k=20, random_state=0)),
    "tamis NPFS, f, k = 20": selector(tamis.NPFS("f", k=20, random_state=0)),
    "tamis MutualInformation, told 20": selector(tamis.MutualInformation(k=20)),
    "tamis ShrunkenDLDA": selector(tamis.ShrunkenDLDA()),
    "tamis PFCVM": selector(tamis.PFCVM(random_state=0)),
    "SelectFdr, 0.05": selector(SelectFdr()),
    "GenericUnivariateSelect, fwe 0.05": selector(GenericUnivariateSelect(mode="fwe", param=0.05)),
    "mrmr_selection, told 20": mrmr,
    "BorutaPy": boruta,
    "RFECV, logistic": selector(RFECV(LogisticRegression(max_iter=500), step=0.1, n_jobs=2)),
    "stability selection, L1 logistic": stability_selection,
}


def main():
    warnings.simplefilter("ignore")
    for rows in (200, 1000):
        print(f"\n{RELEVANT} relevant of {FEATURES}, N = {rows}{'':8} seconds   true   false")
        for name, select in SELECTORS.items():
            seconds, true, false = [], [], []
            try:
                for seed in range(REPEATS):
                    X, y = draw(rows, seed)
                    start = time.perf_counter()
                    mask = np.asarray(select(X, y))
                    seconds.append(time.perf_counter() - start)
                    true.append(mask[:RELEVANT].sum())
                    false.append(mask[RELEVANT:].sum())
                    if seconds[-1] > 60:
                        break
            except Exception as error:
                print(f"{name:36} failed: {type(error).__name__}: {error}")
                continue
            print(f"{name:36} {np.mean(seconds):8.3f} {np.mean(true):6.1f} {np.mean(false):7.1f}", flush=True)


if __name__ == "__main__":
    main()
