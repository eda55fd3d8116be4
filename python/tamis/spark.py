"""Selection from a Spark DataFrame: every partition is summarised where it is, and the summaries are merged.

Every worker needs the same versions of tamis and pyarrow as the driver.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _pieces
from ._selected import Selected
from ._show import visible

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Selected", "select"]

# bytes of Parquet, decompressed, that a task reads
TASK_BYTES = 128 << 20
# the answer of a partition: its number, the number of the piece, its bytes, or its error
SCHEMA = "partition int, piece int, bytes binary, error string"


@_pieces.of_engine
def select(df: Any) -> Files | Frame:
    """Which columns of a Spark DataFrame matter, and how many: the answer for the whole table.

    All methods read `df` twice: cache a table that is expensive to compute. "snbl" first looks at the target; then
    every row draws null targets by itself, and every partition sends one state of columns × null targets. The answer
    has the bits of `SNBL(null_targets="rows")` on the same rows in memory with the same seed; with ``permutations=0``
    it reads `df` once and takes features as independent. The other methods first find cut points and then apply them.
    The codes, one byte per cell, go to the driver; for "npfs" they are then sent to the workers, which share the
    bootstraps.

    Parameters
    ----------
    df : pyspark.sql.DataFrame or path-like
        Columns of numbers, booleans and strings; a string with up to 64 values is a category. Null and NaN are missing
        values. A path of Parquet files, or of a folder of them, must be readable by the driver and all workers; the
        workers then read the files themselves, which is much faster, because Spark hands columns to Python row by row.
    target : str
        The column to explain: classes or numbers.
    method : {"snbl", "npfs", "pairs", "jmi", "mrmr", "mim", "cmim", "disr", "jmim"}, default="snbl"
        The method of `SNBL`, `NPFS`, `Pairs` or `MutualInformation`.
    weight : str, default=None
        A column of row weights.
    weight_kind : {"importance", "frequency"}, default="importance"
        What they mean: how much a row counts beside others, or how many rows it stands for.
    covariates : str or sequence of str
        Columns that features are adjusted for; text is a factor ("snbl" only).
    positive : default=None
        The positive class of two; None is the last in sorted order.
    task : {"auto", "classes", "real"}, default="auto"
        Whether the target consists of classes or is numeric, as for `SNBL`.
    drop : str or sequence of str
        Columns that are not features.
    keep : str or sequence of str
        Features to select whatever the method finds.
    missing : str or sequence of str
        Texts or numbers that stand for a missing value, like an empty text, "NA", "NaN" and "?".
    seed : int, default=0
    order_by : str, default=None
        A column that orders the rows, such as an id; it is not a feature. The bootstraps of "npfs" depend on the order
        of the rows, which Spark may change from run to run after a shuffle.
    max_codes_bytes : int, default=2**29
        Limit of the codes, rows × features bytes; a larger table is sampled by rows, and a note reports it.
    n_jobs : int, default=1
        Number of threads of a task on a worker.
    **settings
        Parameters of the method, named as in its estimator.

    Returns
    -------
    Selected
        Scores, probabilities and decisions, with ``results_frame()``, ``report(path)`` and ``save(path)``.

    Examples
    --------
    >>> found = tamis.spark.select(spark.read.parquet("table.parquet"), "label")  # doctest: +SKIP
    >>> found.selected  # doctest: +SKIP
    ['g17', 'g3', 'g240']
    """
    try:
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ImportError as error:
        raise ImportError("tamis.spark needs pyspark and pyarrow: pip install 'tamis[spark]'") from error
    return Files(df) if isinstance(df, str | os.PathLike) else Frame(df)


class Spark:
    """Calls run on the driver, and what is spread over the workers in a task for each number."""

    spark: Any
    n_jobs_alone: int | None = -1  # all cores of the driver

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def spread(self, function: Callable[..., bytes], codes: bytes, ranges: list[tuple[int, int]]) -> list[bytes]:
        # Spark sends functions as large as this by a broadcast
        made = self.tasks(len(ranges), lambda at: [function(codes, *ranges[at])])
        return [part for (part,) in made]

    def value(self, given: Any) -> Any:
        return given

    def tasks(self, n: int, make: Callable[[int], list[bytes]], large: bool = False) -> list[list[bytes]]:
        def work(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
            for at in [at for batch in batches for at in batch.column(0).to_pylist()]:
                yield from _rows(at, partial(make, at))

        return _collected(self.spark.range(0, n, 1, n).mapInArrow(work, SCHEMA), large)


class Frame(Spark):
    """A DataFrame; its partitions come through `mapInArrow`."""

    def __init__(self, df: Any) -> None:
        if not hasattr(df, "mapInArrow"):
            raise TypeError(f"a DataFrame of Spark is needed, not {type(df).__name__}")
        self.spark, self.df, self.names = df.sparkSession, df, list(df.columns)

    def unusable(self) -> list[str | None]:
        from pyspark.sql.types import BooleanType, NumericType, StringType

        usable = (BooleanType, NumericType, StringType)
        types = [field.dataType for field in self.df.schema.fields]
        return [None if isinstance(kind, usable) else kind.simpleString() for kind in types]

    def read(self, columns: Sequence[str], order_by: str | None) -> None:
        # by number: a name may have dots, which Spark takes for fields
        plain = {name: f"c{at}" for at, name in enumerate(self.names)}
        df = self.df.toDF(*plain.values())
        if order_by is not None:
            df = df.orderBy(plain[order_by])
        self.columns, self.df = columns, df.select(*[plain[name] for name in columns])

    def partitions(self, step: _pieces.Step, large: bool = False) -> list[list[bytes]]:
        columns = self.columns

        def work(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
            import pyarrow
            from pyspark import TaskContext

            number = TaskContext.get().partitionId()
            named = (pyarrow.RecordBatch.from_arrays(batch.columns, list(columns)) for batch in batches)
            yield from _rows(number, lambda: _pieces.of_partition(step, columns, number, named))

        return _collected(self.df.mapInArrow(work, SCHEMA), large)


class Files(Spark):
    """Parquet files that workers read by themselves, some row groups at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from pyarrow import dataset
        from pyspark.sql import SparkSession

        self.spark = SparkSession.builder.getOrCreate()
        self.table = dataset.dataset(os.fspath(path), format="parquet")
        self.names = list(self.table.schema.names)
        self.pieces = []
        first: Any = None
        for file in self.table.get_fragments():
            first = first or file
            for name in sorted({*file.physical_schema.names} ^ {*first.physical_schema.names}):
                ones = file if name in first.physical_schema.names else first
                raise ValueError(
                    f"`{visible(ones.path)}` lacks column `{visible(name)}`; give all files the same columns"
                )
            together: list[int] = []
            size = 0
            for group in file.row_groups:
                together.append(group.id)
                size += group.total_byte_size
                if size >= TASK_BYTES:
                    self.pieces.append(file.subset(row_group_ids=together))
                    together, size = [], 0
            if together:
                self.pieces.append(file.subset(row_group_ids=together))

    def unusable(self) -> list[str | None]:
        return [None if _pieces.usable(kind) else str(kind) for kind in self.table.schema.types]

    def read(self, columns: Sequence[str], order_by: str | None) -> None:
        if order_by is not None:
            raise ValueError("`order_by` is for DataFrames: files are read in their order")
        self.columns = columns

    def partitions(self, step: _pieces.Step, large: bool = False) -> list[list[bytes]]:
        pieces, columns, schema = self.pieces, self.columns, self.table.schema
        rows = max(_pieces.LEAST_ROWS, _pieces.TOGETHER // (8 * len(columns)))

        def make(at: int) -> list[bytes]:
            read = pieces[at].to_batches(schema=schema, columns=list(columns), batch_size=rows, use_threads=False)
            return _pieces.of_partition(step, columns, at, read)

        return self.tasks(len(pieces), make, large)


def _rows(number: int, work: Callable[[], list[bytes]]) -> Iterator[pyarrow.RecordBatch]:
    """The results of work as rows of `SCHEMA`. Bad data become a row too, as Spark would repeat work that fails."""
    import pyarrow

    types = [pyarrow.int32(), pyarrow.int32(), pyarrow.binary(), pyarrow.string()]
    schema = pyarrow.schema(list(zip(["partition", "piece", "bytes", "error"], types, strict=True)))
    try:
        made: list[tuple[bytes | None, str | None]] = [(piece, None) for piece in work()]
    except ValueError as error:
        made = [(None, str(error))]
    for at, (piece, error_text) in enumerate(made):
        cells = [[number], [at], [piece], [error_text]]
        arrays = [pyarrow.array(cell, of) for cell, of in zip(cells, types, strict=True)]
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _collected(frame: Any, large: bool = False) -> list[list[bytes]]:
    """The bytes that partitions gave, in their order. Of what is large, the driver's JVM holds one partition's."""
    if large:
        frame = frame.persist()
        try:
            frame.count()  # all partitions at once
            rows = [tuple(row) for row in frame.toLocalIterator()]
        finally:
            frame.unpersist()
    else:
        rows = [tuple(row) for row in frame.collect()]
    found: dict[int, list[bytes]] = {}
    for number, _, piece, error in sorted(rows, key=lambda row: row[:2]):
        if error is not None:
            raise ValueError(error)
        found.setdefault(number, []).append(bytes(piece))
    return list(found.values())
