"""NPFS with a selector of scikit-learn's kind as its base, spread over workers by joblib."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.validation import has_fit_parameter

from . import _core, _input
from ._base import Base

if TYPE_CHECKING:
    from ._selectors import NPFS
    from ._telling import Say


def select(npfs: NPFS, X: Any, y: NDArray[Any], task: str, say: Say | None) -> dict[str, Any]:
    """The core's test on the base's choices on all bootstraps, with the target as it is and permuted."""
    start = time.perf_counter()
    if not get_tags(npfs.base).input_tags.allow_nan:
        assert_all_finite(X.data if sparse.issparse(X) else X, input_name="X")
    how = _input.how(None, npfs.random_state, say)
    settings = npfs._settings("base", "k", "form", "discretise", "bins")
    bootstraps, permutations = _core.npfs_plan(settings)
    rows = _input.rows(X, y, names=npfs._names(), task=task)
    by_rows = X.tocsr() if sparse.issparse(X) else X
    # a base that cannot work at all fails here, and not on every sample
    _mask(clone(npfs.base).fit(by_rows, y), X.shape[1])
    job = delayed(_bootstrap)
    runs = []
    for run in _parallel(npfs.n_jobs, say)(
        job(npfs.base, by_rows, y, settings, how["seed"], b, permutations) for b in range(bootstraps)
    ):
        runs.append(run)
        if say:
            say("bootstrapping", len(runs), bootstraps)
    chosen = [run[0].tolist() for run in runs]
    null = np.zeros((permutations, X.shape[1]), dtype=np.int64)
    for run in runs:
        for r, features in enumerate(run[1:]):
            null[r, features] += 1
    found = _core.npfs_decide(settings, rows, chosen, null.tolist(), how)
    return found | {"document": found["document"].timed(time.perf_counter() - start)}


def _parallel(n_jobs: int | None, say: Say | None) -> Parallel:
    """Results one by one if somebody listens and the backend can, else all at the end."""
    if say:
        try:
            return Parallel(n_jobs=n_jobs, return_as="generator")
        except ValueError:
            pass
    return Parallel(n_jobs=n_jobs)


def _bootstrap(
    base: Any, X: Any, y: NDArray[Any], settings: str, seed: int, b: int, permutations: int
) -> list[NDArray[np.int64]]:
    """The features chosen on bootstrap `b`: for the target as it is, then for each permutation."""
    n = X.shape[0]
    drawn = _core.npfs_draw(settings, seed, b, n)
    weighted = has_fit_parameter(base, "sample_weight")
    at = np.repeat(np.arange(n), drawn)
    chosen = []
    for r in range(permutations + 1):
        target = y if r == 0 else y[_core.npfs_permutation(seed, r - 1, n)]
        selector = _seeded(clone(base), seed, b, r)
        try:
            if weighted:
                # the rows that a bootstrap has drawn several times are copies
                if isinstance(selector, Base) and "weights" in selector.get_params(deep=False):
                    selector.set_params(weights="frequency")
                selector.fit(X, target, sample_weight=drawn.astype(np.float64))
            else:
                selector.fit(X[at], target[at])
            chosen.append(np.flatnonzero(_mask(selector, X.shape[1])))
        except ValueError:
            # a sample without two rows of every class, say, chooses nothing
            chosen.append(np.empty(0, dtype=np.int64))
    return chosen


def _mask(selector: Any, features: int) -> NDArray[np.bool_]:
    mask = np.asarray(selector.get_support())
    if mask.shape != (features,):
        raise ValueError(f"`base` gives a mask of shape {mask.shape}; its get_support() must cover {features} features")
    return mask


def _seeded(selector: Any, *key: int) -> Any:
    """The selector with every random_state in it set by where it runs, whichever worker that is.

    There is neither a second look nor an answer to what is needed, which nobody would read.
    """
    given = {name: name.split("__")[-1] for name in selector.get_params()}
    names = sorted(name for name, last in given.items() if last == "random_state")
    states = np.random.SeedSequence(key).generate_state(len(names))
    looks = {name: False for name, last in given.items() if last in ("second_look", "needed")}
    return selector.set_params(**looks, **{name: int(state) for name, state in zip(names, states, strict=True)})
