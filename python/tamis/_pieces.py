"""A table whose partitions an engine holds: the part that Spark and Dask have in common.

An engine runs steps on partitions, which give a few bytes each, and calls functions with what they gave. Workers import
this module and the core, and nothing that is slow to import.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any, Protocol

from . import _core
from ._show import several, visible

if TYPE_CHECKING:
    import pyarrow

    from ._core import _How
    from ._selected import Selected

    # some rows of a partition as an Arrow stream, and how many
    Rows = Iterator[tuple[bytes, int]]
    Step = Callable[[int, Rows], list[bytes]]

# bytes that a call of the core gets at once: enough that calls cost little, few enough for the cache
TOGETHER = 4 << 20
# but not fewer rows than this where there are more: every slice of a column is merged with what came before
LEAST_ROWS = 1024
# codes that go to every worker, in bytes: below what Spark's driver takes by default
MAX_CODES_BYTES = 1 << 29
# fewer rows say nothing about a table
FEWEST_SAMPLED = 100
# most tasks that bootstraps are spread over
MOST_TASKS = 64


@dataclass(frozen=True)
class Job:
    """A method, its settings and the table to read, in the form in which workers get them."""

    method: str
    settings: str
    reading: str
    columns: tuple[str, ...]
    keep: tuple[str, ...]
    seed: int
    # threads of a step, and of a call
    how: _How
    alone: _How
    discretise: str
    bins: int
    in_one: bool
    max_codes_bytes: int

    # steps: on one partition, whose rows come as Arrow streams

    def sums(self, number: int, rows: Rows) -> list[bytes]:
        """The state of a partition, for snbl."""
        return _read(_core.Shard(self.reading, self.settings, self.seed), rows, self.how)

    def profile(self, number: int, rows: Rows) -> list[bytes]:
        """The profile of a partition's target, for snbl."""
        return _read(_core.Profile(self.reading, self.settings, self.seed), rows, self.how)

    def row_sums(self, profile: bytes, number: int, rows: Rows) -> list[bytes]:
        """The state of a partition whose rows draw null targets, for snbl."""
        return _read(_core.RowShard(self.reading, self.settings, self.seed, profile), rows, self.how)

    def edges(self, number: int, rows: Rows) -> list[bytes]:
        """Where the columns of a partition can be cut."""
        return _read(_core.Edges(self.reading, self.discretise, self.seed), rows, self.how)

    def codes(self, codings: bytes, share: float | None, number: int, rows: Rows) -> list[bytes]:
        """The rows of a partition as codes, or a share of them."""
        blocks = []
        before = 0
        for arrow, count in rows:
            sample = None if share is None else (share, number, before)
            blocks.append(_core.code_rows(codings, self.reading, arrow, self.how, sample))
            before += count
        return blocks

    def bootstraps(self, codes: bytes, start: int, stop: int) -> bytes:
        """The choices of some bootstraps."""
        return _core.npfs_part(self.settings, codes, start, stop, self.how).encode()

    # calls: once, with what the steps gave

    def sum_up(self, states: Sequence[list[bytes]]) -> dict[str, Any]:
        """The answer of all states."""
        return _core.shard_answer(_all(states), self.keep, self.alone)

    def profile_all(self, profiles: Sequence[list[bytes]]) -> bytes | None:
        """The profile of the whole table; None where rows draw no null targets."""
        whole = _core.Profile(self.reading, self.settings, self.seed)
        return whole.merged(_all(profiles), self.alone)

    def answer_rows(self, states: Sequence[list[bytes]]) -> dict[str, Any]:
        """The answer of all states of rows that drew null targets."""
        return _core.row_answer(self.settings, _all(states), self.keep, self.alone)

    def codings(self, edges: Sequence[list[bytes]]) -> bytes:
        """How all rows are turned into codes."""
        return _core.edges_codings(_all(edges), self.bins, self.alone)

    def join(self, codings: bytes, blocks: Sequence[list[bytes]]) -> bytes:
        """The codes of all rows, in the order of the partitions."""
        return _core.codes_join(codings, _all(blocks), self.max_codes_bytes, self.alone)

    def choose(self, codes: bytes) -> dict[str, Any]:
        """The answer of one machine."""
        return _core.codes_select(self.method, self.settings, codes, self.keep, self.alone)

    def decide(self, codes: bytes, parts: Sequence[bytes]) -> dict[str, Any]:
        """The answer of all bootstraps."""
        texts = [part.decode() for part in parts]
        return _core.npfs_answer(self.settings, codes, texts, self.keep, self.alone)


class Engine(Protocol):
    """The holder of the partitions. Its answers may be promises of values that are not computed yet."""

    names: Sequence[str]
    # threads of what runs once; None: as many as a step has
    n_jobs_alone: int | None

    def unusable(self) -> list[str | None]:
        """For every column None, or the name of its type if that cannot be used."""

    def read(self, columns: Sequence[str], order_by: str | None) -> None:
        """Says which columns will be read, and in which order rows are."""

    def partitions(self, step: Step, large: bool = False) -> Any:
        """Runs a step on every partition and gives the results in their order; `large` if they are more than states."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function once."""

    def spread(self, function: Callable[..., bytes], codes: Any, ranges: list[tuple[int, int]]) -> Any:
        """Calls a function with the codes and each of the ranges."""

    def value(self, given: Any) -> Any:
        """The value that was promised."""


def of_engine(opened: Callable[[Any], Engine]) -> Callable[..., Selected]:
    """`select` on what a function opens: its documentation and first argument, and the others of `plan`."""
    (table,), others = signature(opened).parameters.values(), [*signature(plan).parameters.values()][1:]
    shown = Signature([table, *others], return_annotation="Selected")

    @wraps(opened)
    def select(*given: Any, **named: Any) -> Selected:
        from ._selected import Selected

        arguments = shown.bind(*given, **named).arguments
        engine, settings = opened(arguments.pop(table.name)), arguments.pop("settings", {})
        job = plan(engine, **arguments, **settings)
        engine.read(job.columns, arguments.get("order_by"))
        start = time.perf_counter()
        found = _run(job, engine)
        # the time in the result is that of the whole
        document = found["document"].timed(time.perf_counter() - start)
        return Selected.of(found | {"document": document}, found["names"])

    select.__signature__ = shown  # type: ignore[attr-defined]
    return select


def _run(job: Job, engine: Engine) -> Any:
    if job.method == "snbl":
        if _core.Profile(job.reading, job.settings, job.seed).draws_by_row():
            profile = engine.value(engine.call(job.profile_all, engine.partitions(job.profile)))
            if profile is not None:
                states = engine.partitions(partial(job.row_sums, profile))
                return engine.value(engine.call(job.answer_rows, states))
        return engine.value(engine.call(job.sum_up, engine.partitions(job.sums)))
    codings = engine.value(engine.call(job.codings, engine.partitions(job.edges)))
    rows, features = _core.codings_size(codings)
    if job.max_codes_bytes // max(1, features) < min(rows, FEWEST_SAMPLED):
        raise ValueError(
            f"`max_codes_bytes` cannot be {job.max_codes_bytes}: a sample of {FEWEST_SAMPLED} rows of {features} "
            f"features takes {FEWEST_SAMPLED * features}"
        )
    share = job.max_codes_bytes / (rows * features) if rows * features > job.max_codes_bytes else None
    codes = engine.call(job.join, codings, engine.partitions(partial(job.codes, codings, share), large=True))
    if job.in_one:
        return engine.value(engine.call(job.choose, codes))
    bootstraps, _ = _core.npfs_plan(job.settings)
    step = -(-bootstraps // MOST_TASKS)
    ranges = [(start, min(start + step, bootstraps)) for start in range(0, bootstraps, step)]
    return engine.value(engine.call(job.decide, codes, engine.spread(job.bootstraps, codes, ranges)))


def of_partition(
    step: Step, columns: Sequence[str], number: int, batches: Iterable[pyarrow.RecordBatch]
) -> list[bytes]:
    """Runs a step on a partition; what is wrong with it is said with its number."""
    try:
        return step(number, _streams(batches, columns))
    except ValueError as error:
        raise ValueError(str(error).replace("`a partition`", f"partition {number}", 1)) from None


def _streams(batches: Iterable[pyarrow.RecordBatch], columns: Sequence[str]) -> Rows:
    """The columns of batches as Arrow streams of a few MB: small batches together, large ones in slices."""
    together: list[pyarrow.RecordBatch] = []
    size = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        if batch.schema.names != list(columns):
            _check_columns(batch.schema.names, columns)
            batch = batch.select(list(columns))
        most = max(LEAST_ROWS, TOGETHER * batch.num_rows // max(1, batch.nbytes))
        for start in range(0, batch.num_rows, most):
            together.append(batch.slice(start, most))
            size += together[-1].nbytes
            if size >= TOGETHER:
                yield _stream(together)
                together, size = [], 0
    if together:
        yield _stream(together)


def _stream(batches: list[pyarrow.RecordBatch]) -> tuple[bytes, int]:
    import pyarrow

    out = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(out, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return out.getvalue().to_pybytes(), sum(batch.num_rows for batch in batches)


def _check_columns(found: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuses a partition that has not the columns of the table."""
    for name in sorted({*found} ^ {*wanted}):
        differs = "it lacks column" if name in wanted else "the table does not have its column"
        raise ValueError(f"`a partition`: {differs} `{visible(name)}`; give all partitions the same columns")


def _read(into: _core.Shard | _core.Profile | _core.RowShard | _core.Edges, rows: Rows, how: _How) -> list[bytes]:
    for arrow, _ in rows:
        into.update(arrow, how)
    found = into.bytes()
    return [] if found is None else [found]


def _all(of_partitions: Sequence[list[bytes]]) -> list[bytes]:
    found = [one for some in of_partitions for one in some]
    if not found:
        raise ValueError("the table has no rows")
    return found


def usable(kind: pyarrow.DataType) -> bool:
    """Whether a column of this type of Arrow can be a feature."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return usable(kind.value_type)
    numbers = [types.is_integer, types.is_floating, types.is_decimal, types.is_boolean]
    return any(of(kind) for of in [*numbers, types.is_string, types.is_large_string, types.is_null])


def plan(
    engine: Engine,
    target: str,
    method: str = "snbl",
    *,
    weight: str | None = None,
    weight_kind: str = "importance",
    covariates: str | Sequence[str] = (),
    positive: Any = None,
    task: str = "auto",
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing: str | Sequence[str] = (),
    seed: int = 0,
    order_by: str | None = None,
    max_codes_bytes: int = MAX_CODES_BYTES,
    n_jobs: int = 1,
    **settings: Any,
) -> Job:
    """Checks everything that can be checked before a partition is read."""
    from . import _input

    columns = engine.names
    known = dict(zip(columns, engine.unusable(), strict=True))
    if len(known) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise ValueError(f"two columns are called `{visible(twice)}`; rename one")
    drop, keep, missing, covariates = _several(drop), _several(keep), _several(missing), _several(covariates)
    if covariates and method != "snbl":
        raise ValueError('`covariates` are for "snbl": other methods do not adjust features')
    left_out = [
        target,
        *([] if weight is None else [weight]),
        *covariates,
        *drop,
        *([] if order_by is None else [order_by]),
    ]
    for name in [*left_out, *keep]:
        if name not in known:
            raise ValueError(f"there is no column `{visible(name)}`; there are {several(columns)}")
    if target in left_out[1:]:
        raise ValueError(
            f"column `{visible(target)}` is the target and cannot be the weight, the order, a covariate, or dropped"
        )
    features = {*columns} - {*left_out}
    if not features:
        raise ValueError("there is no feature besides the target; add columns")
    for name in keep:
        if name not in features:
            raise ValueError(f"column `{visible(name)}` cannot be kept: it is not a feature")
    read = tuple(name for name in columns if name in (target, weight, *covariates) or name in features)
    for name in read:
        if known[name] is not None:
            raise ValueError(
                f"column `{visible(name)}` is of type {known[name]}, which is neither a number nor text; pass "
                f"`drop={name!r}` to leave it out, or convert it"
            )
    reading = {
        "target": target,
        "weight": weight,
        "weight_kind": weight_kind,
        "covariates": covariates,
        "positive": None if positive is None else str(positive),
        "task": task,
        "drop": [],
        "missing": [str(text) for text in missing],
    }
    job = Job(
        reading=json.dumps(reading),
        columns=read,
        keep=tuple(keep),
        seed=_input.seed(seed),
        how=_input.how(n_jobs, seed),
        alone=_input.how(n_jobs if engine.n_jobs_alone is None else engine.n_jobs_alone, seed),
        max_codes_bytes=max_codes_bytes,
        **_of_method(method, settings),
    )
    # the core refuses wrong settings here
    if method == "snbl":
        if not _core.Profile(job.reading, job.settings, job.seed).draws_by_row():
            _core.Shard(job.reading, job.settings, job.seed)
    else:
        _core.Edges(job.reading, job.discretise, job.seed)
    return job


def _of_method(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a method, which are those of its estimator."""
    from ._base import OWN
    from ._pairs import Pairs
    from ._selectors import CRITERIA, NPFS, SNBL, MutualInformation

    for name in OWN & given.keys():
        raise TypeError(f"`{name}` is not a setting here; pass `seed`, `task` or `n_jobs`")
    if method == "snbl":
        return {"method": method, "settings": SNBL(**given)._settings(), "discretise": "", "bins": 0, "in_one": True}
    if method == "pairs":
        pairs = Pairs(**given)
        settings = pairs._settings()
        return {"method": method, "settings": settings, "discretise": "frequency", "bins": pairs.bins, "in_one": True}
    if method != "npfs" and method not in CRITERIA:
        takes = ", ".join(["snbl", "npfs", "pairs", *CRITERIA])
        raise ValueError(f"`method` cannot be {method!r}: for a table in partitions it takes {takes}")
    made: NPFS | MutualInformation
    in_one = True
    if method == "npfs":
        made = npfs = NPFS(**given)
        if npfs.base not in CRITERIA:
            takes = ", ".join(CRITERIA)
            raise ValueError(f"`base` cannot be {npfs.base!r}: for a table in partitions it takes {takes}")
        in_one = npfs.early_stop  # which looks at one bootstrap after the other
    else:
        made = MutualInformation(method, **given)
    return {
        "method": method,
        "settings": made._settings(),
        "discretise": made.discretise,
        "bins": made.bins,
        "in_one": in_one,
    }


def _several(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
