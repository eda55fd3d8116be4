"""Sparse matrices whose index arrays fit: scipy's compiled code trusts them, and so they are looked at first."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# the largest index that the core takes
MOST = int(np.iinfo(np.int32).max)


def sound(X: Any) -> Any:
    """The matrix once every index is known to lie inside it; what is not sparse comes back as it is.

    scipy reads and writes where the indices say, without a look at the size: a single wrong one ends the interpreter.
    """
    if not sparse.issparse(X):
        return X
    if X.format in ("lil", "dok"):  # lists and dictionaries, which Python checks itself
        X = X.tocoo()
    if X.format in ("csc", "csr"):
        lines, length = X.shape if X.format == "csr" else X.shape[::-1]
        _check_lines(X.indptr, X.indices, lines, length, np.shape(X.data)[:1])
    elif X.format == "bsr":
        down, across = X.blocksize
        _check_lines(X.indptr, X.indices, X.shape[0] // down, X.shape[1] // across, np.shape(X.data)[:1])
        _require(np.shape(X.data)[1:] == (down, across))
    elif X.format == "coo":
        places = X.coords if hasattr(X, "coords") else (X.row, X.col)
        _require(len(places) == len(X.shape))
        for at, limit in zip(places, X.shape, strict=True):
            _require(np.shape(at) == np.shape(X.data))
            _check_below(at, limit)
    elif X.format == "dia":
        _require(np.ndim(X.data) == 2 and np.shape(X.offsets) == np.shape(X.data)[:1])
    if max(X.shape) > MOST:
        raise ValueError(f"the sparse matrix has the shape {X.shape}: more than {MOST} rows or columns")
    return X


def _check_lines(starts: Any, places: Any, lines: int, length: int, stored: tuple[int, ...]) -> None:
    """The three arrays of a matrix by rows or columns."""
    _require(np.ndim(places) == 1 and np.shape(starts) == (lines + 1,) and starts.dtype.kind in "iu")
    _require(starts[0] == 0 and bool(np.all(starts[:-1] <= starts[1:])))
    _require(int(starts[-1]) <= len(places) and (int(starts[-1]),) <= stored)
    _check_below(places[: int(starts[-1])], length)


def _check_below(places: Any, limit: int) -> None:
    _require(places.dtype.kind in "iu")
    _require(places.size == 0 or (int(places.min()) >= 0 and int(places.max()) < limit))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError(
            "the sparse matrix is damaged: its index arrays do not fit its shape; build it again from its entries"
        )
