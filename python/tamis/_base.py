"""What the estimators share: parameters to settings, results to attributes, frames."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _input
from ._telling import CallbackSupportMixin

FLOATS = [np.float64, np.float32]
# parameters that are Python's own, not the method's
OWN = {"n_jobs", "random_state", "verbose", "task"}


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
        self.detail_: dict[str, Any] = json.loads(found["detail"])
        self._told: dict[str, Any] = {name: json.loads(found[name]) for name in ["input", "method", "notes"]}
        self._told |= {"seed": found["seed"], "seconds": found["seconds"], "iterations": found["n_iter"]}
        self.notes_: list[str] = [note["message"] for note in self._told["notes"]]

    def _feature_names(self) -> list[str]:
        names = self._names()
        return [f"x{j}" for j in range(len(self.support_))] if names is None else [str(name) for name in names]

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes what was found as one HTML page: the same as the program's `--report`.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced. The page needs no other file and no network.
        """
        check_is_fitted(self, "support_")
        page = _core.report(json.dumps(self._document()))
        given = Path(path)
        unfinished = given.with_name(f".{given.name}.{os.getpid()}.part")
        try:
            unfinished.write_text(page, encoding="utf-8")
            unfinished.replace(given)
        finally:
            unfinished.unlink(missing_ok=True)

    def _document(self) -> dict[str, Any]:
        """The result as the program's `--json` writes it."""
        columns = {
            "score": self.scores_,
            "effect": self.effects_,
            "probability": self.probabilities_,
            "q_value": self.q_values_,
        }
        plain = {name: _plain(values, len(self.support_)) for name, values in columns.items()}
        features = [
            {
                "index": j,
                "name": name,
                **{column: values[j] for column, values in plain.items()},
                "rank": int(self.ranking_[j]),
                "selected": bool(self.support_[j]),
            }
            for j, name in enumerate(self._feature_names())
        ]
        return {
            "format_version": 1,
            "tamis": _core.VERSION,
            **self._told,
            "n_selected": self.n_selected_,
            "n_expected": self.n_expected_,
            "n_expected_95": self.n_expected_95_,
            "fraction_irrelevant": self.fraction_irrelevant_,
            "converged": self.converged_,
            "features": features,
            "detail": self.detail_,
        }

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
        columns = {
            "feature": self._feature_names(),
            "score": self.scores_,
            "effect": self.effects_,
            "probability": self.probabilities_,
            "q_value": self.q_values_,
            "rank": self.ranking_,
            "selected": self.support_,
        }
        return frame({name: values for name, values in columns.items() if values is not None}, kind)


def _plain(values: NDArray[np.float64] | None, n: int) -> list[float | None]:
    """Numbers for JSON, which has no NaN."""
    if values is None:
        return [None] * n
    return [None if np.isnan(v) else v for v in values.tolist()]


def frame(columns: dict[str, Any], kind: str) -> Any:
    """Columns as a frame of pandas or polars."""
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    raise ValueError(f"`kind` cannot be {kind!r}: it takes 'pandas' or 'polars'")
