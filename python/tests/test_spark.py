"""Selection from Spark DataFrames, on a local cluster of two workers. Needs Java."""

import os
import shutil
import sys

import numpy as np
import pandas
import pytest
from partitions import (
    PAIRS,
    SPLITS,
    TABLES,
    check_estimator,
    check_same,
    even,
    mixed,
    of_whole,
    three_classes,
    two_classes,
)

import tamis
import tamis.spark

pytest.importorskip("pyspark", reason="SKIPPED, Spark is not tested: pyspark is not installed")
pyarrow = pytest.importorskip("pyarrow")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("SKIPPED, Spark is not tested: there is no Java", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # two workers, and up to four tries of a task
    builder = SparkSession.builder.master("local[2,4]").appName("tamis")
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1"}
    quiet |= {"spark.sql.shuffle.partitions": "3", "spark.sql.execution.arrow.maxRecordsPerBatch": "50"}
    for key, value in quiet.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def frame_of(spark, parts, of=lambda batches, number: batches):
    """A frame of exactly these partitions, each in two batches; `of` is called with those on a worker."""
    schema = spark.createDataFrame(parts[0].astype(object).where(parts[0].notna(), None)).schema
    arrow = [pyarrow.Table.from_pandas(part, preserve_index=False) for part in parts]

    def read(batches):
        for number in [number for batch in batches for number in batch.column(0).to_pylist()]:
            yield from of(arrow[number].to_batches(max_chunksize=1 + len(arrow[number]) // 2), number)

    return spark.range(0, len(parts), 1, len(parts)).mapInArrow(read, schema)


@pytest.mark.parametrize(("case", "split"), PAIRS)
def test_the_answer_is_that_of_the_whole(spark, case, split, tmp_path):
    make, options, arguments = TABLES[case]
    found = tamis.spark.select(frame_of(spark, SPLITS[split](make())), "label", **options)
    check_same(found, of_whole(make(), arguments, tmp_path))


def test_spark_dask_and_the_estimator_agree(spark):
    dd = pytest.importorskip("dask.dataframe")
    table = three_classes()
    fitted = tamis.SNBL(null_targets="rows").fit(table.drop(columns="label"), table["label"])
    found = tamis.spark.select(frame_of(spark, even(table, 5)), "label")
    other = tamis.dask.select(dd.from_pandas(table, npartitions=4), "label")
    for scores in [found.scores, other.scores]:
        np.testing.assert_allclose(scores, fitted.scores_, rtol=1e-11)
    np.testing.assert_array_equal(found.support, fitted.support_)
    np.testing.assert_array_equal(other.support, fitted.support_)


def test_the_order_of_partitions_changes_no_bit(spark):
    parts = even(two_classes(), 4)
    wanted = tamis.spark.select(frame_of(spark, parts), "label")
    found = tamis.spark.select(frame_of(spark, parts[::-1]), "label")
    np.testing.assert_array_equal(found.scores, wanted.scores)
    np.testing.assert_array_equal(found.probabilities, wanted.probabilities)


def test_a_table_that_was_shuffled(spark, tmp_path):
    table = two_classes()
    frame = frame_of(spark, even(table, 3)).repartition(5).orderBy("g1")
    check_same(tamis.spark.select(frame, "label"), of_whole(table, [], tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("method", "reads"), [("snbl", 1), ("npfs", 2)])
def test_a_killed_worker_changes_nothing(spark, method, reads, tmp_path):
    """All workers are killed midway through the second partition, when it is read for the first or second time."""
    psutil = pytest.importorskip("psutil")
    parts = even(three_classes(), 3)
    folder = str(tmp_path)

    def dying(batches, number):
        yield batches[0]
        unread = [name for name in map(str, range(reads)) if not os.path.exists(os.path.join(folder, name))]
        if number == 1 and unread:
            open(os.path.join(folder, unread[0]), "w").close()
            if len(unread) == 1:
                for worker in psutil.Process(os.getppid()).children():
                    worker.kill()
        yield from batches[1:]

    settings = {} if method == "snbl" else {"n_bootstraps": 10, "k": 3, "permutations": 5}
    wanted = tamis.spark.select(frame_of(spark, parts), "label", method, **settings)
    found = tamis.spark.select(frame_of(spark, parts, dying), "label", method, **settings)
    assert len(list(tmp_path.iterdir())) == reads, "no worker was killed"
    np.testing.assert_array_equal(found.scores, wanted.scores)
    np.testing.assert_array_equal(found.support, wanted.support)


def test_files_that_workers_read_give_the_same(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(tamis.spark, "TASK_BYTES", 1000)  # several tasks a file
    folder = tmp_path / "table"
    folder.mkdir()
    for number, part in enumerate(even(mixed(), 3)):
        part.to_parquet(folder / f"{number}.parquet", index=False, row_group_size=30)
    _, options, arguments = TABLES["mixed"]
    check_same(tamis.spark.select(folder, "label", **options), of_whole(mixed(), arguments, tmp_path))
    table = three_classes()
    table.to_parquet(tmp_path / "one.parquet", index=False, row_group_size=50)
    fitted = tamis.NPFS(k=3, n_bootstraps=20, permutations=10, random_state=0)
    fitted.fit(table.drop(columns="label"), table["label"])
    found = tamis.spark.select(str(tmp_path / "one.parquet"), "label", "npfs", k=3, n_bootstraps=20, permutations=10)
    check_estimator(found, fitted)
    with pytest.raises(ValueError, match="order_by"):
        tamis.spark.select(folder, "label", order_by="count")
    mixed().drop(columns="town").to_parquet(folder / "9.parquet", index=False)
    with pytest.raises(ValueError, match=r"9\.parquet` lacks column `town`"):
        tamis.spark.select(folder, "label")
    mixed().assign(day=pandas.Timestamp("2024-01-01")).to_parquet(tmp_path / "days.parquet")
    with pytest.raises(ValueError, match=r"column `day` is of type timestamp.*drop='day'"):
        tamis.spark.select(tmp_path / "days.parquet", "label")


@pytest.mark.parametrize("criterion", ["jmi", "mrmr"])
def test_filters_are_those_of_the_estimator(spark, criterion):
    table = three_classes()
    fitted = tamis.MutualInformation(criterion, k=4).fit(table.drop(columns="label"), table["label"])
    check_estimator(tamis.spark.select(frame_of(spark, even(table, 3)), "label", criterion, k=4), fitted)


def test_npfs_is_that_of_the_estimator(spark):
    table = two_classes().drop(columns="w")
    npfs = tamis.NPFS(k=3, n_bootstraps=20, permutations=10, random_state=4)
    fitted = npfs.fit(table.drop(columns="label"), table["label"])
    settings = {"k": 3, "n_bootstraps": 20, "permutations": 10, "seed": 4}
    check_estimator(tamis.spark.select(frame_of(spark, even(table, 3)), "label", "npfs", **settings), fitted)
    ids = table.assign(id=np.arange(len(table)))
    shuffled = frame_of(spark, even(ids, 3)).repartition(4)
    check_estimator(tamis.spark.select(shuffled, "label", "npfs", order_by="id", **settings), fitted)


def test_what_does_not_fit_is_sampled_with_a_note(spark):
    table = pandas.concat([three_classes()] * 10)
    frame = frame_of(spark, even(table, 4))
    found = tamis.spark.select(frame, "label", "mim", k=3, max_codes_bytes=len(table) * 6)
    again = tamis.spark.select(frame, "label", "mim", k=3, max_codes_bytes=len(table) * 6)
    assert any("sample" in note for note in found.notes)
    np.testing.assert_array_equal(found.scores, again.scores)
    assert found.selected[0] == "g1"


def test_bad_tables_are_refused(spark):
    from pyspark.sql import functions

    parts = even(two_classes(), 3)
    frame = frame_of(spark, parts)
    day = frame.withColumn("day", functions.current_date())
    with pytest.raises(ValueError, match=r"column `day` is of type date.*drop='day'"):
        tamis.spark.select(day, "label")
    assert tamis.spark.select(day, "label", drop="day").n_selected > 0
    with pytest.raises(ValueError, match="no column `lable`"):
        tamis.spark.select(frame, "lable")
    with pytest.raises(ValueError, match="no rows"):
        tamis.spark.select(frame.filter("g1 > 1000"), "label")
    bad = parts[1].copy()
    bad.loc[bad.index[4], "g1"] = np.inf
    with pytest.raises(ValueError, match="partition 1, row 5, column `g1`: the value is infinite"):
        tamis.spark.select(frame_of(spark, [parts[0], bad, parts[2]]), "label")
    with pytest.raises(TypeError, match="DataFrame of Spark"):
        tamis.spark.select(parts[0], "label")


def test_without_spark_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ImportError, match=r"tamis\[spark\]"):
        tamis.spark.select(None, "label")


def test_a_result_is_a_page_and_a_file(spark, tmp_path):
    found = tamis.spark.select(frame_of(spark, even(mixed(), 2)), "label")
    found.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")
