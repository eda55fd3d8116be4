"""Tables with known relations: rings, exclusive ors and sums; noise, stress and power for `dependence`.

Every generator takes a random generator and returns the columns, the classes, and which columns are relevant.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator], Drawn]
Rng = np.random.Generator


def two_classes(rng: Rng, rows: int, share: float = 0.5) -> np.ndarray:
    """Two classes of exactly this share, in random order."""
    return rng.permutation((np.arange(rows) < round(share * rows)).astype(int))


# --- rings, exclusive ors and sums of uniform features ---


def ring(x: np.ndarray, share: float) -> np.ndarray:
    """Whether a point lies between two radii about the centre: this share of the square does."""
    inner = 0.2
    outer = np.sqrt(inner**2 + share / np.pi)
    distance = np.hypot(x[:, 0] - 0.5, x[:, 1] - 0.5)
    return (inner < distance) & (distance < outer)


def exclusive_or(x: np.ndarray) -> np.ndarray:
    return (x[:, 0] - 0.5) * (x[:, 1] - 0.5) > 0


def weighted_sum(x: np.ndarray, share: float) -> np.ndarray:
    """Whether a weighted sum of the features is among the largest, this share of them."""
    total = x @ np.linspace(1, 2, x.shape[1])
    return total > np.quantile(total, 1 - share)


def benchmark(kind: str, rows: int, features: int) -> Draw:
    """Classes by the parts named in `kind`: 1 where any of them holds; the first features belong to the parts."""
    parts = kind.split(" + ")

    def draw(rng: Rng) -> Drawn:
        x = rng.random((rows, features))
        share = {1: 0.45, 2: 0.35, 3: 0.25}[len(parts)]
        holds, at = np.zeros(rows, bool), 0
        for part in parts:
            width = 6 if part == "sum" else 2
            own = x[:, at : at + width]
            if part == "ring":
                holds |= ring(own, share)
            elif part == "xor":
                holds |= exclusive_or(own)
            else:
                holds |= weighted_sum(own, share)
            at += width
        return x, holds.astype(int), np.arange(features) < at

    return draw


# --- noise ---


def blocks(rng: Rng, rows: int, columns: int, rho: float, size: int = 10) -> np.ndarray:
    """Normal columns, correlated by `rho` inside blocks."""
    common = np.repeat(rng.standard_normal((rows, -(-columns // size))), size, axis=1)[:, :columns]
    return np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.standard_normal((rows, columns))


def few_levels(rng: Rng, rows: int, columns: int) -> np.ndarray:
    """Columns of 2 to 10 levels."""
    return np.column_stack([rng.integers(0, rng.integers(2, 11), rows) for _ in range(columns)]).astype(float)


def rare(rng: Rng, rows: int, columns: int, share: float, blocked: bool) -> np.ndarray:
    """0/1 columns with this share of ones, in blocks of common ones if wanted."""
    x = blocks(rng, rows, columns, 0.7) if blocked else rng.standard_normal((rows, columns))
    return (x > np.quantile(x, 1 - share, axis=0)).astype(float)


def noise(rows: int, columns: int, make: Callable[[Rng, int, int], np.ndarray], classes: int = 2, share: float = 0.5) -> Draw:
    def draw(rng: Rng) -> Drawn:
        y = two_classes(rng, rows, share) if classes == 2 else rng.permutation(np.arange(rows) % classes)
        return make(rng, rows, columns), y, np.zeros(columns, bool)

    return draw


def normal(rng: Rng, rows: int, columns: int) -> np.ndarray:
    return rng.standard_normal((rows, columns))


NOISE: dict[str, tuple[Draw, float]] = {  # with the share of tables on which anything may be found
    "100×100 normal": (noise(100, 100, normal), 0.06),
    "100×100 in blocks of 10, ρ = .7": (noise(100, 100, lambda g, n, k: blocks(g, n, k, 0.7)), 0.06),
    "200×200 rare 0/1 (3–15 %)": (
        noise(200, 200, lambda g, n, k: (g.random((n, k)) < g.uniform(0.03, 0.15, k)).astype(float)),
        0.06,
    ),
    "200×120 with 2 to 10 levels": (noise(200, 120, few_levels), 0.06),
    "200×100, one class 10 %": (noise(200, 100, normal, share=0.1), 0.09),
    "150×100, six classes": (noise(150, 100, normal, classes=6), 0.06),
    "100×100, one factor .95": (noise(100, 100, lambda g, n, k: blocks(g, n, k, 0.95, size=k)), 0.06),
    "500×50 uniform": (noise(500, 50, lambda g, n, k: g.random((n, k))), 0.06),
}


# --- five relevant features among hard noise ---

HARD: dict[str, tuple[Callable[[Rng, int, int], np.ndarray], int, float]] = {  # columns, classes, share of the class
    "0/1 of 10 %": (lambda g, n, k: rare(g, n, k, 0.1, False), 2, 0.5),
    "0/1 of 3 %": (lambda g, n, k: rare(g, n, k, 0.03, False), 2, 0.5),
    "0/1 of 10 % in blocks": (lambda g, n, k: rare(g, n, k, 0.1, True), 2, 0.5),
    "0/1 of 3 % in blocks": (lambda g, n, k: rare(g, n, k, 0.03, True), 2, 0.5),
    "few levels": (few_levels, 2, 0.5),
    "few levels, a 10 % class": (few_levels, 2, 0.1),
    "zero-inflated": (lambda g, n, k: np.where(g.random((n, k)) < 0.7, 0.0, g.exponential(size=(n, k))), 2, 0.5),
    "skewed": (lambda g, n, k: np.exp(1.5 * g.standard_normal((n, k))), 2, 0.5),
    "normal in blocks": (lambda g, n, k: blocks(g, n, k, 0.7), 2, 0.5),
    "four classes": (normal, 4, 0.5),
    "a 10 % class": (normal, 2, 0.1),
}
RELEVANT = ("shift 2", "sd × 2.5", "0/1, .3 against .05")


def stress(hard: str, relevant: str, rows: int = 500, columns: int = 100, planted: int = 5) -> Draw:
    make, classes, share = HARD[hard]

    def draw(rng: Rng) -> Drawn:
        y = two_classes(rng, rows, share) if classes == 2 else rng.permutation(np.arange(rows) % classes)
        x, one = make(rng, rows, columns), y[:, None] == 1
        if relevant == "shift 2":
            own = rng.standard_normal((rows, planted)) + 2 * one
        elif relevant == "sd × 2.5":
            own = rng.standard_normal((rows, planted)) * np.where(one, 2.5, 1.0)
        else:
            own = (rng.random((rows, planted)) < np.where(one, 0.3, 0.05)).astype(float)
        x[:, :planted] = own
        return x, y, np.arange(columns) < planted

    return draw


STRESS = {f"{hard}; {relevant}": stress(hard, relevant) for hard, relevant in product(HARD, RELEVANT)}


# --- power ---


def power(rows: int, columns: int = 100) -> Draw:
    """12 shifts of .6 sd, 4 copies (r = .9) of the first four, 2 of 2.2 times the sd, one pair with an exclusive or of which
    10 % of the rows are flipped."""

    def draw(rng: Rng) -> Drawn:
        y = two_classes(rng, rows)
        x = rng.standard_normal((rows, columns))
        x[:, :12] += 0.6 * y[:, None]
        x[:, 12:16] = 0.9 * x[:, :4] + np.sqrt(1 - 0.81) * rng.standard_normal((rows, 4))
        x[:, 16:18] *= np.where(y == 1, 2.2, 1.0)[:, None]
        same = (y == 1) ^ (rng.random(rows) < 0.1)
        x[:, 19] = np.abs(x[:, 19]) * np.sign(x[:, 18]) * np.where(same, 1, -1)
        return x, y, np.arange(columns) < 20

    return draw
