"""Functions on arrays: scores, shrinkage, agreement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_X_y,
    column_or_1d,
)

from . import _core, _input, _notebook
from ._base import FLOATS
from ._selected import frame
from ._sparse import sound


def scores(
    X: Any,
    y: Any,
    *,
    statistic: str = "auto",
    scale: str = "z",
    task: str = "auto",
    sample_weight: Any = None,
    weights: str = "importance",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """The score of every feature, standard normal if the feature is unrelated to the target.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, 2)
        Classes, numbers, or survival times, as for `SNBL`.
    statistic, scale, task, weights, n_jobs
        As for `SNBL`.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    ndarray of shape (n_features,)
        NaN for features that cannot be scored.

    Examples
    --------
    >>> import numpy as np, tamis
    >>> tamis.scores([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [5.0, 5.0]], [0, 0, 1, 1]).round(2)
    array([1.29,  nan])
    """
    times, X, task = _input.survival(y), sound(X), _input.task_of(y, task)
    checks: dict[str, Any] = {
        "accept_sparse": ("csc", "csr"),
        "dtype": FLOATS,
        "ensure_all_finite": False,
        "ensure_min_samples": 2,
    }
    if times is None:
        X, y = check_X_y(X, y, **checks)
    else:
        X, y = check_array(X, **checks), times
        check_consistent_length(X, y)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    rows = _input.rows(X, y, weights=sample_weight, weight_kind=weights, task=task)
    settings = _input.settings({"score": statistic, "scale": scale})
    return _core.scores(settings, rows, _input.how(n_jobs))


@dataclass(frozen=True, repr=False)
class Shrunken:
    """The result of `shrink`; arrays are in input order."""

    scores: NDArray[np.float64]
    effects: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    q_values: NDArray[np.float64]
    ranking: NDArray[np.int64]
    support: NDArray[np.bool_]
    n_selected: int
    n_expected: float
    n_expected_95: tuple[int, int] | None
    n_strong_95: tuple[int, int] | None
    at_least_95: int | None
    at_least_named_95: int | None
    expected_false: float | None
    fraction_irrelevant: float
    converged: bool
    n_iter: int
    notes: list[str]
    detail: dict[str, Any]
    sentence: str
    answer: list[str]

    def __repr__(self) -> str:
        return f"<Shrunken: {self.sentence}>"

    def _repr_html_(self) -> str:
        columns: dict[str, Any] = {"rank": self.ranking, "score": self.scores, "effect": self.effects}
        columns |= {"probability": self.probabilities, "selected": self.support}
        return _notebook.html(self.answer, columns, self.ranking, self.scores, self.support)

    def plot(self, kind: str = "fit", ax: Any = None) -> Any:
        """Draws the scores with the fitted model (``kind="fit"``) or by rank (``kind="scores"``), with matplotlib."""
        if kind == "fit":
            return _notebook.plot_fit(self.detail.get("fit") or {}, self.scores, ax)
        if kind == "scores":
            return _notebook.plot_scores(self.scores, self.ranking, self.support, ax)
        raise ValueError(f"`kind` cannot be {kind!r}: it takes 'fit' or 'scores'")

    def results_frame(self, kind: str = "pandas") -> Any:
        """The arrays as a frame of pandas or polars."""
        columns = {
            "score": self.scores,
            "effect": self.effects,
            "probability": self.probabilities,
            "q_value": self.q_values,
            "rank": self.ranking,
            "selected": self.support,
        }
        return frame(columns, kind)


def shrink(
    z: ArrayLike,
    prior: str = "auto",
    *,
    df: float | None = None,
    null: str = "theoretical",
    decide: str = "auto",
    fdr: float = 0.1,
    quiet: float = 0.99,
    estimate: str = "mean",
    bandwidth: str | float = "noise",
    update: str = "em",
    mixing: bool = True,
    tol: float = 1e-8,
    max_iter: int = 10_000,
    n_jobs: int | None = None,
) -> Shrunken:
    """How many scores are more than noise, and which: empirical Bayes on scores you already have.

    Parameters
    ----------
    z : array-like of shape (n_features,)
        Scores, standard normal if the feature has no effect; NaN is set aside.
    df : float, default=None
        If given, `z` holds t statistics with this many degrees of freedom, which are mapped to z first.
    prior, null, decide, fdr, quiet, estimate, bandwidth, update, mixing, tol, max_iter, n_jobs
        As for `SNBL`.

    Returns
    -------
    Shrunken
        Effects, probabilities, q-values and decisions.

    Examples
    --------
    >>> import numpy as np, tamis
    >>> rng = np.random.default_rng(0)
    >>> z = rng.standard_normal(1000)
    >>> z[:30] += 5
    >>> found = tamis.shrink(z)
    >>> 28 <= found.n_selected <= 32
    True
    """
    values = np.ascontiguousarray(column_or_1d(z), dtype=np.float64)
    given = {
        "prior": prior,
        "null": null,
        "decide": decide,
        "fdr": fdr,
        "quiet": quiet,
        "estimate": estimate,
        "bandwidth": bandwidth,
        "update": update,
        "mixing": mixing,
        "tol": tol,
        "max_iter": max_iter,
    }
    found = _core.shrink(_input.settings(given), values, df, _input.how(n_jobs))
    found["detail"] = json.loads(found["detail"])
    return Shrunken(**{field.name: found[field.name] for field in fields(Shrunken)})


def stability(selections: Sequence[Any] | ArrayLike, index: str = "nogueira", n_features: int | None = None) -> float:
    """The similarity of several selections: 1 for equal ones, about 0 for random ones (except "jaccard").

    Parameters
    ----------
    selections : sequence
        Masks (for example, a boolean matrix), lists of indices, or fitted selectors.
    index : {"nogueira", "kuncheva", "jaccard", "pearson"}, default="nogueira"
        Nogueira's measure takes selections of any sizes, as `tamis evaluate` prints it. Kuncheva's index is defined for
        selections of one size only.
    n_features : int, default=None
        The number of features; needed for lists of indices.

    Returns
    -------
    float

    Examples
    --------
    >>> import tamis
    >>> tamis.stability([[0, 1], [0, 1], [0, 2]], "jaccard", n_features=10).__round__(3)
    0.556
    """
    runs = []
    for given in selections:  # type: ignore[union-attr]
        mask = given.get_support() if hasattr(given, "get_support") else np.asarray(given)
        if mask.dtype == bool:
            if mask.ndim != 1 or (n_features is not None and mask.shape[0] != n_features):
                raise ValueError(f"a mask has shape {mask.shape}, but there are {n_features} features")
            n_features = mask.shape[0]
            mask = np.flatnonzero(mask)
        elif mask.size and mask.dtype.kind not in "iu":
            raise ValueError(f"a selection is a boolean mask or a list of indices, not {mask.dtype}")
        if mask.size and mask.min() < 0:
            raise ValueError("indices of features start at 0")
        runs.append([int(i) for i in mask])
    if n_features is None:
        raise ValueError("`n_features` is needed with lists of indices")
    return _core.stability(runs, n_features, index)
