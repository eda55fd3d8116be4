"""NPFS with a base from elsewhere, on a Dask cluster of local processes."""

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.tree import DecisionTreeClassifier

from tamis import NPFS

distributed = pytest.importorskip("distributed")

BASE = SelectFromModel(DecisionTreeClassifier(max_depth=3), max_features=4)


@pytest.fixture(scope="module")
def client():
    here = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**here) as cluster, distributed.Client(cluster) as client:
        yield client


def _fit(npfs, data):
    with joblib.parallel_config(backend="dask"):
        return clone(npfs).fit(*data)


def _same(found, wanted):
    np.testing.assert_array_equal(found.scores_, wanted.scores_)
    np.testing.assert_array_equal(found.q_values_, wanted.q_values_)
    np.testing.assert_array_equal(found.support_, wanted.support_)


def test_a_cluster_gives_the_bits_of_one_thread(client, two_groups):
    npfs = NPFS(BASE, n_bootstraps=10, permutations=20, random_state=1)
    _same(_fit(npfs, two_groups), clone(npfs).fit(*two_groups))


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_worker_changes_nothing(client, two_groups):
    npfs = NPFS(BASE, n_bootstraps=70, permutations=20, random_state=2)
    wanted = clone(npfs).fit(*two_groups)
    killed = {}

    def kill():
        killed["pid"] = next(iter(client.run(os.getpid).values()))
        os.kill(killed["pid"], signal.SIGKILL)
        killed["at"] = time.monotonic()

    timer = threading.Timer(1.0, kill)
    timer.start()
    found = _fit(npfs, two_groups)
    ended = time.monotonic()
    timer.join()
    assert killed["at"] < ended, "the work was over before a worker was killed"
    _same(found, wanted)
