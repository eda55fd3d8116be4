"""Selection from Dask DataFrames, on a cluster of local processes."""

import doctest
import os
import signal
import sys

import numpy as np
import pandas
import pytest
from partitions import (
    CODED,
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
import tamis.dask

pytest.importorskip("pyarrow")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module", autouse=True)
def client():
    here = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**here) as cluster, distributed.Client(cluster) as client:
        yield client


def frame_of(parts, of=lambda part, number: part):
    """A frame of exactly these partitions; `of` is called with each on a worker."""
    meta = parts[0].iloc[:0]

    def part(number):
        return of(parts[number], number)

    return dd.from_map(part, range(len(parts)), meta=meta, enforce_metadata=False)


@pytest.mark.parametrize(("case", "split"), PAIRS)
def test_the_answer_is_that_of_the_whole(case, split, tmp_path):
    make, options, arguments = TABLES[case]
    found = tamis.dask.select(frame_of(SPLITS[split](make())), "label", **options)
    check_same(found, of_whole(make(), arguments, tmp_path))


@pytest.mark.parametrize("case", CODED)
def test_the_answer_on_codes_is_that_of_the_whole(case, tmp_path):
    make, options, arguments = CODED[case]
    table = make()
    table.loc[::11, "label"] = None  # set aside
    found = tamis.dask.select(frame_of(even(table, 4)), "label", **options)
    check_same(found, of_whole(table, arguments, tmp_path))


def test_the_answer_is_that_of_the_estimator():
    table = three_classes()
    fitted = tamis.SNBL(null_targets="rows").fit(table.drop(columns="label"), table["label"])
    found = tamis.dask.select(dd.from_pandas(table, npartitions=5), "label")
    np.testing.assert_array_equal(found.scores, fitted.scores_)
    np.testing.assert_array_equal(found.probabilities, fitted.probabilities_)
    np.testing.assert_array_equal(found.support, fitted.support_)
    assert found.n_selected == fitted.n_selected_ and found.n_expected == pytest.approx(fitted.n_expected_)
    best = found.results_frame().sort_values("rank")
    assert found.selected == best["feature"][best["selected"]].tolist()


def test_the_order_of_partitions_changes_no_bit():
    parts = even(two_classes(), 6)
    wanted = tamis.dask.select(frame_of(parts), "label")
    found = tamis.dask.select(frame_of(parts[::-1]), "label")
    np.testing.assert_array_equal(found.scores, wanted.scores)
    np.testing.assert_array_equal(found.probabilities, wanted.probabilities)


def test_other_schedulers_give_the_same_bits():
    frame = dd.from_pandas(mixed(), npartitions=3)
    wanted = tamis.dask.select(frame, "label")
    for scheduler in ["synchronous", "threads"]:
        with dask.config.set(scheduler=scheduler):
            np.testing.assert_array_equal(tamis.dask.select(frame, "label").scores, wanted.scores)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("method", "reads"), [("snbl", 1), ("npfs", 1), ("npfs", 2)])
def test_a_killed_worker_changes_nothing(method, reads, tmp_path):
    """The worker that reads the third partition for the first or second time is killed."""
    parts = even(three_classes(), 5)

    def dying(part, number):
        read = [(tmp_path / f"read {i}") for i in range(reads)]
        unread = [marker for marker in read if not marker.exists()]
        if number == 2 and unread:
            unread[0].touch()
            if len(unread) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
        return part

    settings = {} if method == "snbl" else {"n_bootstraps": 20, "k": 3, "permutations": 5}
    wanted = tamis.dask.select(frame_of(parts), "label", method, **settings)
    found = tamis.dask.select(frame_of(parts, dying), "label", method, **settings)
    assert len(list(tmp_path.iterdir())) == reads, "no worker was killed"
    np.testing.assert_array_equal(found.scores, wanted.scores)
    np.testing.assert_array_equal(found.support, wanted.support)


@pytest.mark.parametrize("criterion", ["jmi", "mrmr", "mim", "cmim", "disr", "jmim"])
def test_filters_are_those_of_the_estimator(criterion):
    table = three_classes()
    fitted = tamis.MutualInformation(criterion, k=4, bins=6).fit(table.drop(columns="label"), table["label"])
    check_estimator(tamis.dask.select(frame_of(even(table, 4)), "label", criterion, k=4, bins=6), fitted)


@pytest.mark.parametrize("null", [{"permutations": 10}, {"null": "binomial"}, {"null": "binomial", "early_stop": True}])
def test_npfs_is_that_of_the_estimator(null):
    table = two_classes().drop(columns="w")
    npfs = tamis.NPFS(k=3, n_bootstraps=30, random_state=4, **null)
    fitted = npfs.fit(table.drop(columns="label"), table["label"])
    settings = {"k": 3, "n_bootstraps": 30, "seed": 4, **null}
    check_estimator(tamis.dask.select(frame_of(even(table, 4)), "label", "npfs", **settings), fitted)
    shuffled = table.assign(id=np.arange(len(table))).sample(frac=1, random_state=2)
    check_estimator(tamis.dask.select(frame_of(even(shuffled, 3)), "label", "npfs", order_by="id", **settings), fitted)


def test_what_does_not_fit_is_sampled_with_a_note():
    table = pandas.concat([three_classes()] * 10)
    all_rows = len(table) * 12
    found = tamis.dask.select(frame_of(even(table, 4)), "label", "mim", k=3, max_codes_bytes=all_rows // 2)
    again = tamis.dask.select(frame_of(even(table, 4)), "label", "mim", k=3, max_codes_bytes=all_rows // 2)
    whole = tamis.dask.select(frame_of(even(table, 4)), "label", "mim", k=3)
    assert any("sample" in note for note in found.notes) and not any("sample" in note for note in whole.notes)
    np.testing.assert_array_equal(found.scores, again.scores)
    assert (found.scores != whole.scores).any()
    assert found.selected[0] == whole.selected[0] == "g1"


def test_partitions_of_other_columns_are_refused():
    table = two_classes()
    parts = even(table, 3)
    with pytest.raises(ValueError, match="partition 1: it lacks column `g2`"):
        tamis.dask.select(frame_of([parts[0], parts[1].drop(columns="g2"), parts[2]]), "label")
    with pytest.raises(ValueError, match="partition 2: the table does not have its column `more`"):
        tamis.dask.select(frame_of([*parts[:2], parts[2].assign(more=1.0)]), "label")
    other_order = [parts[0], parts[1][parts[1].columns[::-1]], parts[2]]
    wanted = tamis.dask.select(frame_of(parts), "label")
    np.testing.assert_array_equal(tamis.dask.select(frame_of(other_order), "label").scores, wanted.scores)


def test_what_cannot_be_used_is_said_before_anything_is_read():
    def never(part, number):
        raise AssertionError("a partition was read")

    table = two_classes().assign(day=pandas.Timestamp("2024-01-01"), z=1j)
    frame = frame_of(even(table, 2), never)
    usable = {"drop": ["day", "z"]}
    for options, message in [
        ({}, "column `day` is of type datetime64.*drop='day'"),
        ({"drop": "day"}, "column `z` is of type complex"),
        ({"target": "lable"}, "no column `lable`; there are `g0`"),
        ({"drop": "g99"}, "no column `g99`"),
        ({"keep": "w", "weight": "w"}, "`w` cannot be kept"),
        ({"drop": "label"}, "is the target"),
        ({"method": "pfcvm-lp", **usable}, "`method` cannot be 'pfcvm-lp'.*snbl, npfs, pairs, jmi"),
        ({"method": "npfs", "base": "fisher", **usable}, "`base` cannot be 'fisher'"),
        ({"method": "jmi", "discretise": "deep", **usable}, "`discretise` takes"),
        ({"prior": "flat", **usable}, "`prior` cannot be"),
        ({"task": "clases", **usable}, "`task` cannot be clases"),
    ]:
        with pytest.raises(ValueError, match=message):
            tamis.dask.select(frame, **{"target": "label", **options})
    with pytest.raises(TypeError, match="scroe"):
        tamis.dask.select(frame, "label", scroe="welch", **usable)
    with pytest.raises(TypeError, match="random_state"):
        tamis.dask.select(frame, "label", "npfs", random_state=1, **usable)
    with pytest.raises(TypeError, match="DataFrame of Dask"):
        tamis.dask.select(table, "label")


def test_bad_values_are_said_with_their_partition():
    parts = even(two_classes(), 3)
    bad = parts[1].copy()
    bad.loc[bad.index[4], "g1"] = np.inf
    with pytest.raises(ValueError, match="partition 1, row 5, column `g1`: the value is infinite"):
        tamis.dask.select(frame_of([parts[0], bad, parts[2]]), "label")
    odd = parts[1].assign(g1=[1.0] + ["a"] * (len(parts[1]) - 1))
    with dask.config.set({"dataframe.convert-string": False}), pytest.raises(ValueError, match=r"partition 1: .*g1"):
        tamis.dask.select(frame_of([parts[0], odd, parts[2]]), "label")
    with pytest.raises(ValueError, match=r"`g1`: it holds text .*`missing='a'`"):
        tamis.dask.select(frame_of([parts[0], parts[1].assign(g1="a"), parts[2]]), "label")
    with pytest.raises(ValueError, match="no rows"):
        tamis.dask.select(frame_of([part.iloc[:0] for part in parts]), "label")
    with pytest.raises(ValueError, match="one value only, `ill`"):
        tamis.dask.select(frame_of([part[part["label"] == "ill"] for part in parts]), "label")


def test_scores_that_need_whole_columns_are_refused():
    with pytest.raises(ValueError, match="`statistic` cannot be mann-whitney"):
        tamis.dask.select(frame_of(even(two_classes(), 2)), "label", statistic="mann-whitney")


def test_a_result_is_a_page_and_a_file(tmp_path):
    found = tamis.dask.select(dd.from_pandas(mixed(), npartitions=2), "label")
    found.report(tmp_path / "report.html")
    found.save(tmp_path / "result.json")
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")
    assert len(pandas.read_json(tmp_path / "result.json", orient="index").loc["features", 0]) == 6
    assert "of 6 features" in repr(found)


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r"tamis\[dask\]"):
        tamis.dask.select(None, "label")


def test_the_example_of_the_docstring():
    found = doctest.testmod(tamis.dask)
    assert found.attempted > 0 and found.failed == 0
