"""Arrays, threads, processes and pickles that were made to do harm: an exception, never a crash or a wrong answer."""

import contextlib
import json
import multiprocessing
import pathlib
import pickle
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from scipy import sparse
from sklearn.base import clone

import tamis
from tamis import _core

ESTIMATORS = [
    tamis.SNBL(),
    tamis.MutualInformation(k=3),
    tamis.NPFS(k=3, n_bootstraps=5, random_state=0),
    tamis.ShrunkenDLDA(),
    tamis.PCVM(random_state=0),
]

named = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


class Liar:
    """Says that it is an array of another shape than it is."""

    shape = (1000, 1000)
    dtype = np.dtype(float)
    ndim = 2

    def __len__(self):
        return 1000

    def __array__(self, dtype=None, copy=None):
        raise MemoryError("no array after all")


@named
def test_arrays_that_are_none_raise(estimator):
    y = np.arange(20) % 2
    arrays = [
        np.empty((0, 3)),
        np.empty((20, 0)),
        np.empty((20, 3, 2)),
        np.float64(3),
        np.full((20, 3), np.inf),
        np.full((20, 3), 1e305) * np.where(np.arange(3) == 1, -1, 1),
        np.zeros((20, 3), dtype=complex),
        np.array([[object()] * 3] * 20),
        np.array([["a", "b", "c"]] * 20),
        np.zeros((20, 3), dtype="datetime64[s]"),
        np.zeros(20, dtype=[("a", float), ("b", int)]),
        None,
        "text",
        Liar(),
    ]
    for X in arrays:
        with pytest.raises((ValueError, TypeError, MemoryError)):
            clone(estimator).fit(X, y)


def damaged_matrices():
    """Sparse matrices whose index arrays lie: scipy follows them out of its memory."""
    X = np.round(np.random.default_rng(0).standard_normal((20, 6)))
    for kind in ["csr", "csc", "bsr"]:
        for part, at, value in [
            ("indptr", 3, 10**8),
            ("indptr", -1, 10**8),
            ("indptr", 3, -5),
            ("indptr", 0, 2),
            ("indices", 2, 10**8),
            ("indices", 2, -1),
        ]:
            matrix = sparse.csr_matrix(X).asformat(kind)
            getattr(matrix, part)[at] = value
            yield matrix
    for part, value in [("row", 10**8), ("col", -1)]:
        matrix = sparse.coo_matrix(X)
        getattr(matrix, part)[0] = value
        yield matrix
    matrix = sparse.csr_matrix(X)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    matrix.indices[1] = 2**32 + 1  # 1 in 32 bits
    yield matrix
    matrix = sparse.csr_matrix(X)
    matrix.indptr = matrix.indptr[:-4]
    yield matrix
    matrix = sparse.csr_matrix(X)
    matrix.indices = matrix.indices.astype(float)
    yield matrix
    matrix = sparse.dia_matrix(X)
    matrix.offsets = matrix.offsets[:-1]
    yield matrix


@named
def test_damaged_sparse_matrices_raise(estimator):
    y = np.arange(20) % 2
    for X in damaged_matrices():
        with pytest.raises(ValueError, match="damaged"):
            clone(estimator).fit(X, y)


def test_damaged_sparse_matrices_raise_wherever_they_are_taken():
    X = np.round(np.random.default_rng(0).standard_normal((20, 6)))
    y = np.arange(20) % 2
    selector = tamis.SNBL(min_features=2).fit(X, y)
    model = tamis.ShrunkenDLDA().fit(X, y)
    for bad in damaged_matrices():
        for take in [
            lambda bad=bad: tamis.scores(bad, y),
            lambda bad=bad: selector.transform(bad),
            lambda bad=bad: model.predict_proba(bad),
            lambda bad=bad: tamis.Needed(draws=50).fit(bad, y),
            lambda bad=bad: tamis.Dependence().fit(bad, y),
            lambda bad=bad: tamis.Pairs().fit(bad, y),
        ]:
            with pytest.raises(ValueError, match="damaged"):
                take()


def test_damaged_annotated_data_raises():
    pandas = pytest.importorskip("pandas")
    obs = pandas.DataFrame({"group": np.where(np.arange(20) % 2 == 1, "b", "a")})
    obs.loc[3, "group"] = None  # rows are taken out of the matrix
    var = pandas.DataFrame(index=[f"g{j}" for j in range(6)])
    for bad in damaged_matrices():
        adata = SimpleNamespace(X=bad, layers={}, obs=obs, var=var, var_names=var.index, uns={})
        with pytest.raises(ValueError, match="damaged"):
            tamis.select(adata, "group")


def test_sparse_matrices_with_room_to_spare_and_of_every_layout_are_read():
    X = np.round(np.random.default_rng(0).standard_normal((40, 6)))
    y = np.arange(40) % 2
    wanted = tamis.scores(sparse.csr_matrix(X), y)
    roomy = sparse.csr_matrix(X)
    roomy.data, roomy.indices = np.append(roomy.data, [7.0, 7.0]), np.append(roomy.indices, [0, 99]).astype(np.int32)
    np.testing.assert_array_equal(tamis.scores(roomy, y), wanted)
    for kind in ["csc", "coo", "bsr", "dia", "lil", "dok"]:
        np.testing.assert_allclose(tamis.scores(sparse.csr_matrix(X).asformat(kind), y), wanted)


@named
def test_targets_that_are_none_raise(estimator):
    X = np.random.default_rng(0).standard_normal((20, 3))
    for y in [np.zeros(20), np.arange(19) % 2, np.zeros((20, 2)), np.full(20, np.nan), None, [], [object()] * 20]:
        with pytest.raises((ValueError, TypeError)):
            clone(estimator).fit(X, y)


def test_weights_beyond_counting_raise_and_large_ones_give_probabilities():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 5)), np.arange(40) % 2
    for weight in [1e300, 1e101, np.inf, np.nan, -1.0]:
        with pytest.raises(ValueError):
            tamis.ShrunkenDLDA().fit(X, y, sample_weight=np.full(40, weight))
    model = tamis.ShrunkenDLDA(prior="none").fit(X, y, sample_weight=np.full(40, 1e99))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_overlapping_and_broadcast_arrays_are_read_as_numpy_does():
    rng = np.random.default_rng(2)
    base = rng.standard_normal(50)
    y = np.arange(30) % 2
    overlapping = as_strided(base, shape=(30, 8), strides=(8, 16))
    broadcast = np.broadcast_to(rng.standard_normal((30, 1)), (30, 4))
    for X in [overlapping, broadcast]:
        np.testing.assert_array_equal(tamis.scores(X, y), tamis.scores(X.copy(), y))


def test_an_array_that_another_thread_writes_to_is_no_danger():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((200, 300)), np.arange(200) % 2
    stop = threading.Event()

    def scribble():
        while not stop.is_set():
            X[:] = rng.choice([np.nan, np.inf, 1e300, 0.0, 1.0])

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        for _ in range(20):
            with contextlib.suppress(ValueError):
                tamis.SNBL(n_jobs=2).fit(X, y)
    finally:
        stop.set()
        writer.join()


def test_many_threads_fit_at_once_and_agree(two_groups):
    X, y = two_groups
    wanted = tamis.SNBL().fit(X, y).scores_
    found = [None] * 8

    def fit(at):
        found[at] = tamis.SNBL(n_jobs=1 + at % 3).fit(X, y).scores_

    threads = [threading.Thread(target=fit, args=(at,)) for at in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for scores in found:
        np.testing.assert_array_equal(scores, wanted)


def _scores(X, y):
    return tamis.SNBL(n_jobs=2).fit(X, y).scores_


def test_spawned_processes_agree(two_groups):
    X, y = two_groups
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(_scores, [(X, y)] * 2)
    for scores in found:
        np.testing.assert_array_equal(scores, _scores(X, y))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_in_the_middle_of_a_fit_leaves_python_sound():
    script = """
import os, signal, threading
import numpy as np
import tamis
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.standard_normal((400, 3000)), np.arange(400) % 2
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        tamis.NPFS(n_bootstraps=200, random_state=0, n_jobs=2).fit(X, y)
except KeyboardInterrupt:
    pass
print(tamis.SNBL().fit(X[:, :50], y).scores_.shape[0])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "50"), done.stderr


def test_a_pickle_that_was_edited_raises(two_groups):
    X, y = two_groups
    model = tamis.ShrunkenDLDA().fit(X, y)
    saved = pickle.dumps(model)
    assert b'"format_version"' in saved
    for old, new in [
        (b'"shares":[0.5', b'"shares":[9.5'),
        (b'"offsets":[', b'"offsets":{'),
        (b'"format_version":1', b'"format_version":9'),
    ]:
        assert old in saved
        with pytest.raises((ValueError, RuntimeError)):
            pickle.loads(saved.replace(old, new)).predict_proba(X)
    for length in range(0, len(saved), max(1, len(saved) // 40)):
        with pytest.raises(Exception):  # noqa: B017 - whatever pickle says of a file that ends early
            pickle.loads(saved[:length]).predict_proba(X)


def test_models_of_the_first_version_are_read():
    """What a pickle holds of a model is its JSON, and that of the first version is still read."""
    saved = pathlib.Path(__file__).parents[2] / "crates/tamis-cli/tests/v1/model.json"
    document = json.loads(saved.read_text())
    width = len(_core.Model(saved.read_text(), list(range(count_columns(document)))).__reduce__()[1][1])
    assert width == count_columns(document)


def count_columns(document):
    """How many columns the model of a document needs."""
    classifier = document["classifier"]
    return len({feature for machines in classifier["machines"] for one in machines for feature in one["features"]})


def test_text_of_the_data_cannot_steer_a_terminal():
    name = "\x1b[31mboo\u202e"
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: [f"{name}{i}" for i in range(80)], "x": range(80)})
    with pytest.raises((ValueError, TypeError)) as caught:  # text of more values than a category may have
        tamis.SNBL().fit(frame, np.arange(80) % 2)
    told = str(caught.value)
    assert "\x1b" not in told and "\u202e" not in told


def test_names_of_covariates_groups_and_classes_cannot_steer_a_terminal():
    name = "\x1b[31mboo\u202e"
    pandas = pytest.importorskip("pandas")
    X, y = np.random.default_rng(0).standard_normal((40, 5)), np.arange(40) % 2
    fit = tamis.SNBL().fit
    told = []
    for call in [
        lambda: fit(X, y, covariates={name: np.zeros(3)}),
        lambda: fit(X, y, covariates={name: np.full(40, "2020-01-01", dtype="datetime64[D]")}),
        lambda: fit(X, y, covariates={name: ["1.5"] * 40}),
        lambda: fit(X, covariates={name: y}, formula="~ age"),
        lambda: fit(X, y, feature_groups={"a": [name]}),
        lambda: fit(pandas.DataFrame({name: [f"{i}" for i in range(40)]}), y),
    ]:
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        told.append(str(caught.value))
    X[:, 0] += 5 * y
    frame = pandas.DataFrame(X, columns=[name, "b", "c", "d", "e"])
    found = fit(frame, np.where(y == 1, name, "a")).result_
    told += [repr(found), found.sentence, *found.answer, *found.notes, found._repr_html_()]
    for text in told:
        assert "\x1b" not in text and "\u202e" not in text, text


def test_the_interpreter_ends_soundly_while_work_goes_on():
    script = """
import threading
import numpy as np
import tamis
X, y = np.random.default_rng(0).standard_normal((300, 2000)), np.arange(300) % 2
threading.Thread(target=lambda: tamis.NPFS(n_bootstraps=50, random_state=0).fit(X, y), daemon=True).start()
import time
time.sleep(0.2)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
