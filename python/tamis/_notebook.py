"""Results in notebooks: the answer, the best features, a small picture; plots with matplotlib."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._show import visible

SHOWN = 10
WIDTH, HEIGHT = 360, 90


def html(answer: list[str], columns: dict[str, Any], ranking: NDArray[Any], scores: NDArray[Any], support: Any) -> str:
    """A result as a piece of HTML: the answer, the ten best features, a histogram of the scores."""
    best = np.argsort(ranking)[:SHOWN]
    head = "".join(f"<th>{shown(name)}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell(values[j])}</td>" for values in columns.values()) + "</tr>" for j in best
    )
    more = "".join(f"<br>{shown(sentence)}" for sentence in answer[1:])
    return (
        f"<div><p><b>{shown(answer[0])}</b>{more}</p>{histogram(scores, support)}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def cell(value: Any) -> str:
    """A value as text."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return shown(value)


def shown(text: Any) -> str:
    """Text as a part of HTML, with hidden characters as escapes."""
    return escape(visible(text))


def histogram(scores: NDArray[Any], support: NDArray[np.bool_]) -> str:
    """The scores as bars, those of selected features dark."""
    known = ~np.isnan(scores)
    if known.sum() < 2:
        return ""
    edges = np.histogram_bin_edges(scores[known], bins=45)
    every, _ = np.histogram(scores[known], edges)
    chosen, _ = np.histogram(scores[known & support], edges)
    top, width = np.sqrt(every.max()), WIDTH / len(every)
    bars = []
    for counts, colour in ((every, "#bbb"), (chosen, "#1b6ca8")):
        for j, count in enumerate(counts):
            height = HEIGHT * np.sqrt(count) / top
            bars.append(
                f'<rect x="{j * width:.1f}" y="{HEIGHT - height:.1f}" width="{width - 0.5:.1f}" '
                f'height="{height:.1f}" fill="{colour}"/>'
            )
    label = "Scores of all features (square root of counts); those of selected features are dark"
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{label}">{"".join(bars)}</svg>'


def axes(ax: Any) -> Any:
    """Axes to draw on; matplotlib is needed for new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt.subplots()[1]


def plot_fit(fit: dict[str, Any], scores: NDArray[Any], ax: Any) -> Any:
    """The density of the scores with the fitted model."""
    ax = axes(ax)
    known = scores[~np.isnan(scores)]
    ax.hist(known, bins=80, density=True, color="#ccc", label="scores")
    curve = fit.get("curve") or {}
    if curve.get("z"):
        noise, rest = np.array(curve["irrelevant_density"]), np.array(curve["relevant_density"])
        ax.plot(curve["z"], noise + rest, label="fitted")
        ax.plot(curve["z"], noise, label="of features without an effect")
    ax.set_xlabel("score")
    ax.set_ylabel("density")
    ax.legend()
    return ax


def plot_volcano(table: dict[str, Any], ax: Any) -> Any:
    """Differences against −log10 p, coloured by probability."""
    if "difference" not in table or "p_value" not in table:
        raise ValueError("there are no differences to draw; use kind='scores'")
    ax = axes(ax)
    p = np.maximum(table["p_value"], 1e-300)
    points = ax.scatter(
        table["difference"], -np.log10(p), c=table.get("probability"), s=8, cmap="viridis", vmin=0, vmax=1
    )
    ax.figure.colorbar(points, ax=ax, label="probability of an effect in this direction")
    ax.set_xlabel("difference")
    ax.set_ylabel("−log10 p")
    return ax


def plot_scores(scores: NDArray[Any], ranking: NDArray[Any], support: NDArray[np.bool_], ax: Any) -> Any:
    """Scores by rank, those of selected features dark."""
    ax = axes(ax)
    ax.scatter(ranking[~support], scores[~support], s=6, color="#bbb", label="others")
    ax.scatter(ranking[support], scores[support], s=10, color="#1b6ca8", label="selected")
    ax.set_xlabel("rank")
    ax.set_ylabel("score")
    ax.legend()
    return ax


def plot_stability(frequency: NDArray[Any], support: NDArray[np.bool_], ax: Any) -> Any:
    """How often bootstraps chose each feature, the most frequent first."""
    ax = axes(ax)
    order = np.argsort(-frequency)
    place = np.arange(1, len(order) + 1)
    chosen = support[order]
    ax.vlines(place[~chosen], 0, frequency[order][~chosen], color="#bbb", label="others")
    ax.vlines(place[chosen], 0, frequency[order][chosen], color="#1b6ca8", label="selected")
    ax.set_xlabel("features, the most frequent first")
    ax.set_ylabel("share of the bootstraps that chose it")
    ax.legend()
    return ax
