"""Covariates and blocks in the form the core takes: numbers or factors, one value per row of the matrix."""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._show import visible

if TYPE_CHECKING:
    from ._core import _Covariate, _Factor

MISSING = np.iinfo(np.uint32).max
NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def covariate_columns(given: Any, n: int) -> list[_Covariate]:
    """Covariates as the core takes them: from a frame or a dictionary by name, or from an array by column."""
    return [covariate(name, values, n) for name, values in variables(given)]


def variables(given: Any) -> Iterator[tuple[str, Any]]:
    """The columns of what is given, by name."""
    if given is None:
        return
    if hasattr(given, "columns") or isinstance(given, Mapping):
        names = getattr(given, "column_names", getattr(given, "columns", given))  # of pyarrow, of others
        yield from ((str(name), given[name]) for name in names)
        return
    if is_categorical(given):
        yield "covariate 1", given
        return
    # lists keep their numbers beside text
    array = np.asarray(given, dtype=object if isinstance(given, (list, tuple)) else None)
    columns = array.reshape(array.shape[0], -1) if array.ndim else array.reshape(1, 1)
    yield from ((f"covariate {j + 1}", columns[:, j]) for j in range(columns.shape[1]))


def covariate(name: str, given: Any, n: int) -> _Covariate:
    """Categories and text as a factor, numbers as they are; what could be either is refused."""
    categories = is_categorical(given)
    values = one_per_row(given, n, name)
    if not categories and is_numeric(name, values):
        return {"name": name, "numbers": as_numbers(values), "levels": None}
    return {"name": name, "numbers": None, "levels": factor(values)}


def is_categorical(values: Any) -> bool:
    """Whether somebody has said that these are categories: of pandas, polars or pyarrow."""
    kind = getattr(values, "dtype", getattr(values, "type", None))
    return str(kind).split("(")[0].split("<")[0].lower() in ("category", "categorical", "enum", "dictionary")


def is_numeric(name: str, values: NDArray[Any]) -> bool:
    """Whether the values of a variable are numbers rather than the levels of a factor."""
    kind = values.dtype.kind
    if kind in "biuf":
        return True
    known = [value for value in values.tolist() if not is_missing(value)]
    if kind in "mM" or any(isinstance(value, TIMES) or type(value).__name__ == "Period" for value in known):
        raise ValueError(f"`{visible(name)}` holds dates or times; give numbers, such as days since a start")
    if kind in "cV":
        raise ValueError(f"`{visible(name)}` holds values of type {values.dtype}; give numbers or text")
    numeric = [isinstance(value, (numbers.Real, Decimal)) for value in known]
    if all(numeric):
        return True
    if any(numeric):
        raise ValueError(f"`{visible(name)}` holds numbers and text; make it all numbers, or all text")
    if all(isinstance(value, str) and NUMBER.fullmatch(value.strip()) for value in known):
        how = "with a decimal comma" if any("," in value for value in known) else "written as text"
        raise ValueError(
            f"`{visible(name)}` holds numbers {how}; convert them, or say that they are categories: "
            "`pandas.Categorical(…)`"
        )
    return False


def as_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of any type; those that are missing are NaN."""
    if values.dtype.kind == "O":
        values = np.array([np.nan if is_missing(value) else float(value) for value in values.tolist()])
    return np.ascontiguousarray(values, dtype=np.float64)


def is_missing(value: Any) -> bool:
    """Whether a cell has no value: None, NaN, pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def factor(values: NDArray[Any]) -> _Factor:
    """Levels in sorted order, and the level of every row; None and NaN are missing."""
    missing = np.array([is_missing(v) for v in values.tolist()], dtype=bool)
    texts = np.array([str(v) for v in values.tolist()], dtype=object)
    labels = sorted(set(texts[~missing].tolist()))
    place = {label: code for code, label in enumerate(labels)}
    codes = [MISSING if gone else place[text] for text, gone in zip(texts, missing, strict=True)]
    return {"codes": np.array(codes, dtype=np.uint32), "labels": labels}


def one_per_row(values: Any, n: int, name: str) -> NDArray[Any]:
    """One value per row, or an error."""
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.shape != (n,):
        raise ValueError(f"`{visible(name)}` has shape {array.shape}; it needs one value per row, {n}")
    return array


def check_same_rows(X: Any, **given: Any) -> None:
    """Refuses frames whose rows are those of the matrix in another order, or rows of other names."""
    ours = getattr(X, "index", None)
    if ours is None or not hasattr(ours, "equals"):
        return
    for name, one in given.items():
        columns = one.values() if isinstance(one, Mapping) else [one]
        for theirs in (getattr(column, "index", None) for column in columns):
            if theirs is None or not hasattr(theirs, "equals") or len(theirs) != len(ours) or theirs.equals(ours):
                continue
            shared = int(theirs.isin(ours).sum())
            if shared == len(ours):
                problem = "the rows of `X` in another order"
            elif shared and not (_is_counted(ours) or _is_counted(theirs)):
                problem = f"other rows than `X`: {shared} of {len(ours)} have the same name"
            else:
                continue
            raise ValueError(f"`{name}` has {problem}; pass `{name}.loc[X.index]`, or `.to_numpy()` to go by position")


def _is_counted(index: Any) -> bool:
    """Whether rows have no names but their positions."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
