"""The bases of all estimators: parameters to settings, results to attributes, frames."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from . import _input
from ._selected import Selected
from ._sparse import sound
from ._telling import CallbackSupportMixin

FLOATS = [np.float64, np.float32]
# parameters that are Python's own, not the method's
OWN = {"n_jobs", "random_state", "verbose", "task", "reference", "contrast", "min_features", "weights"}
OWN |= {"normalize", "min_count", "second_look", "needed"}


class Base(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Parameters go to the core by their names."""

    # names that differ from the core's
    _renamed: ClassVar[dict[str, str]] = {}

    def _settings(self, *left_out: str) -> str:
        given = self.get_params(deep=False)
        chosen = {self._renamed.get(k, k): v for k, v in given.items() if k not in OWN and k not in left_out}
        return _input.settings(chosen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
            raise TypeError("X holds dates or times; give numbers, such as days since a start")
        # the core looks for infinities while it reads: a pass of its own would cost as much as the scores
        X = sound(X)
        checked = validate_data(
            self, X, y, accept_sparse=("csc", "csr"), dtype=FLOATS, ensure_all_finite=False, ensure_min_samples=2
        )
        X, y = checked
        return X, y

    def _validated_survival(self, X: Any, y: NDArray[np.float64]) -> tuple[Any, NDArray[np.float64]]:
        """Like `_validated`, for times and events."""
        X = validate_data(
            self, sound(X), accept_sparse=("csc", "csr"), dtype=FLOATS, ensure_all_finite=False, ensure_min_samples=2
        )
        check_consistent_length(X, y)
        return X, y

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", getattr(self, "_feature_names", None))


def take_needed(estimator: Any, needed: dict[str, Any] | None) -> None:
    """Keeps what is needed, given all the others; None where that was not asked."""
    for name in ("findings", "working_set", "inclusion_probabilities", "factors", "background"):
        setattr(estimator, f"{name}_", None if needed is None else needed[name])


class _SoundMatrices:
    """`transform` and its inverse; a class of its own, since scikit-learn wraps what an estimator defines itself."""

    def transform(self, X: Any) -> Any:
        """Keeps the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        array, sparse matrix or data frame of shape (n_samples, n_selected)
        """
        above: Any = super()
        return above.transform(sound(X))

    def inverse_transform(self, X: Any) -> Any:
        """Puts zeros where columns were left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_selected)

        Returns
        -------
        array or sparse matrix of shape (n_samples, n_features)
        """
        above: Any = super()
        return above.inverse_transform(sound(X))


class Selector(_SoundMatrices, SelectorMixin, Base):  # type: ignore[misc]
    """Keeps the core's answer as attributes."""

    def _take(self, found: dict[str, Any]) -> None:
        taken = self._selected = Selected.of(found, self._names())
        self.scores_ = taken.scores
        self.effects_ = taken.effects
        self.probabilities_ = taken.probabilities
        self.q_values_ = taken.q_values
        self.ranking_ = taken.ranking
        self.support_ = taken.support
        self.n_selected_ = taken.n_selected
        self.n_expected_ = taken.n_expected
        self.n_expected_95_ = taken.n_expected_95
        self.n_strong_95_ = taken.n_strong_95
        self.at_least_95_ = taken.at_least_95
        self.at_least_named_95_ = taken.at_least_named_95
        self.expected_false_ = taken.expected_false
        self.fraction_irrelevant_ = taken.fraction_irrelevant
        self.converged_ = taken.converged
        self.n_iter_ = max(1, taken.n_iter)
        self.detail_ = taken.detail
        self.notes_ = taken.notes
        self.feature_groups_ = taken.groups

    @property
    def result_(self) -> Selected:
        """The selection as an object of its own: its sentence, frames, files, and a picture in notebooks."""
        check_is_fitted(self, "support_")
        return self._selected

    def plot(self, kind: str = "auto", ax: Any = None) -> Any:
        return self.result_.plot(kind, ax)

    def report(self, path: str | os.PathLike[str]) -> None:
        check_is_fitted(self, "support_")
        self._selected.report(path)

    def _take_target(self, found: dict[str, Any], y: NDArray[Any], sample_weight: Any = None) -> None:
        """Keeps the classes, if the core took the target as classes."""
        if found["of_classes"]:
            self.classes_: NDArray[Any] = np.unique(y if sample_weight is None else y[sample_weight > 0])
        elif hasattr(self, "classes_"):
            del self.classes_  # of a fit before this one

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def results_frame(self, kind: str = "pandas") -> Any:
        check_is_fitted(self, "support_")
        return self._selected.results_frame(kind)

    plot.__doc__ = Selected.plot.__doc__
    report.__doc__ = Selected.report.__doc__
    results_frame.__doc__ = Selected.results_frame.__doc__
