"""Threads, interrupts, faults, forks."""

import multiprocessing
import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

import tamis
from tamis import _core, _input


def test_a_fault_becomes_an_exception(capfd):
    with pytest.raises(RuntimeError, match="on purpose"):
        _core._fault()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_ends_long_work_within_a_second():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for work in the background
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            _core._endless()
        assert time.monotonic() - start < 1.5
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def _fit(queue, X, y):
    queue.put(tamis.SNBL(n_jobs=2).fit(X, y).scores_)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_works_as_its_parent_does(two_groups):
    X, y = two_groups
    wanted = tamis.SNBL(n_jobs=2).fit(X, y).scores_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit, args=(queue, X, y))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    np.testing.assert_array_equal(found, wanted)


def test_jobs_are_counted_as_joblib_does():
    cores = joblib.cpu_count()
    assert _input.threads(None) == 1
    assert _input.threads(3) == 3
    assert _input.threads(-1) == cores
    with joblib.parallel_config(n_jobs=2):
        assert _input.threads(None) == min(2, cores)
        assert _input.threads(1) == 1
    with joblib.parallel_config(n_jobs=cores + 5):
        assert _input.threads(None) == cores


def test_other_threads_go_on_meanwhile():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(None)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    rng = np.random.default_rng(0)
    start, before = time.monotonic(), len(ticks)
    tamis.NPFS(n_bootstraps=40, random_state=0, n_jobs=1).fit(rng.standard_normal((300, 200)), np.arange(300) % 2)
    seconds, during = time.monotonic() - start, len(ticks) - before
    stop.set()
    thread.join()
    assert during > 20 * seconds


def test_verbose_says_where_it_is(capfd):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 400)), np.arange(300) % 2
    tamis.NPFS(n_bootstraps=40, random_state=0, verbose=1, n_jobs=1).fit(X, y)
    assert "[tamis] bootstrapping" in capfd.readouterr().err
