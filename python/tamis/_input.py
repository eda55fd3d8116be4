"""Arguments of Python in the form the core takes: matrices, targets, settings, threads, seeds."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from . import _core
from ._design import (
    MISSING,
    covariate,
    covariate_columns,
    factor,
    is_categorical,
    is_missing,
    is_numeric,
    one_per_row,
)
from ._show import several, visible

if TYPE_CHECKING:
    from ._core import _Asked, _Compare, _Factor, _How, _Matrix, _Rows
    from ._telling import Say

# text with more values than this is not a category
MOST_CATEGORIES = 64


# of a method that takes values as they are
VALUES: _Asked = {"counts": ("none", 10.0), "second_look": None, "needed": None, "least": 0, "samples": None}


def matrix(X: Any) -> _Matrix:
    """A validated array or sparse matrix as the core reads it; dense arrays are not copied."""
    if sparse.issparse(X):
        if X.format not in ("csc", "csr"):
            X = X.tocsc()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        stored = int(X.indptr[-1])  # scipy may have room for more
        return (
            np.ascontiguousarray(X.data[:stored], dtype=np.float64),
            np.ascontiguousarray(X.indices[:stored], dtype=np.int32),
            np.ascontiguousarray(X.indptr),
            X.shape,
            X.format == "csc",
        )
    dense: NDArray[np.float64] = X
    return dense


def rows(
    X: Any,
    y: NDArray[Any],
    *,
    weights: NDArray[np.float64] | None = None,
    weight_kind: str = "importance",
    names: Any = None,
    task: str | None = None,
    classes: NDArray[Any] | None = None,
    covariates: Any = None,
    blocks: Any = None,
    compare: _Compare | None = None,
    categories: dict[int, _Factor] | None = None,
    feature_groups: Any = None,
    model: tuple[str, str | None] | None = None,
) -> _Rows:
    """Rows to learn from.

    Numbers may be classes or not, by the same rule as in files unless `task` says; two columns, as `survival` returns
    them, are times and events; anything else is classes. With `classes` given, every target is one of them or has no
    weight.
    """
    out: _Rows = {
        "x": matrix(X),
        "numbers": None,
        "codes": None,
        "labels": [],
        "times": None,
        "events": None,
        "task": task,
        "weights": weights,
        "weight_kind": weight_kind,
        "names": unique_names(names),
        "categories": list((categories or {}).items()),
        "covariates": covariate_columns(covariates, X.shape[0]),
        "compare": compare,
        "groups": groups_of_features(feature_groups, X.shape[1], names),
        "model": model,
        "blocks": None if blocks is None else factor(one_per_row(blocks, X.shape[0], "blocks")),
    }
    if model is not None:  # a variable as others, of which some may be missing
        variable = covariate(model[0], y, X.shape[0])
        out["numbers"] = variable["numbers"]
        if variable["levels"] is not None:
            out["codes"], out["labels"] = variable["levels"]["codes"], variable["levels"]["labels"]
        return out
    if y.ndim == 2:
        out["times"] = np.ascontiguousarray(y[:, 0])
        out["events"] = np.ascontiguousarray(y[:, 1])
        return out
    if classes is None:
        y = plain_numbers(y)
        if y.dtype.kind in "biuf":
            out["numbers"] = np.ascontiguousarray(y, dtype=np.float64)
            return out
        classes = np.unique(y if weights is None else y[weights > 0])
    if len(classes) < 2:
        found = "one class" if len(classes) else "no class"
        raise ValueError(f"the target has {found}; at least 2 classes are needed")
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1).astype(np.uint32)
    codes[classes[codes] != y] = MISSING
    out["codes"] = codes
    out["labels"] = [str(c) for c in classes.tolist()]
    return out


def groups_of_features(given: Any, n: int, names: Any) -> list[tuple[str, list[int]]]:
    """Groups by name with the positions of their features, from a dictionary of lists or a label for every feature."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        labels = np.asarray(given, dtype=object)
        if labels.shape != (n,):
            text = (
                f"`feature_groups` has the shape {labels.shape}: it takes one label per feature ({n}), or a dictionary"
            )
            raise ValueError(text)
        found: dict[str, list[int]] = {}
        for at, label in enumerate(labels):
            if not is_missing(label):
                found.setdefault(str(label), []).append(at)
        return list(found.items())
    places = {} if names is None else {str(name): at for at, name in enumerate(names)}

    def place(feature: Any) -> int:
        if isinstance(feature, (bool, np.bool_)):
            raise ValueError("`feature_groups` holds truth values; give the positions with `numpy.flatnonzero(mask)`")
        if isinstance(feature, numbers.Integral) and 0 <= int(feature) < n:
            return int(feature)
        if str(feature) not in places:
            raise ValueError(f"`feature_groups` names {feature!r}, which is no feature")
        return places[str(feature)]

    found_groups = [(str(group), sorted({place(feature) for feature in features})) for group, features in given.items()]
    for group, members in found_groups:
        if not members:
            raise ValueError(f"`feature_groups` has no feature in {group!r}: remove the group")
    return found_groups


def compared(reference: Any, contrast: Any) -> _Compare:
    """The classes to compare, as the core names them."""
    if contrast is not None and (isinstance(contrast, str) or len(contrast) != 2):
        raise ValueError(f"`contrast` cannot be {contrast!r}: it takes two classes, the reference first")
    pair = None if contrast is None else (class_name(contrast[0]), class_name(contrast[1]))
    return {"reference": None if reference is None else class_name(reference), "contrast": pair}


def class_name(label: Any) -> str:
    """A class by the name that the core has for it: whole numbers without a point."""
    if isinstance(label, numbers.Real) and float(label).is_integer():
        return str(int(float(label)))
    return str(label)


def of_formula(formula: str, test: str | None, variables: Any, y: Any) -> tuple[Any, dict[str, Any]]:
    """The variable of a formula that stands for the target, and the others, from a frame or dictionary of variables."""
    if y is not None:
        raise ValueError("`y` is not used with a formula; give its variables as `covariates`, and leave `y` out")
    if not (hasattr(variables, "columns") or isinstance(variables, Mapping)):
        raise ValueError("`formula` needs its variables: pass a frame or a dictionary with them as `covariates`")
    names = [str(name) for name in getattr(variables, "columns", variables)]
    target, others = _core.model_variables(formula, test)
    for name in [target, *others]:
        if name not in names:
            raise ValueError(
                f"`formula` names `{visible(name)}`, which is not among the `covariates`: there are {several(names)}"
            )
    return variables[target], {name: variables[name] for name in others}


def survival(y: Any) -> NDArray[np.float64] | None:
    """Survival times and events (1, 0 or NaN) as two columns; None if the target is something else.

    A structured array of a truth value and a number, in any order, as scikit-survival has them; or two columns, the
    time and the event.
    """
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        kinds = {y.dtype[name].kind: name for name in fields}
        if len(fields) != 2 or "b" not in kinds or len(kinds) != 2 or not kinds.keys() & set("iuf"):
            raise ValueError(
                "a structured `y` needs two fields, one of truth values (the event) and one of numbers (the time)"
            )
        event = kinds.pop("b")
        (time,) = kinds.values()
        return np.column_stack([y[time].astype(np.float64), y[event].astype(np.float64)])
    try:
        shape: tuple[int, ...] = np.shape(y) if isinstance(y, (list, tuple)) else getattr(y, "shape", ())
    except ValueError:  # rows of different lengths, which scikit-learn refuses in its own words
        return None
    if len(shape) != 2 or shape[1] != 2:
        return None
    columns = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    try:
        pairs = columns.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "a `y` of two columns is a time and an event; its cells must be numbers or truth values"
        ) from None
    wrong = np.flatnonzero(~np.isin(pairs[:, 1], [0, 1]) & ~np.isnan(pairs[:, 1]))
    if wrong.size:
        raise ValueError(
            f"the second column of `y` says whether the event happened, 1 or 0; in row {wrong[0] + 1} it is "
            f"{visible(columns[wrong[0], 1])}"
        )
    return pairs


def numeric_frame(X: Any) -> tuple[Any, dict[int, _Factor]]:
    """A data frame whose columns are all numbers, and the columns that are not as categories, by position.

    Text, categories and truth values are categories; dates and nested values are refused. What is no frame with such
    columns comes back as it is.
    """
    if not hasattr(X, "columns") and hasattr(X, "__arrow_c_stream__"):
        import pyarrow

        X = pyarrow.table(X)
    if hasattr(X, "to_pandas") and not hasattr(X, "iloc"):  # polars, pyarrow
        if all(getattr(dtype, "is_numeric", bool)() for dtype in getattr(X, "dtypes", [None])):
            return X, {}
        X = X.to_pandas()
    if not (hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")):
        return X, {}
    found: dict[int, _Factor] = {}
    for at, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        kind = getattr(dtype, "kind", "O")
        if kind in "iuf":
            continue
        values = X.iloc[:, at].astype(object).to_numpy()
        known = [v for v in values.tolist() if not is_missing(v)]
        chosen = kind == "b" or is_categorical(X.iloc[:, at]) or all(isinstance(v, bool) for v in known)
        if not chosen and is_numeric(str(name), values):
            continue  # numbers in a column of objects
        levels = factor(values)
        if len(levels["labels"]) > MOST_CATEGORIES and not is_categorical(X.iloc[:, at]):
            raise ValueError(
                f"column `{visible(name)}` holds text with more than {MOST_CATEGORIES} distinct values; leave it out, "
                "or make it a category"
            )
        found[at] = levels
    if found:
        X = X.copy()
        for at in found:
            X.isetitem(at, 0.0)
    return X, found


def task_of(y: Any, task: str) -> str:
    """The task: a target of a categorical type consists of classes, whatever their names."""
    return "classes" if task == "auto" and is_categorical(y) else task


def plain_numbers(y: NDArray[Any]) -> NDArray[Any]:
    """An array of objects that are all numbers, as numbers."""
    if y.dtype.kind == "O" and all(isinstance(v, numbers.Real) for v in y):
        return y.astype(np.float64)
    return y


def unique_names(names: Any) -> list[str] | None:
    """Names for the core, which finds features by them; none if they do not tell features apart."""
    if names is None:
        return None
    given = [str(name) for name in names]
    return given if len(set(given)) == len(given) else None


def settings(parameters: Mapping[str, Any]) -> str:
    """Parameters as JSON; None leaves the core's default."""
    plain = {}
    for key, value in parameters.items():
        if isinstance(value, np.generic):
            value = value.item()
        if value is None:
            continue
        if not isinstance(value, (bool, int, float, str)) or value != value or value in (float("inf"), -float("inf")):
            raise ValueError(f"`{key}` cannot be {value!r}: it takes a finite number, a text, True or False")
        plain[key] = value
    return json.dumps(plain)


def threads(n_jobs: int | None) -> int:
    """Threads for the core, as joblib counts: None is 1, or what `joblib.parallel_config` says; -1 takes all cores."""
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ValueError(f"`n_jobs` cannot be {n_jobs!r}: it takes None, a positive number, or -1 for all cores")
    wanted = int(joblib.effective_n_jobs(n_jobs))
    # a cluster may have more workers than this machine has cores
    return min(wanted, int(joblib.cpu_count())) if n_jobs is None else wanted


def seed(random_state: Any) -> int:
    """A whole number is the seed itself, as the program's `--seed`; anything else is drawn from."""
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"`random_state` cannot be {random_state}: it takes a whole number of at least 0")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def how(n_jobs: int | None, random_state: Any = 0, say: Say | None = None) -> _How:
    """Threads, seed and where to report."""
    return {"threads": threads(n_jobs), "seed": seed(random_state), "say": say}
