"""A selection: its arrays, a frame of them, a file, a page."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _notebook


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """A selection; arrays are in the order of `features`, or None if the method does not compute them."""

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
    n_strong_95: tuple[int, int] | None
    at_least_95: int | None
    at_least_named_95: int | None
    expected_false: float | None
    fraction_irrelevant: float | None
    converged: bool
    n_iter: int
    method: dict[str, Any]
    seed: int
    notes: list[str]
    detail: dict[str, Any]
    sentence: str
    answer: list[str]
    _document: _core.Document
    # the first column of every row of the table of features
    places: NDArray[np.int64] | None = None
    groups: list[dict[str, Any]] | None = None

    @staticmethod
    def of(found: dict[str, Any], names: Any) -> Selected:
        """A selection as the core hands it over."""
        given = found | {"names": names, "_document": found["document"]}
        given |= {name: json.loads(found[name]) for name in ["method", "detail", "groups"]}
        return Selected(**{field.name: given[field.name] for field in fields(Selected)})

    def __repr__(self) -> str:
        return f"<{self.method['name']}: {self.sentence}>"

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
        """Scores, probabilities and decisions of every feature, in input order.

        Parameters
        ----------
        kind : {"pandas", "polars"}
            The library that provides the frame; it must be installed.

        Returns
        -------
        DataFrame
            Columns feature, rank, selected, and everything that the method computes: for `SNBL` n, the class means,
            score, statistic, df, p_value, difference with its interval, shrunken_difference, effect, lfsr, probability,
            q_value, cluster.
        """
        return frame({"feature": self._rows(), **self._table()}, kind)

    def _table(self) -> dict[str, Any]:
        """Everything that is known about every feature, without its name."""
        table = self._document.table()
        del table["name"]
        return table

    def _rows(self) -> list[str]:
        """The names of the features: of columns, or of what several columns are together."""
        features = self.features
        if self.places is None or len(set(features)) == len(features):
            return list(self._document.table()["name"])
        return [features[place] for place in self.places]

    def _repr_html_(self) -> str:
        table = self._table()
        shown = ["score", "difference", "effect", "probability", "frequency"]
        columns = {"rank": table["rank"], "feature": self._rows()}
        columns |= {name: table[name] for name in shown if name in table} | {"selected": table["selected"]}
        places = slice(None) if self.places is None else self.places
        return _notebook.html(self.answer, columns, table["rank"], self.scores[places], table["selected"])

    def plot(self, kind: str = "auto", ax: Any = None) -> Any:
        """Draws the result with matplotlib.

        Parameters
        ----------
        kind : {"auto", "fit", "volcano", "scores", "stability"}
            The scores with the fitted model, differences against p-values, scores by rank, or how often bootstraps
            chose each feature. "auto" takes the first of stability, fit and scores that the method has.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
        """
        fit, npfs = self.detail.get("fit"), self.detail.get("npfs")
        if kind == "auto":
            kind = "stability" if npfs else "fit" if fit else "scores"
        if kind == "fit" and fit:
            return _notebook.plot_fit(fit, self.scores, ax)
        if kind == "volcano":
            return _notebook.plot_volcano(self._document.table(), ax)
        if kind == "scores":
            return _notebook.plot_scores(self.scores, self.ranking, self.support, ax)
        if kind == "stability" and npfs:
            return _notebook.plot_stability(np.array(npfs["frequency"]), self.support, ax)
        raise ValueError(
            f"`kind` cannot be {kind!r} for this result: it takes 'auto', 'fit', 'volcano', 'scores' or "
            "'stability', as far as the method has them"
        )

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the result as one HTML page, like `--report` of the program.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced. The page works offline.
        """
        write(path, self._document.page())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result as JSON, like `--json` of the program; `tamis report` makes a page of it.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced.
        """
        write(path, self._document.json())


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
