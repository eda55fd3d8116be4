"""Annotated data: a matrix of cells by genes, with what is known of both."""

from __future__ import annotations

from typing import Any

from . import _input
from ._selected import Selected
from ._selectors import SNBL
from ._show import several
from ._sparse import sound


def select(
    adata: Any,
    target: str,
    *,
    layer: str | None = None,
    covariates: list[str] | str | None = None,
    blocks: str | None = None,
    key: str = "tamis",
    **parameters: Any,
) -> Selected:
    """Which genes of an AnnData object matter for a column of its observations, and how many.

    The table of genes is also written to ``adata.var``, in columns that begin with `key`, and the sentence to
    ``adata.uns[key]``.

    Parameters
    ----------
    adata : AnnData
        Cells by genes; a sparse matrix stays sparse.
    target : str
        The column of ``adata.obs`` to explain.
    layer : str, default=None
        The layer that holds the numbers; ``adata.X`` by default. They should be counts that `normalize` makes
        comparable, or normalised already, on a logarithmic scale.
    covariates : list of str or str, default=None
        Columns of ``adata.obs`` that genes are adjusted for.
    blocks : str, default=None
        The column of ``adata.obs`` that says which cells belong together, such as the donor.
    key : str, default="tamis"
        The beginning of the names of the columns that are written.
    **parameters
        Parameters of `SNBL`, such as ``normalize="tmm"`` for counts: genes with too few are left out, and their rows of
        ``adata.var`` are missing.

    Returns
    -------
    Selected
        Scores, probabilities and decisions, with ``results_frame()``, ``report(path)`` and ``plot()``.
    """
    if not all(hasattr(adata, part) for part in ("X", "obs", "var", "var_names")):
        raise TypeError("`adata` is not annotated data; use `SNBL().fit(X, y)` for arrays and frames")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"`adata.layers` has no layer {layer!r}; it has {several(adata.layers)}")
    X = sound(adata.X if layer is None else adata.layers[layer])
    names = [covariates] if isinstance(covariates, str) else list(covariates or [])
    for name in [target, *names, *([blocks] if blocks else [])]:
        if name not in adata.obs:
            raise ValueError(f"`adata.obs` has no column {name!r}; it has {several(adata.obs.columns)}")
    known = adata.obs[target].notna().to_numpy()
    labels, X = adata.obs[target][known], X[known]
    y = labels.astype(str).to_numpy() if str(labels.dtype) == "category" else labels.to_numpy()
    estimator = SNBL(**parameters)
    estimator._feature_names = [str(name) for name in adata.var_names]
    design: dict[str, Any] = {
        "covariates": adata.obs.loc[known, names] if names else None,
        "blocks": None if blocks is None else adata.obs.loc[known, blocks].astype(object).to_numpy(),
    }
    others = [name for name in adata.obs.columns if name not in {target, *names, blocks}]
    samples = (_cells(adata.obs[known], target), [_cells(adata.obs[known], name) for name in others])
    X, y = estimator._validated(X, y)
    compare = _input.compared(estimator.reference, estimator.contrast)
    rows = _input.rows(X, y, names=estimator._names(), task=estimator.task, compare=compare, **design)
    how = _input.how(estimator.n_jobs, estimator.random_state)
    found = Selected.of(estimator._select(rows, how, samples), estimator._names())
    frame = found.results_frame().drop(columns="feature")
    frame.index = found.places
    frame = frame.reindex(range(len(adata.var_names)))  # genes with too few counts have no row
    for column in frame.columns:
        adata.var[f"{key}_{column}"] = frame[column].to_numpy()
    adata.uns[key] = {"sentence": found.sentence, "target": target, "notes": list(found.notes)}
    return found


def _cells(obs: Any, name: str) -> tuple[str, list[str | None]]:
    """A column as text, with its name."""
    known = obs[name].notna()
    return str(name), [str(cell) if there else None for cell, there in zip(obs[name], known, strict=True)]
