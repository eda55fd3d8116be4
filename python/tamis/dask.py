"""Selection from a Dask DataFrame: every partition is summarised where it is, and the summaries are merged.

Every worker needs the same versions of tamis and pyarrow as the client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _pieces
from ._selected import Selected
from ._show import visible

__all__ = ["Selected", "select"]


@_pieces.of_engine
def select(ddf: Any) -> Dask:
    """Which columns of a Dask DataFrame matter, and how many: the answer for the whole table.

    It runs on the cluster of the current client or, without one, locally. All methods read `ddf` twice: persist a
    table that is expensive to compute. "snbl" first looks at the target; then every row draws null targets by itself,
    and every partition sends one state of columns × null targets. The other methods first find cut points and then
    apply them. The codes, one byte per cell, go to one worker; for "npfs" they
    are then sent to all workers, which share the bootstraps.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        Columns of numbers, booleans and text; text with up to 64 values is a category.
    target, method, weight, weight_kind, covariates, positive, task, drop, keep, missing, seed, max_codes_bytes, \
n_jobs, **settings
        As for `tamis.spark.select`.
    order_by : str, default=None
        A column that orders the rows, such as an id; it is not a feature. The bootstraps of "npfs" depend on the order
        of the rows, which otherwise is that of the partitions.

    Returns
    -------
    Selected
        Scores, probabilities and decisions, with ``results_frame()``, ``report(path)`` and ``save(path)``.

    Examples
    --------
    >>> import dask.dataframe, numpy, pandas, tamis.dask
    >>> rng = numpy.random.default_rng(0)
    >>> table = pandas.DataFrame(rng.standard_normal((400, 50)), columns=[f"g{j}" for j in range(50)])
    >>> table["label"] = numpy.where(table["g3"] + table["g7"] > 0, "ill", "well")
    >>> found = tamis.dask.select(dask.dataframe.from_pandas(table, npartitions=4), "label")
    >>> sorted(found.selected)
    ['g3', 'g7']
    """
    try:
        import dask.dataframe
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError("tamis.dask needs dask and pyarrow: pip install 'tamis[dask]'") from error
    if not isinstance(ddf, dask.dataframe.DataFrame):
        raise TypeError(f"a DataFrame of Dask is needed, not {type(ddf).__name__}")
    return Dask(ddf)


def _usable(dtype: Any) -> bool:
    from pandas import CategoricalDtype
    from pandas.api import types

    number = types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype)
    return number or types.is_string_dtype(dtype) or isinstance(dtype, CategoricalDtype)


class Dask:
    """Everything runs on workers, so that nothing is lost with one of them."""

    n_jobs_alone: int | None = None  # as on the workers

    def __init__(self, ddf: Any) -> None:
        self.ddf, self.names = ddf, [str(name) for name in ddf.columns]

    def unusable(self) -> list[str | None]:
        return [None if _usable(dtype) else str(dtype) for dtype in self.ddf.dtypes]

    def read(self, columns: Sequence[str], order_by: str | None) -> None:
        given = dict(zip(self.names, self.ddf.columns, strict=True))
        if order_by is not None:
            self.ddf = self.ddf.sort_values(given[order_by])
        if len(columns) < len(self.names):
            self.ddf = self.ddf[[given[name] for name in columns]]  # Parquet reads no others then
        self.columns = columns

    def partitions(self, step: _pieces.Step, large: bool = False) -> Any:
        made = self.ddf.map_partitions(_work, step, self.columns, meta=(None, object), enforce_metadata=False)
        return made.to_delayed()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        import dask

        return dask.delayed(function)(*arguments)

    def spread(self, function: Callable[..., bytes], codes: Any, ranges: list[tuple[int, int]]) -> Any:
        return [self.call(function, codes, *some) for some in ranges]

    def value(self, given: Any) -> Any:
        return given.compute()


def _work(
    part: Any, step: _pieces.Step, columns: Sequence[str], partition_info: dict[str, Any] | None = None
) -> list[bytes]:
    """A step on the partition of pandas that a worker has."""
    import pyarrow

    number = 0 if partition_info is None else partition_info["number"]
    try:
        table = pyarrow.Table.from_pandas(part, preserve_index=False, nthreads=1)
    except pyarrow.ArrowException as error:
        said = f"partition {number}: {visible(error)}; give the column one type of values, or leave it out by `drop`"
        raise ValueError(said) from None
    return _pieces.of_partition(step, columns, number, table.to_batches())
