"""The estimator of pairs of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _input
from ._base import Selector
from ._telling import telling, with_callbacks


class Pairs(Selector):
    """Features that tell about the target together with another one, even if not by themselves.

    The score of a feature is the most it tells about the target once another feature is known, over all pairs. A
    feature is selected if its score exceeds every score under permuted targets.

    Parameters
    ----------
    bins : int, default=3
        The number of levels of equal frequency for numeric columns.
    permutations : int, default=50
        The number of permutations of the target.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`.
    random_state : int, RandomState or None, default=0
        An integer is the seed itself, as ``--seed`` of the program.
    n_jobs, verbose
        As for `SNBL`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The largest conditional information of each feature, in nats; NaN for those set aside.
    partners_ : ndarray of shape (n_features_in_,)
        The position of the feature it is reached with; -1 for those set aside.
    gains_ : ndarray of shape (n_features_in_,)
        What the two tell together beyond the better one of them; NaN for those set aside.
    p_values_ : ndarray of shape (n_features_in_,)
        The share of permutations, the data counted among them, whose largest score is at least as large.
    pairs_ : ndarray of shape (n_pairs, 2)
        Pairs of features that need each other: their gain exceeds every score under permuted targets. The largest gain
        comes first; at most 1000 are listed.
    pair_gains_, pair_p_values_ : ndarray of shape (n_pairs,)
        The gain of each of these pairs, and its p-value.
    ranking_, support_, n_selected_, classes_, notes_, detail_
        As for `SNBL`; there are no probabilities. ``detail_["pairs"]["pairs"]`` holds the tables of the first 100 pairs
        by class.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Pairs
    >>> rng = np.random.default_rng(5)
    >>> X = rng.standard_normal((300, 40))
    >>> y = X[:, 3] * X[:, 8] > 0
    >>> found = Pairs().fit(X, y)
    >>> found.get_support(indices=True), found.pairs_.tolist()
    (array([3, 8]), [[3, 8]])
    """

    def __init__(
        self,
        *,
        bins: int = 3,
        permutations: int = 50,
        task: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.bins = bins
        self.permutations = permutations
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Pairs:
        """Looks at all pairs of features, and at those under permuted targets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            A missing value (NaN) is a level of its own. Columns of text, categories and truth values are categories.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        Pairs
            The estimator itself.
        """
        task = _input.task_of(y, self.task)
        X, categories = _input.numeric_frame(X)
        X, y = self._validated(X, y)
        if X.shape[1] < 2:
            raise ValueError(f"Found array with {X.shape[1]} feature(s), but pairs need two")
        rows = _input.rows(X, y, names=self._names(), task=task, categories=categories)
        with telling(self, X, y) as say:
            how = _input.how(self.n_jobs, self.random_state, say)
            found = _core.select("pairs", self._settings(), rows, _input.VALUES, how)
            self._take(found)
            self._take_target(found, y)
        self._take_pairs(self.detail_["pairs"])
        return self

    def _take_pairs(self, detail: dict[str, Any]) -> None:
        listed = detail.get("pairs", [])
        self.partners_ = np.array([-1 if p is None else p for p in detail["partners"]], dtype=np.int64)
        self.gains_ = np.array([np.nan if g is None else g for g in detail["gains"]], dtype=np.float64)
        self.p_values_ = np.array(detail["p_values"], dtype=np.float64)
        self.pairs_ = np.array([(p["first"], p["second"]) for p in listed], dtype=np.int64).reshape(-1, 2)
        self.pair_gains_ = np.array([p["gain"] for p in listed], dtype=np.float64)
        self.pair_p_values_ = np.array([p["p_value"] for p in listed], dtype=np.float64)
