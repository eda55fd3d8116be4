"""What the estimators share: parameters to settings, results to attributes, frames."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _input

FLOATS = [np.float64, np.float32]
# parameters that are Python's own, not the method's
OWN = {"n_jobs", "random_state", "verbose", "task"}


class Base(BaseEstimator):  # type: ignore[misc]
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
        # the core looks for infinities while it reads: a pass of its own would cost as much as the scores
        checked = validate_data(
            self, X, y, accept_sparse="csc", dtype=FLOATS, ensure_all_finite=False, ensure_min_samples=2
        )
        X, y = checked
        return X, y

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)


class Selector(SelectorMixin, Base):  # type: ignore[misc]
    """Keeps what the core says of every feature, as attributes."""

    def _take(self, found: dict[str, Any]) -> None:
        self.scores_: NDArray[np.float64] = found["scores"]
        self.effects_: NDArray[np.float64] | None = found["effects"]
        self.probabilities_: NDArray[np.float64] | None = found["probabilities"]
        self.q_values_: NDArray[np.float64] | None = found["q_values"]
        self.ranking_: NDArray[np.int64] = found["ranking"]
        self.support_: NDArray[np.bool_] = found["support"]
        self.n_selected_: int = len(found["selected"])
        self.n_expected_: float | None = found["n_expected"]
        self.n_expected_95_: tuple[int, int] | None = found["n_expected_95"]
        self.fraction_irrelevant_: float | None = found["fraction_irrelevant"]
        self.converged_: bool = found["converged"]
        self.n_iter_: int = max(1, found["n_iter"])
        self.notes_: list[str] = [note["message"] for note in json.loads(found["notes"])]
        self.detail_: dict[str, Any] = json.loads(found["detail"])

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def results_frame(self, kind: str = "pandas") -> Any:
        """Everything said of every feature, in input order.

        Parameters
        ----------
        kind : {"pandas", "polars"}
            The library whose frame is wanted; it must be installed.

        Returns
        -------
        DataFrame
            Columns feature, score, effect, probability, q_value, rank, selected; those that the method does not have
            are left out.
        """
        check_is_fitted(self, "support_")
        names = self._names()
        columns = {
            "feature": [f"x{j}" for j in range(len(self.support_))] if names is None else [str(n) for n in names],
            "score": self.scores_,
            "effect": getattr(self, "effects_", None),
            "probability": getattr(self, "probabilities_", None),
            "q_value": getattr(self, "q_values_", None),
            "rank": self.ranking_,
            "selected": self.support_,
        }
        return frame({name: values for name, values in columns.items() if values is not None}, kind)


def frame(columns: dict[str, Any], kind: str) -> Any:
    """Columns as a frame of pandas or polars."""
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    raise ValueError(f"`kind` cannot be {kind!r}: it takes 'pandas' or 'polars'")
