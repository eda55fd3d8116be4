"""Annotated data: a matrix of cells by genes, with what is known of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _input
from ._selected import Selected
from ._selectors import SNBL

LOOK_LIKE_COUNTS = "these are whole numbers of at least 0: if they are counts, pass normalize='tmm'; if not, 'none'"


def select(
    adata: Any,
    target: str,
    *,
    layer: str | None = None,
    covariates: list[str] | str | None = None,
    blocks: str | None = None,
    normalize: str | None = None,
    min_count: float = 10.0,
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
    normalize : {"logcpm", "tmm"}, default=None
        How counts are made comparable between samples. Where the target is constant inside every block, the counts of a
        block are summed before. Genes with too few counts are left out, and their rows of ``adata.var`` are missing.
    min_count : float, default=10
        With `normalize`: a gene is used if enough samples have at least this count.
    key : str, default="tamis"
        The beginning of the names of the columns that are written.
    **parameters
        Parameters of `SNBL`.

    Returns
    -------
    Selected
        Scores, probabilities and decisions, with ``results_frame()``, ``report(path)`` and ``plot()``.
    """
    if not all(hasattr(adata, part) for part in ("X", "obs", "var", "var_names")):
        raise TypeError("`adata` is not annotated data; use `SNBL().fit(X, y)` for arrays and frames")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"`adata.layers` has no layer {layer!r}; it has {', '.join(map(str, adata.layers))}")
    X = adata.X if layer is None else adata.layers[layer]
    names = [covariates] if isinstance(covariates, str) else list(covariates or [])
    for name in [target, *names, *([blocks] if blocks else [])]:
        if name not in adata.obs:
            known = ", ".join(map(str, adata.obs.columns))
            raise ValueError(f"`adata.obs` has no column {name!r}; it has {known}")
    known = adata.obs[target].notna().to_numpy()
    labels, X = adata.obs[target][known], X[known]
    y = labels.astype(str).to_numpy() if str(labels.dtype) == "category" else labels.to_numpy()
    estimator = SNBL(**parameters)
    estimator._feature_names = [str(name) for name in adata.var_names]
    design = {
        "covariates": adata.obs.loc[known, names] if names else None,
        "blocks": None if blocks is None else adata.obs.loc[known, blocks].astype(str).to_numpy(),
    }
    if normalize in (None, "none"):
        found = estimator.fit(X, y, **design).result_
    else:
        found = _from_counts(estimator, X, y, (normalize, min_count), design)
    if normalize is None and _are_counts(X):
        found.notes.insert(0, LOOK_LIKE_COUNTS)
    found.notes[:0] = _notes_on_unused(adata.obs[known], target, {*names, blocks})
    frame = found.results_frame().set_index("feature")
    if len(frame) < len(adata.var_names):  # genes with too few counts have no row
        frame = frame[~frame.index.duplicated()].reindex([str(name) for name in adata.var_names])
    for column in frame.columns:
        adata.var[f"{key}_{column}"] = frame[column].to_numpy()
    adata.uns[key] = {"sentence": found.sentence, "target": target, "notes": list(found.notes)}
    return found


def _from_counts(estimator: SNBL, X: Any, y: Any, counts: tuple[str, float], design: dict[str, Any]) -> Selected:
    """A selection from counts that the core normalises."""
    X, y = estimator._validated(X, y)
    compare = _input.compared(estimator.reference, estimator.contrast)
    rows = _input.rows(X, y, names=estimator._names(), task=estimator.task, compare=compare, **design)
    how = _input.how(estimator.n_jobs, estimator.random_state)
    found, features = _core.select_counts(estimator._settings(), rows, counts, how)
    return Selected.of(found, features)


def _are_counts(X: Any) -> bool:
    """Whether a matrix of many columns holds whole numbers of at least 0, more than a few of them large."""
    values = np.asarray(X.data if hasattr(X, "tocsr") else X)
    if X.shape[1] < 20 or not np.issubdtype(values.dtype, np.number) or values.size == 0:
        return False
    return bool((values >= 0).all() and (values == np.floor(values)).all() and values.max() > 2)


def _notes_on_unused(obs: Any, target: str, used: set[str | None]) -> list[str]:
    """A note on every column that nobody asked for and whose values each stand with one value of the target only."""
    notes = []
    classes = obs[target].nunique()
    for name in obs.columns:
        values = obs[name].nunique()
        if name == target or name in used or not classes < values <= len(obs) // 2 or obs[name].isna().any():
            continue
        if (obs.groupby(name, observed=True)[target].nunique() == 1).all():
            notes.append(
                f"`{name}` is not used: it has {values} values for {len(obs)} samples, each with one {target!r} only; "
                f"samples that share one are hardly independent: pass blocks={name!r} if they come from it"
            )
    return notes[:3]
