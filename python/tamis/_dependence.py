"""Relations of any kind: `Dependence`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _input
from ._base import Selector
from ._telling import telling, with_callbacks


class Dependence(Selector):
    """Features related to the target in any way: by level, by shape, or only together with another feature.

    Every feature is tested by itself, for a trend over the classes and for any difference between the classes in
    fifths of its ranks, and every pair of features for an interaction of their halves, as in an exclusive or. Permuted
    targets show how strong such relations get by chance; Benjamini and Hochberg's procedure decides.

    Parameters
    ----------
    fdr : float, default=0.05
        The largest share of the selected features expected to be false.
    permutations : int, default=200
        The number of permutations of the target, at least 20; pairs are compared with the first 20.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`. A numeric target is cut into fifths.
    random_state : int, RandomState or None, default=0
        The seed of the permutations.
    n_jobs, verbose
        As for `SNBL`.

    Attributes
    ----------
    kinds_ : ndarray of str of shape (n_features_in_,)
        For every selected feature "level" (its values are higher in some class), "shape" (they are spread or formed
        otherwise) or "together" (with a partner); empty for other features.
    partners_ : ndarray of int of shape (n_features_in_,)
        For features of kind "together" the column of the partner; -1 for other features.
    scores_ : ndarray of shape (n_features_in_,)
        How surprising the strongest relation of each feature is, as -ln p; NaN for features that do not vary.
    p_values_, q_values_ : ndarray of shape (n_features_in_,)
        p-values from permutations, and Benjamini and Hochberg's adjustment; 1 for features that do not vary.
    ranking_, support_, n_selected_, classes_, notes_, detail_
        As for `SNBL`; there are no probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Dependence
    >>> rng = np.random.default_rng(1)
    >>> X = rng.standard_normal((300, 50))
    >>> y = X[:, 3] * X[:, 8] > 0
    >>> X[:, 5] *= 1 + 2 * y
    >>> found = Dependence().fit(X, y)
    >>> found.get_support(indices=True)
    array([3, 5, 8])
    >>> found.kinds_[[3, 5, 8]].tolist(), int(found.partners_[3])
    (['together', 'shape', 'together'], 8)
    """

    def __init__(
        self,
        *,
        fdr: float = 0.05,
        permutations: int = 200,
        task: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.fdr = fdr
        self.permutations = permutations
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Dependence:
        """Tests every feature and every pair, and decides.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            NaN is a missing value: a level of its own, left out of trends. Columns of text, categories and truth values
            are compared as categories.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        Dependence
            The estimator itself.
        """
        task = _input.task_of(y, self.task)
        X, categories = _input.numeric_frame(X)
        X, y = self._validated(X, y)
        rows = _input.rows(X, y, names=self._names(), task=task, categories=categories)
        with telling(self, X, y) as say:
            how = _input.how(self.n_jobs, self.random_state, say)
            found = _core.select("dependence", self._settings(), rows, _input.VALUES, how)
            self._take(found)
            self._take_target(found, y)
        tests = self.detail_["dependence"]
        self.kinds_ = np.array([kind or "" for kind in tests["kinds"]])
        self.partners_ = np.array([-1 if partner is None else partner for partner in tests["partners"]])
        self.p_values_ = np.array(tests["p_values"], dtype=np.float64)
        return self
