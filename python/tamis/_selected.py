"""What is said of every feature, and which are selected: the arrays, a frame, a file, a page."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """A selection; arrays are in the order of `features`, and None where the method has none."""

    names: Any
    scores: NDArray[np.float64]
    effects: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None
    q_values: NDArray[np.float64] | None
    ranking: NDArray[np.int64]
    support: NDArray[np.bool_]
    n_selected: int
    n_expected: float | None
    n_expected_95: tuple[int, int] | None
    fraction_irrelevant: float | None
    converged: bool
    n_iter: int
    method: dict[str, Any]
    seed: int
    notes: list[str]
    detail: dict[str, Any]
    _told: dict[str, Any]

    @staticmethod
    def of(found: dict[str, Any], names: Any) -> Selected:
        """What the core found, which gives as JSON what is not an array."""
        told = {name: json.loads(found[name]) for name in ["input", "method", "notes"]}
        same = ["scores", "effects", "probabilities", "q_values", "ranking", "support", "n_expected", "n_expected_95"]
        same += ["fraction_irrelevant", "converged", "n_iter", "seed"]
        return Selected(
            names=names,
            n_selected=len(found["selected"]),
            method=told["method"],
            notes=[note["message"] for note in told["notes"]],
            detail=json.loads(found["detail"]),
            _told=told | {"seconds": found["seconds"]},
            **{name: found[name] for name in same},
        )

    def __repr__(self) -> str:
        expected = "" if self.n_expected is None else f", about {self.n_expected:.1f} expected to matter"
        return f"<{self.method['name']}: {self.n_selected} of {len(self.support)} features selected{expected}>"

    @property
    def features(self) -> list[str]:
        """The names of all features."""
        if self.names is None:
            return [f"x{j}" for j in range(len(self.support))]
        return [str(name) for name in self.names]

    @property
    def selected(self) -> list[str]:
        """The names of the selected features, the best first."""
        features = self.features
        chosen = np.flatnonzero(self.support)
        return [features[j] for j in chosen[np.argsort(self.ranking[chosen])]]

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
        columns = {"feature": self.features, **self._columns(), "rank": self.ranking, "selected": self.support}
        return frame({name: values for name, values in columns.items() if values is not None}, kind)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes what was found as one HTML page: the same as the program's `--report`.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced. The page needs no other file and no network.
        """
        write(path, _core.report(json.dumps(self.document())))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what was found as the program's `--json` does; `tamis report` draws it.

        Parameters
        ----------
        path : path-like
            The file; one that exists is replaced.
        """
        write(path, json.dumps(self.document()))

    def document(self) -> dict[str, Any]:
        """The result as the program's `--json` writes it."""
        plain = {name: _plain(values, len(self.support)) for name, values in self._columns().items()}
        features = [
            {
                "index": j,
                "name": name,
                **{column: values[j] for column, values in plain.items()},
                "rank": int(self.ranking[j]),
                "selected": bool(self.support[j]),
            }
            for j, name in enumerate(self.features)
        ]
        return {
            "format_version": 1,
            "tamis": _core.VERSION,
            **self._told,
            "seed": self.seed,
            "iterations": self.n_iter,
            "n_selected": self.n_selected,
            "n_expected": self.n_expected,
            "n_expected_95": self.n_expected_95,
            "fraction_irrelevant": self.fraction_irrelevant,
            "converged": self.converged,
            "features": features,
            "detail": self.detail,
        }

    def _columns(self) -> dict[str, NDArray[np.float64] | None]:
        return {
            "score": self.scores,
            "effect": self.effects,
            "probability": self.probabilities,
            "q_value": self.q_values,
        }


def _plain(values: NDArray[np.float64] | None, n: int) -> list[float | None]:
    """Numbers for JSON, which has no NaN."""
    if values is None:
        return [None] * n
    return [None if np.isnan(v) else v for v in values.tolist()]


def write(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file whole or not at all."""
    given = Path(path)
    unfinished = given.with_name(f".{given.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(given)
    finally:
        unfinished.unlink(missing_ok=True)


def frame(columns: dict[str, Any], kind: str) -> Any:
    """Columns as a frame of pandas or polars."""
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    raise ValueError(f"`kind` cannot be {kind!r}: it takes 'pandas' or 'polars'")
