"""Features that are needed, given all the others: `Needed`."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core, _input
from ._base import Selector, take_needed
from ._design import check_same_rows
from ._telling import telling, with_callbacks

CHOICES = ("findings", "working", "members")


class _ChosenFeatures:
    """`transform` with a choice; a class of its own, since scikit-learn wraps what an estimator defines itself."""

    def transform(self, X: Any, which: str | None = None) -> Any:
        """Keeps the chosen columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        which : {"findings", "working", "members"}, default=None
            The leads of the findings, the working set, or all members of findings; by default what `keep` says.

        Returns
        -------
        array, sparse matrix or data frame of shape (n_samples, n_chosen)
        """
        above: Any = super()
        if which is None:
            return above.transform(X)
        check_is_fitted(self, "support_")
        other: Any = copy(self)
        other.support_ = other._mask(which)
        return other.transform(X)


class Needed(_ChosenFeatures, Selector):
    """Features that a linear explanation of the target needs, given all the others.

    A feature that only repeats another is not needed, and of ten copies any one will do. A small unknown set of
    features explains the target beside a background of many tiny effects and factors that many features share; the set
    is sampled. A finding is a set of interchangeable features of which at least one is needed, with a probability.
    Needed means predictive given what was measured, not causal.

    Parameters
    ----------
    fdr : float, default=0.1
        The largest share of the findings expected to be false.
    keep : {"auto", "findings", "working", "members"}, default="auto"
        The features selected: one for every finding (its lead), the working set that predicts, or all members of
        findings. "auto" is the leads of findings; before a classifier of the program it is the working set.
    draws : int, default=2000
        Draws of each of the four chains.
    permutations : int, default=199
        Permuted targets that say whether any feature is related to the target; if none is, nothing is named.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`.
    weights : {"importance", "frequency"}, default="importance"
        What ``sample_weight`` means, as for `SNBL`.
    random_state : int, RandomState or None, default=0
        The seed of permutations and chains.
    n_jobs, verbose
        As for `SNBL`.

    Attributes
    ----------
    findings_ : list of dict
        The most probable first: "lead" and "members" are columns of ``X``, the most probable first; "probability" is
        that at least one of them is needed; "correlation" the least between the lead and another member; "disputed"
        whether independent chains of the sampler differ.
    working_set_ : ndarray of int
        Columns that predict together, without a claim about any one of them; another set may do as well.
    inclusion_probabilities_ : ndarray of shape (n_features_in_,)
        The probability that each feature is needed; interchangeable ones share it. NaN for those set aside.
    factors_ : ndarray
        The probability that the target follows each leading principal component: many features that move together, as
        with a batch.
    background_ : float
        The share of what findings and factors leave that many tiny effects explain.
    scores_ : ndarray of shape (n_features_in_,)
        The inclusion probabilities.
    ranking_, support_, n_selected_, classes_, notes_, detail_
        As for `SNBL`.

    References
    ----------
    G. Zanella & G. Roberts, *Scalable importance tempering and Bayesian variable selection*, JRSS B 81, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Needed
    >>> rng = np.random.default_rng(1)
    >>> X = rng.standard_normal((200, 60))
    >>> X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(200)
    >>> y = X[:, 0] - X[:, 7] + rng.standard_normal(200)
    >>> found = Needed().fit(X, y)
    >>> sorted(sorted(finding["members"].tolist()) for finding in found.findings_)
    [[0, 1], [7]]
    >>> found.transform(X).shape, found.transform(X, which="members").shape
    ((200, 2), (200, 3))
    """

    def __init__(
        self,
        *,
        fdr: float = 0.1,
        keep: str = "auto",
        draws: int = 2000,
        permutations: int = 199,
        task: str = "auto",
        weights: str = "importance",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.fdr = fdr
        self.keep = keep
        self.draws = draws
        self.permutations = permutations
        self.task = task
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, covariates: Any = None, blocks: Any = None) -> Needed:
        """Samples explanations of the target, and names what they have in common.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            NaN is a missing value: it takes the mean of its column, adjusted for covariates. Columns of text,
            categories and truth values are set aside, with a note.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Classes, numbers, or survival times as for `SNBL`.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the rows; ``weights`` says what they mean.
        covariates, blocks
            As for `SNBL`.

        Returns
        -------
        Needed
            The estimator itself.
        """
        check_same_rows(X, covariates=covariates, blocks=blocks, sample_weight=sample_weight)
        task = _input.task_of(y, self.task)
        times = _input.survival(y)
        X, categories = _input.numeric_frame(X)
        X, y = self._validated(X, y) if times is None else self._validated_survival(X, times)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rows = _input.rows(
            X,
            y,
            weights=sample_weight,
            weight_kind=self.weights,
            names=self._names(),
            task=task,
            covariates=covariates,
            blocks=blocks,
            categories=categories,
        )
        with telling(self, X, y, sample_weight) as say:
            how = _input.how(self.n_jobs, self.random_state, say)
            found = _core.select("needed", self._settings(), rows, _input.VALUES, how)
            self._take(found)
            self._take_target(found, y, sample_weight)
        take_needed(self, found["needed"])
        return self

    def _mask(self, which: str) -> NDArray[np.bool_]:
        if which not in CHOICES:
            raise ValueError(f"`which` cannot be {which!r}: it takes {', '.join(CHOICES)}")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        for finding in self.findings_:
            mask[finding["members"] if which == "members" else finding["lead"]] = which != "working"
        if which == "working":
            mask[self.working_set_] = True
        return mask
