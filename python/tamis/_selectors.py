"""Estimators that select features."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_sample_weight

from . import _core, _input
from ._base import Selector, take_needed
from ._design import check_same_rows
from ._telling import telling, with_callbacks

CRITERIA = ("jmi", "mrmr", "mim", "cmim", "disr", "jmim")


def _score_is_statistic(method: Callable[..., Any]) -> Callable[..., Any]:
    """Takes `score` for `statistic`; the signature stays what it is."""

    @wraps(method)
    def wrapped(self: Any, *args: Any, **params: Any) -> Any:
        if "score" in params:
            params["statistic"] = params.pop("score")
        return method(self, *args, **params)

    return wrapped


class SNBL(Selector):
    """Sparse nonparametric Bayesian learning on feature scores: how many features matter, and which.

    Every feature gets a score that is standard normal if the feature is unrelated to the target. Empirical Bayes on all
    scores then estimates how many features have an effect, and the probability that each one does.

    Parameters
    ----------
    prior : {"auto", "kde", "normal", "laplace", "npmle"}, default="auto"
        The distribution of the effects of relevant features. "auto" averages over the shapes that
        noise takes in this table; the others are those of the papers.
    bandwidth : {"noise", "paper"} or float, default="noise"
        The bandwidth of ``prior="kde"``: 1.06, the papers' rule, or a number.
    statistic : {"auto", "welch", "pooled", "moderated", "mann-whitney", "f", "kruskal", "pearson", "spearman", \
"cox"}, default="auto"
        The statistic of a feature. "auto" is "moderated" for 20 features or more; for fewer "welch" for two classes,
        "f" for several, "pearson" for a numeric target; "cox" for survival times.
        The program calls it ``score``, and the constructor and ``set_params`` accept that name too. The attribute is
        called ``statistic`` because ``score`` is the name of a method in scikit-learn.
    scale : {"z", "raw"}, default="z"
        t mapped to a normal score through its degrees of freedom, or t itself.
    null : {"theoretical", "empirical"}, default="theoretical"
        The distribution of irrelevant scores: standard normal, or estimated from the median and spread of all scores.
    decide : str, default="auto"
        The rule that selects features: "count", "prob:P" or "fdr:Q"; "auto" goes by ``fdr`` for ``prior="auto"`` and is
        "count" for the others.
    fdr : float, default=0.1
        The largest share of the selected features expected to be false (``decide="auto"``, ``prior="auto"``).
    quiet : float, default=0.99
        The share of tables of pure noise on which nothing is selected (``prior="auto"``).
    trend : {"auto"} or bool, default="auto"
        Whether the prior of moderated variances follows the features' means, as it should for log counts; "auto" does
        for counts that `normalize` makes comparable, and where the means explain the variances.
    robust : bool, default=True
        Whether a feature whose variance is far too large for the prior is not pulled towards it, nor widens it.
    min_difference : float, default=0.0
        Only a difference above this, in the feature's own unit, matters; for two classes or a numeric target.
    factors : {"none", "auto"} or int, default="none"
        How many principal components of the features within classes are adjusted for. It assumes that most features do
        not differ along them because of the target.
    null_targets : {"auto", "permuted", "rows"}, default="auto"
        Where null targets come from: the rows' own in another order, or drawn by each row from its own cells, which
        gives the same bits in pieces and partitions; "auto" is "rows" beyond 2,000 rows.
    block_model : {"auto", "correlated", "fixed", "mean"}, default="auto"
        What is done about rows of a block: one correlation that all features share (limma's duplicateCorrelation),
        adjusted for, or averaged. "auto" averages where the target is constant inside blocks, where classes have five
        rows or more in a block, and where blocks respond differently to the classes; else it adjusts.
    sample_weights : {"none", "auto"}, default="none"
        "auto" weights samples by how precise they are, as the residuals of all features show (limma's arrayWeights).
        With "none" a note names samples that disagree with the others.
    reference : label, default=None
        The class that others are compared with. By default one with a usual name, such as control, normal, wt,
        untreated, placebo, before or 0, else the first in sorted order.
    contrast : pair of labels, default=None
        Of several classes, the two to compare: the second minus the first, with variances from all.
    normalize : {"logcpm", "tmm", "voom", "none"}, default=None
        How counts are made comparable between samples before features are scored; "voom" also gives every value a
        precision. Features with too few counts are left
        out; counts of repeated rows of a block are summed before. By default nothing is done, and a note says so where
        the numbers look like counts; "none" is silent. `transform` returns the columns as they were given.
    min_count : float, default=10.0
        With `normalize`: a feature is used if enough samples have at least this count.
    second_look : bool, default=True
        Whether to look for relations that a difference of means does not show: by shape, or only together with another
        feature. They are reported, never selected. ``False`` saves time where only the selection is of use.
    needed : bool, default=True
        Whether to ask which of the selected features are needed, given all the others, as `Needed` does; only where
        that takes less time than the selection. The answer is reported, and selects nothing. ``False`` saves time.
    min_features : int, default=0
        Select at least so many features, the best by rank, so that a pipeline does not break where nothing is found.
    permutations : int or "auto", default="auto"
        The number of null targets, such as permuted labels, that show how features are correlated (``prior="auto"``);
        "auto": 999 up to two million numbers in ``X``, 399 up to ten times as many, else 199; 0 treats features as
        independent.
    estimate : {"mean", "median"}, default="mean"
        The effect reported; "median" for ``prior="normal"`` and ``prior="laplace"`` only.
    update : {"em", "argmax"}, default="em"
        How ``prior="kde"`` updates its fraction of irrelevant features.
    mixing : bool, default=True
        Whether ``prior="kde"`` has an atom at zero.
    tol : float, default=1e-8
        ``prior="kde"`` stops when no probability changes by more than this.
    max_iter : int, default=10000
        Most iterations of ``prior="kde"``.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric. By default two distinct values are classes, and so are at
        most 20 distinct whole numbers if each occurs at least twice; other numbers are a numeric target. Text is always
        classes.
    weights : {"importance", "frequency"}, default="importance"
        What ``sample_weight`` means. "importance": how much a row counts beside others; only ratios matter, and rows
        count as their effective number (Σw)²/Σw². "frequency": a row of weight 3 is three rows.
    random_state : int, RandomState or None, default=0
        The seed of the null targets.
    n_jobs : int or None, default=None
        Number of threads; None is 1, or the setting of ``joblib.parallel_config``; -1 uses all cores. The result does
        not depend on it.
    verbose : int, default=0
        Whether progress is reported on standard error.

    Attributes
    ----------
    scores_, effects_, probabilities_, q_values_ : ndarray of shape (n_features_in_,)
        The score of each feature (NaN for those set aside), the estimated effect, the probability of an effect in the
        direction shown, and the expected share of false alarms among the features ranked as high or higher.
    ranking_ : ndarray of shape (n_features_in_,)
        Ranks; 1 is the best.
    support_ : ndarray of bool of shape (n_features_in_,)
        Mask of the selected features.
    n_selected_ : int
    classes_ : ndarray of shape (n_classes,)
        The classes in order; absent if the target is numeric.
    n_expected_ : float
        The estimated number of affected features (an expected score beyond ±1), selected or not.
    n_expected_95_, n_strong_95_ : tuple of int, or None
        95 % intervals for the number of affected features, and of clearly affected ones (beyond ±2). None where the
        table cannot tell.
    at_least_95_, at_least_named_95_ : int or None
        How many features at least, and how many of the selected ones, have an effect, with 95 % confidence whatever the
        correlation between features.
    expected_false_ : float or None
        The expected number of false alarms among the selected features: of those without an effect, or with an effect
        in the other direction.
    fraction_irrelevant_ : float
    findings_, working_set_, inclusion_probabilities_, factors_, background_
        Which features are needed, given all the others, as for `Needed`; None where that was not asked.
    converged_ : bool
    n_iter_ : int
    feature_groups_ : list of dict
        The groups of features of `fit`, those with the smallest p-value first: name, size, how many are selected and
        expected to matter, and the tests of each as a set from the scores of null targets. ``p_direction`` and
        ``p_mixed`` (self-contained) ask whether any feature of it differs, mostly one way or either way;
        ``p_competitive_direction`` and ``p_competitive_mixed`` whether its features differ more than those outside it.
        ``q_…`` are adjusted for the number of groups; ``leading`` names the features that speak most for it.
    notes_ : list of str
        Warnings and remarks about the result.
    detail_ : dict
        Data for plots, such as the fitted densities.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    References
    ----------
    V. C. Raykar & L. H. Zhao, *Nonparametric prior for adaptive sparsity*, AISTATS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import SNBL
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(100) % 2
    >>> X = rng.standard_normal((100, 300))
    >>> X[:, :10] += 1.5 * y[:, None]
    >>> SNBL().fit(X, y).get_support(indices=True)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    _renamed: ClassVar[dict[str, str]] = {"statistic": "score"}

    @_score_is_statistic
    def __init__(
        self,
        *,
        prior: str = "auto",
        bandwidth: str | float = "noise",
        statistic: str = "auto",
        scale: str = "z",
        null: str = "theoretical",
        decide: str = "auto",
        fdr: float = 0.1,
        quiet: float = 0.99,
        permutations: int | str = "auto",
        trend: str | bool = "auto",
        robust: bool = True,
        min_difference: float = 0.0,
        factors: str | int = "none",
        null_targets: str = "auto",
        block_model: str = "auto",
        sample_weights: str = "none",
        reference: Any = None,
        contrast: Any = None,
        normalize: str | None = None,
        min_count: float = 10.0,
        second_look: bool = True,
        needed: bool = True,
        min_features: int = 0,
        estimate: str = "mean",
        update: str = "em",
        mixing: bool = True,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        task: str = "auto",
        weights: str = "importance",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.bandwidth = bandwidth
        self.statistic = statistic
        self.scale = scale
        self.null = null
        self.decide = decide
        self.fdr = fdr
        self.quiet = quiet
        self.permutations = permutations
        self.trend = trend
        self.robust = robust
        self.min_difference = min_difference
        self.factors = factors
        self.null_targets = null_targets
        self.block_model = block_model
        self.sample_weights = sample_weights
        self.reference = reference
        self.contrast = contrast
        self.normalize = normalize
        self.min_count = min_count
        self.second_look = second_look
        self.needed = needed
        self.min_features = min_features
        self.estimate = estimate
        self.update = update
        self.mixing = mixing
        self.tol = tol
        self.max_iter = max_iter
        self.task = task
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_score_is_statistic
    def set_params(self, **params: Any) -> SNBL:
        """Sets parameters, as everywhere in scikit-learn.

        Parameters
        ----------
        **params : dict

        Returns
        -------
        SNBL
            The estimator itself.
        """
        super().set_params(**params)
        return self

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        covariates: Any = None,
        blocks: Any = None,
        feature_groups: Any = None,
        formula: str | None = None,
        test: str | None = None,
    ) -> SNBL:
        """Scores every feature and decides.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            NaN is a missing value: each feature is scored on its other rows. Columns of text, categories and truth
            values are scored as categories.
        y : array-like of shape (n_samples,) or (n_samples, 2), default=None
            Needed unless there is a formula. Classes or numbers. Survival times are a structured array of
            scikit-survival (one field of truth values, the event, and one of numbers, the time), or an array or a frame
            of two columns, the time first and then the event: 1 or True if it happened, 0 or False if the row was last
            seen without it.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the rows; ``weights`` says what they mean. Survival times take only "frequency".
        covariates : array-like of shape (n_samples, n_covariates), frame or dict, default=None
            Variables that features are adjusted for: numbers, or text and categories as factors. Numbers written as
            text are refused, and so is a frame whose rows are those of `X` in another order. Rows in which one is
            missing are left out.
        blocks : array-like of shape (n_samples,), default=None
            Which rows belong together: a patient, a donor. Where the target varies inside blocks they are adjusted for;
            where it does not, their rows are averaged. `block_model` decides otherwise.
        feature_groups : dict of lists, or array-like of shape (n_features,), default=None
            Features that count together: names or positions by group, or a label for every feature (None for no
            group). One-hot columns of a group are one category; so are columns called like ``city_Rome`` and
            ``city_Oslo`` of which exactly one is 1 in every row. Their columns share a score, a rank and a decision.
            Every group is tested as a set: `feature_groups_`.
        formula : str, default=None
            A linear model in R's notation instead of `y`, such as ``"~ group * time + batch"``, with
            ``+ : * / ^ - 0 1`` and natural splines ``ns(age, 3)``. Its variables are columns of `covariates`.
        test : str, default=None
            What is tested of the formula: a term (``"group:time"``, by F if it has several columns), a coefficient
            (``"timelate"``), or a sum of coefficients or levels (``"late - early"``).

        Returns
        -------
        SNBL
            The estimator itself.
        """
        if formula is not None:
            y, covariates = _input.of_formula(formula, test, covariates, y)
        elif test is not None:
            raise ValueError("`test` says what is tested of a formula; pass `formula`")
        elif y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_same_rows(X, covariates=covariates, blocks=blocks, sample_weight=sample_weight)
        task = _input.task_of(y, self.task)
        times = _input.survival(y) if formula is None else y
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
            compare=_input.compared(self.reference, self.contrast),
            categories=categories,
            feature_groups=feature_groups,
            model=None if formula is None else (formula, test),
        )
        y = np.asarray(y)
        with telling(self, X, y, sample_weight) as say:
            how = _input.how(self.n_jobs, self.random_state, say)
            found = self._select(rows, how)
            self._take(found)
            self._take_target(found, y, sample_weight)
        take_needed(self, found.get("needed"))
        return self

    def _select(self, rows: _core._Rows, how: _core._How, samples: _core._Samples | None = None) -> dict[str, Any]:
        counts = None if self.normalize is None else (self.normalize, float(self.min_count))
        least = self.min_features
        if not isinstance(least, numbers.Integral) or least < 0:
            raise ValueError(f"`min_features` cannot be {least!r}: it takes a whole number of at least 0")
        asked: _core._Asked = {
            "counts": counts,
            "second_look": bool(self.second_look),
            "needed": bool(self.needed),
            "least": int(least),
            "samples": samples,
        }
        return _core.select("snbl", self._settings(), rows, asked, how)


class MutualInformation(Selector):
    """The most informative features, by a greedy mutual-information criterion on discretised columns.

    Parameters
    ----------
    criterion : {"jmi", "mrmr", "mim", "cmim", "disr", "jmim"}, default="jmi"
        The quantity that is maximised as features are added.
    k : int or "auto", default=10
        The number of features to select; 10 is half of the features if there are at most 10. With "auto", "jmi" and
        "cmim" add features as long as none of 19 permutations does as well; the others take 10.
    bins : int, default=10
        The number of levels of a numeric column.
    discretise : {"width", "frequency", "mdl", "categories"}, default="width"
        How numbers become levels: equal widths, equal counts, cuts that the classes justify, or one level per value.
    form : {"difference", "quotient"}, default="difference"
        For ``criterion="mrmr"``: relevance minus redundancy, or divided by it.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`.
    weights : {"importance", "frequency"}, default="importance"
        What ``sample_weight`` means, as for `SNBL`.
    random_state : int, RandomState or None, default=0
        For ``k="auto"``: an integer is the seed itself, as ``--seed`` of the program.
    n_jobs, verbose
        As for `SNBL`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        The criterion at the step that chose the feature, or at the last step that scored it; NaN for those set aside.
    ranking_, support_, n_selected_, classes_, notes_
        As for `SNBL`; there are no probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import MutualInformation
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> MutualInformation("mim", k=3).fit(X, y).transform(X).shape
    (569, 3)
    >>> MutualInformation(k="auto").fit(X, y).n_selected_ > 0
    True
    """

    def __init__(
        self,
        criterion: str = "jmi",
        *,
        k: int | str = 10,
        bins: int = 10,
        discretise: str = "width",
        form: str = "difference",
        task: str = "auto",
        weights: str = "importance",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.k = k
        self.bins = bins
        self.discretise = discretise
        self.form = form
        self.task = task
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _settings(self, *left_out: str) -> str:
        return super()._settings("criterion", *(() if self.criterion == "mrmr" else ("form",)), *left_out)

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MutualInformation:
        """Ranks the features and keeps the first `k`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A missing value (NaN) is a level of its own.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the rows; ``weights`` says what they mean.

        Returns
        -------
        MutualInformation
            The estimator itself.
        """
        if self.criterion not in CRITERIA:
            raise ValueError(f"`criterion` cannot be {self.criterion!r}: it takes {', '.join(CRITERIA)}")
        task = _input.task_of(y, self.task)
        X, categories = _input.numeric_frame(X)
        X, y = self._validated(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rows = _input.rows(
            X,
            y,
            weights=sample_weight,
            weight_kind=self.weights,
            names=self._names(),
            task=task,
            categories=categories,
        )
        with telling(self, X, y, sample_weight) as say:
            how = _input.how(self.n_jobs, self.random_state, say)
            found = _core.select(self.criterion, self._settings(), rows, _input.VALUES, how)
            self._take(found)
            self._take_target(found, y, sample_weight)
        return self


class NPFS(Selector):
    """A base selector on many bootstraps, and a test for features that are chosen more often than by chance.

    Parameters
    ----------
    base : str or selector, default="jmi"
        "jmi", "mrmr", "mim", "cmim", "disr", "jmim", "fisher", "trace-ratio", "l21", "t", "f", "snbl"; or any
        scikit-learn selector, which runs through joblib on the backend of ``joblib.parallel_config``. A bootstrap is
        passed as sample weights if its ``fit`` accepts them, otherwise as resampled rows.
    k : int, "auto" or "own", default="auto"
        The number of features that the base chooses; "auto" is 20, or half of the features if there are fewer than 40;
        with "own", "jmi" and "cmim" choose it themselves in every bootstrap, like ``MutualInformation(k="auto")``.
    n_bootstraps : int, default=100
    null : {"permutation", "binomial", "stability"}, default="permutation"
        The null distribution of the counts: permuted targets, the paper's binomial, or more than 90 % of half-samples.
    alpha : float or None, default=None
        The level of the test; None is 0.05, or 0.01 with ``null="binomial"``.
    adjust : {"auto", "bh", "holm", "none"}, default="auto"
        Adjustment for many tests; "auto" is "bh", or "none" with ``null="binomial"`` as in the paper.
    bins : int, default=5
    discretise : {"width", "frequency", "mdl", "categories"}, default="frequency"
    form : {"difference", "quotient"}, default="difference"
        For ``base="mrmr"``: relevance minus redundancy, or divided by it.
    beta : float, default=0.0
        Added to the probability k/n_features of a random choice (``null="binomial"``).
    permutations : int or "auto", default="auto"
    early_stop : bool, default=False
        Stop once no further bootstrap can change a decision (``null="binomial"``).
    matrix : bool, default=False
        Whether ``detail_`` holds the choice of every bootstrap.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`.
    random_state : int, RandomState or None, default=None
        An integer is the seed itself, as ``--seed`` of the program.
    n_jobs : int or None, default=None
        Number of threads or, with a selector as base, of joblib's jobs. The result depends neither on it nor on
        joblib's backend.
    verbose : int, default=0

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        How often each feature was chosen, 0 to 1; NaN for those set aside.
    q_values_ : ndarray or None
        Adjusted p-values.
    ranking_, support_, n_selected_, classes_, notes_, detail_
        As for `SNBL`.

    References
    ----------
    G. Ditzler, R. Polikar & G. Rosen, *A bootstrap based Neyman–Pearson test for identifying variable importance*,
    IEEE TNNLS 26(4), 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from tamis import NPFS
    >>> rng = np.random.default_rng(3)
    >>> X = rng.uniform(0, 10, (300, 30))
    >>> y = X[:, :4].sum(axis=1) > 20
    >>> NPFS(k=6, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2, 3])
    >>> NPFS(SelectKBest(k=6), n_bootstraps=20, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2, 3])
    """

    _renamed: ClassVar[dict[str, str]] = {"n_bootstraps": "bootstraps"}

    def __init__(
        self,
        base: Any = "jmi",
        *,
        k: int | str = "auto",
        n_bootstraps: int = 100,
        null: str = "permutation",
        alpha: float | None = None,
        adjust: str = "auto",
        bins: int = 5,
        discretise: str = "frequency",
        form: str = "difference",
        beta: float = 0.0,
        permutations: int | str = "auto",
        early_stop: bool = False,
        matrix: bool = False,
        task: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.base = base
        self.k = k
        self.n_bootstraps = n_bootstraps
        self.null = null
        self.alpha = alpha
        self.adjust = adjust
        self.bins = bins
        self.discretise = discretise
        self.form = form
        self.beta = beta
        self.permutations = permutations
        self.early_stop = early_stop
        self.matrix = matrix
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.base, "fit"):
            of_base = get_tags(self.base).input_tags
            tags.input_tags.allow_nan = of_base.allow_nan
            tags.input_tags.sparse = of_base.sparse
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any) -> NPFS:
        """Runs the base on every bootstrap, and tests.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        NPFS
            The estimator itself.
        """
        task = _input.task_of(y, self.task)
        X, y = self._validated(X, y)
        with telling(self, X, y) as say:
            if hasattr(self.base, "fit"):
                from ._any_base import select

                found = select(self, X, y, task, say)
            else:
                rows = _input.rows(X, y, names=self._names(), task=task)
                how = _input.how(self.n_jobs, self.random_state, say)
                found = _core.select("npfs", self._settings(), rows, _input.VALUES, how)
            self._take(found)
            self._take_target(found, y)
        return self
