"""Estimators that classify; some select as they learn."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _core, _input
from ._base import FLOATS, Base, Selector
from ._sparse import sound
from ._telling import telling, with_callbacks

Trainable = TypeVar("Trainable", bound="Machine")


class Classifier(ClassifierMixin, Base):  # type: ignore[misc]
    """Trains a model of the core, and predicts with it."""

    n_jobs: int | None
    verbose: int

    def _train(
        self,
        name: str,
        settings: str,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        weight_kind: str = "importance",
        random_state: Any = 0,
    ) -> None:
        X, y = self._validated(X, y)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        # a class that weighs nothing teaches nothing, not even that it exists
        self.classes_: NDArray[Any] = np.unique(y if sample_weight is None else y[sample_weight > 0])
        rows = _input.rows(
            X, y, weights=sample_weight, weight_kind=weight_kind, names=self._names(), classes=self.classes_
        )
        with telling(self, X, y, sample_weight) as say:
            how = _input.how(self.n_jobs, random_state, say)
            self._model, found = _core.fit(name, settings, rows, how)
            self._take(found)

    def _take(self, found: dict[str, Any]) -> None:
        self.notes_: list[str] = found["notes"]
        self.converged_: bool = found["converged"]
        self.n_iter_: int = max(1, found["n_iter"])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self, "classes_")
        kinds = ("csc", "csr")
        X = validate_data(self, sound(X), accept_sparse=kinds, dtype=FLOATS, ensure_all_finite=False, reset=False)
        return self._model.predict_proba(_input.matrix(X), _input.how(self.n_jobs))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        places = np.argmax(self.predict_proba(X), axis=1)
        likeliest: NDArray[Any] = self.classes_[places]
        return likeliest

    @property
    def model_json_(self) -> str:
        """The trained model as the program's ``tamis predict --model`` reads it."""
        check_is_fitted(self, "classes_")
        return str(self._model.json())


class Machine(Classifier):
    """A vector machine; its parameters are those of the core's method."""

    random_state: Any
    _method: ClassVar[str]

    def _way(self) -> tuple[str, tuple[str, ...]]:
        """The method, and the parameters that are not its own."""
        return self._method, ()

    @with_callbacks
    def fit(self: Trainable, X: Any, y: Any) -> Trainable:
        """Trains the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A missing value (NaN) is replaced by the feature's mean.
        y : array-like of shape (n_samples,)
            Two classes or more.

        Returns
        -------
        self
            The estimator itself.
        """
        name, others = self._way()
        self._train(name, self._settings(*others), X, y, random_state=self.random_state)
        return self


class SelectingMachine(Selector, Machine):
    """A vector machine whose features carry weights; those of weight 0 are not selected."""


class PFCVM(SelectingMachine):
    """Probabilistic feature selection and classification vector machine: it prunes features and samples as it learns.

    Parameters
    ----------
    inference : {"laplace", "em"}, default="laplace"
        Marginal likelihood under a Laplace approximation, or expectation–maximisation.
    kernel : {"auto", "linear", "rbf", "poly"}, default="auto"
        The kernel, in which every feature has a weight. "auto" is linear and, as far as it helps on rows held
        out of training, rbf; it is linear alone unless rows outnumber features, and for "em".
    degree : int, default=2
        The degree of ``kernel="poly"``.
    strictness : float or "auto", default="auto"
        Strictness for features ("laplace"): 0 keeps those with |z| above 1, 0.5 above 2.4, 1 above 3.1; "auto" is 0.5,
        but 0 for kernels other than the linear unless rows outnumber features.
    truncation : {"auto", "relative", "hard", "paper"}, default="auto"
        How weights are kept positive ("laplace").
    starts : int or "auto", default="auto"
        Runs, of which the one with the highest evidence counts ("laplace"); "auto": 8, above 2,000 rows 2; unless rows
        outnumber features 1 for the linear kernel, else 2.
    bases : int or "auto", default="auto"
        Candidate bases; "auto": all rows up to 400, else 200 of them.
    average : int or "auto", default="auto"
        Number of machines of a kernel that predict and select together ("laplace"): probabilities are averaged, and
        features that machines with at least half of the weight keep are selected. "auto" is 3 with ``kernel="auto"``, 2
        for other kernels than the linear unless rows outnumber features, else 1.
    refit : {"none", "gp"}, default="none"
        "gp" predicts by Gaussian processes on the features kept and, with ``kernel="auto"``, on all features, for
        better probabilities ("laplace").
    samplewise : bool, default=False
        Standardise each row over the features first.
    prune_precision, prune_share : float or "auto", default="auto"
        Thresholds for pruning a weight ("laplace"): its precision times the square of the largest weight, and its share
        of the largest weight.
    kappa, kappa_theta : float, default=0.5
        Strictness for samples and for features ("em"): those with |z| above 2√kappa are kept.
    tol : float or None, default=None
        Relative change at which training stops; None is 1e-5 for "laplace" and 1e-3 for "em".
    max_iter : int or None, default=None
        Most iterations; None is 200 for "laplace" (50 if not every row is a basis) and 500 for "em".
    random_state : int, RandomState or None, default=None
        Draws the bases if not every row is one; an integer is the seed itself, as ``--seed`` of the program.
    n_jobs : int or None, default=None
        Number of threads, as for `SNBL`; the result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    scores_ : ndarray of shape (n_features_in_,)
        The weight of each feature, relative to the largest; 0 if it was pruned, NaN if it was set aside.
    support_, ranking_, n_selected_
        The features that are left.
    n_iter_ : int
        Iterations of the longest run.
    notes_ : list of str

    References
    ----------
    B. Jiang, C. Li, M. de Rijke, X. Yao & H. Chen, *Probabilistic feature selection and classification vector machine*,
    ACM TKDD 13(2), 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import PFCVM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 20))
    >>> y = np.where(X[:, 0] - X[:, 1] > 0, "yes", "no")
    >>> machine = PFCVM(random_state=0).fit(X, y)
    >>> bool(machine.support_[:2].all()), bool(machine.score(X, y) > 0.9)
    (True, True)
    """

    def __init__(
        self,
        inference: str = "laplace",
        *,
        kernel: str = "auto",
        degree: int = 2,
        strictness: float | str = "auto",
        truncation: str = "auto",
        starts: int | str = "auto",
        bases: int | str = "auto",
        average: int | str = "auto",
        refit: str = "none",
        samplewise: bool = False,
        prune_precision: float | str = "auto",
        prune_share: float | str = "auto",
        kappa: float = 0.5,
        kappa_theta: float = 0.5,
        tol: float | None = None,
        max_iter: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.inference = inference
        self.kernel = kernel
        self.degree = degree
        self.strictness = strictness
        self.truncation = truncation
        self.starts = starts
        self.bases = bases
        self.average = average
        self.refit = refit
        self.samplewise = samplewise
        self.prune_precision = prune_precision
        self.prune_share = prune_share
        self.kappa = kappa
        self.kappa_theta = kappa_theta
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # the parameters of each inference that are the other's
    _ways: ClassVar[dict[str, tuple[str, tuple[str, ...]]]] = {
        "laplace": ("pfcvm-lp", ("inference", "kappa", "kappa_theta")),
        "em": (
            "pfcvm-em",
            ("inference", "strictness", "truncation", "starts", "average", "refit", "prune_precision", "prune_share"),
        ),
    }

    def _way(self) -> tuple[str, tuple[str, ...]]:
        if self.inference not in self._ways:
            raise ValueError(f"`inference` cannot be {self.inference!r}: it takes 'laplace' or 'em'")
        name, others = self._ways[self.inference]
        # expectation–maximisation has one kernel, by default the linear one
        return name, (*others, "kernel") if self.inference == "em" and self.kernel == "auto" else others


class JCFO(SelectingMachine):
    """Joint classifier and feature optimisation: a sparse kernel classifier with Laplace priors that prunes features.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly"}, default="linear"
        The kernel, in which every feature has a weight.
    degree : int, default=2
        The degree of ``kernel="poly"``.
    gamma1 : float, default=1.0
        Rate of the prior of the samples' weights, which may have either sign; a larger value keeps fewer samples.
    gamma2 : float or "auto", default="auto"
        Rate of the prior of the features' weights; a larger value keeps fewer features. "auto":
        n_samples × ln(1 + n_features) / (4 × n_features × gamma1). It is worth tuning; with a linear kernel only the
        product of both rates matters.
    bases, samplewise, random_state, n_jobs, verbose
        As for `PFCVM`.
    tol : float, default=1e-3
        Stop when the relative change of the samples' weights is smaller.
    max_iter : int, default=1000

    Attributes
    ----------
    classes_, scores_, support_, ranking_, n_selected_, n_iter_, notes_
        As for `PFCVM`.

    References
    ----------
    B. Krishnapuram, A. J. Hartemink, L. Carin & M. A. T. Figueiredo, *A Bayesian approach to joint feature selection
    and classifier design*, IEEE TPAMI 26(9), 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import JCFO
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 20))
    >>> y = np.where(X[:, 0] - X[:, 1] > 0, "yes", "no")
    >>> machine = JCFO(random_state=0).fit(X, y)
    >>> bool(machine.support_[:2].all()), bool(machine.score(X, y) > 0.9)
    (True, True)
    """

    _method = "jcfo"

    def __init__(
        self,
        *,
        kernel: str = "linear",
        degree: int = 2,
        gamma1: float = 1.0,
        gamma2: float | str = "auto",
        bases: int | str = "auto",
        samplewise: bool = False,
        tol: float = 1e-3,
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.bases = bases
        self.samplewise = samplewise
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ARD(SelectingMachine):
    """Logistic regression with automatic relevance determination: a prior for each feature, which prunes features.

    It finds what `PFCVM` with a linear kernel finds, at a small part of the cost.

    Parameters
    ----------
    strictness : float, default=0.5
        Strictness for features: 0 keeps those with |z| above 1, 0.5 above 2.4, 1 above 3.1.
    samplewise : bool, default=False
        Standardise each row over the features first.
    tol : float, default=1e-5
        Stop when the relative change of the evidence is smaller.
    max_iter : int, default=200
    n_jobs : int or None, default=None
        Number of threads, as for `SNBL`; the result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_, scores_, support_, ranking_, n_selected_, n_iter_, notes_
        As for `PFCVM`.

    References
    ----------
    D. J. C. MacKay, *Bayesian non-linear modelling for the prediction competition*, ASHRAE Transactions 100, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import ARD
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 20))
    >>> y = np.where(X[:, 0] - X[:, 1] > 0, "yes", "no")
    >>> model = ARD().fit(X, y)
    >>> bool(model.support_[:2].all()), bool(model.score(X, y) > 0.9)
    (True, True)
    """

    _method = "ard"
    random_state = 0  # nothing is drawn

    def __init__(
        self,
        *,
        strictness: float = 0.5,
        samplewise: bool = False,
        tol: float = 1e-5,
        max_iter: int = 200,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.strictness = strictness
        self.samplewise = samplewise
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose


class PCVM(Machine):
    """Probabilistic classification vector machine: a sparse kernel classifier on all features.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly"}, default="rbf"
    degree : int, default=2
        The degree of ``kernel="poly"``.
    kappa : float, default=0.5
        Strictness for samples: those with |z| above 2√kappa are kept.
    gamma : float, default=1.0
        Factor of the kernel's scale, 1 / n_features: larger is narrower.
    bases, samplewise, random_state, n_jobs, verbose
        As for `PFCVM`.
    tol : float, default=1e-3
        Stop when the relative change of the samples' weights is smaller.
    max_iter : int, default=500

    Attributes
    ----------
    classes_, n_iter_, notes_
        As for `PFCVM`.

    References
    ----------
    H. Chen, P. Tino & X. Yao, *Probabilistic classification vector machines*, IEEE TNN 20(6), 2009.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from tamis import PCVM
    >>> X, y = make_moons(100, noise=0.1, random_state=0)
    >>> PCVM(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "pcvm"

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        degree: int = 2,
        kappa: float = 0.5,
        gamma: float = 1.0,
        bases: int | str = "auto",
        samplewise: bool = False,
        tol: float = 1e-3,
        max_iter: int = 500,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.kappa = kappa
        self.gamma = gamma
        self.bases = bases
        self.samplewise = samplewise
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RVM(Machine):
    """Relevance vector machine: a sparse Bayesian kernel classifier on all features.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly"}, default="rbf"
    degree : int, default=2
        The degree of ``kernel="poly"``.
    bases, samplewise, random_state, n_jobs, verbose
        As for `PFCVM`.
    tol : float, default=1e-5
        Stop when the relative change of the evidence is smaller.
    max_iter : int, default=500

    Attributes
    ----------
    classes_, n_iter_, notes_
        As for `PFCVM`.

    References
    ----------
    M. E. Tipping, *Sparse Bayesian learning and the relevance vector machine*, JMLR 1, 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from tamis import RVM
    >>> X, y = make_moons(100, noise=0.1, random_state=0)
    >>> RVM(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = "rvm"

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        degree: int = 2,
        bases: int | str = "auto",
        samplewise: bool = False,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.bases = bases
        self.samplewise = samplewise
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ShrunkenDLDA(Selector, Classifier):
    """Diagonal linear discriminant analysis with class means shrunk by empirical Bayes.

    Parameters
    ----------
    prior : {"auto", "none", "kde", "normal", "laplace", "npmle"}, default="auto"
        The prior that shrinks the class means; "auto" drops features that are not selected, "none" is plain DLDA.
    weights : {"importance", "frequency"}, default="importance"
        What ``sample_weight`` means, as for `SNBL`.
    n_jobs : int or None, default=None
        Number of threads, as for `SNBL`; the result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    scores_ : ndarray of shape (n_features_in_,)
        The largest distance of a shrunken class mean from the overall mean, in standard deviations.
    support_, ranking_, n_selected_
        The features that predictions rest on.
    notes_ : list of str

    References
    ----------
    V. C. Raykar & L. H. Zhao, *Nonparametric prior for adaptive sparsity*, AISTATS 2010, §6.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import ShrunkenDLDA
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(100) % 2
    >>> X = rng.standard_normal((100, 200))
    >>> X[:, :10] += 1.5 * y[:, None]
    >>> model = ShrunkenDLDA().fit(X, y)
    >>> model.n_selected_, bool(model.score(X, y) > 0.95)
    (10, True)
    """

    def __init__(
        self, prior: str = "auto", *, weights: str = "importance", n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.prior = prior
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ShrunkenDLDA:
        """Trains the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Missing values (NaN) are left out.
        y : array-like of shape (n_samples,)
            Two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the rows; ``weights`` says what they mean.

        Returns
        -------
        ShrunkenDLDA
            The estimator itself.
        """
        self._train("dlda", self._settings(), X, y, sample_weight, self.weights)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log-odds of the second class; with several classes, the log-probability of each.

        They rank rows even if probabilities are rounded to 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        logs: NDArray[np.float64] = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        return logs[:, 1] - logs[:, 0] if len(self.classes_) == 2 else logs
