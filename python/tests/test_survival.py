"""Survival times as targets."""

import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import tamis


@pytest.fixture(scope="module")
def survival():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 60))
    time = rng.exponential(1 / np.exp(0.9 * X[:, 0] - 0.9 * X[:, 1]))
    last_seen = rng.exponential(2.0, 200)
    return X, np.minimum(time, last_seen), time <= last_seen


def structured(time, event, order):
    fields = {"time": time, "event": event}
    kinds = {"time": np.float64, "event": np.bool_}
    y = np.empty(len(time), dtype=[(name, kinds[name]) for name in order])
    for name in order:
        y[name] = fields[name]
    return y


def test_every_form_of_the_target_gives_the_same_bits(survival):
    X, time, event = survival
    wanted = tamis.SNBL().fit(X, structured(time, event, ("event", "time")))
    assert set(wanted.get_support(indices=True)) >= {0, 1}
    assert not hasattr(wanted, "classes_")
    pairs = np.column_stack([time, event])
    frame = pd.DataFrame({"months": time, "died": event})
    for y in [structured(time, event, ("time", "event")), pairs, pairs.tolist(), frame, frame.astype({"died": int})]:
        found = tamis.SNBL().fit(X, y)
        np.testing.assert_array_equal(found.scores_, wanted.scores_)
        np.testing.assert_array_equal(found.probabilities_, wanted.probabilities_)
    np.testing.assert_array_equal(tamis.scores(X, frame), wanted.scores_)
    np.testing.assert_array_equal(tamis.scores(X, pairs, statistic="cox"), wanted.scores_)


def test_the_program_gives_the_same_answer(survival, tmp_path):
    X, time, event = survival
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    table["event"] = event.astype(int)
    table["time"] = time
    table.to_csv(tmp_path / "in.csv", index=False)
    command = [os.environ.get("TAMIS_PROGRAM", "tamis"), "select", "in.csv", "--target", "time", "--event", "event"]
    subprocess.run([*command, "--json", "out.json"], cwd=tmp_path, check=True, capture_output=True)
    features = json.loads((tmp_path / "out.json").read_text())["features"]
    found = tamis.SNBL().fit(X, np.column_stack([time, event]))
    np.testing.assert_allclose([f["score"] for f in features], found.scores_, rtol=1e-9)
    np.testing.assert_array_equal([f["selected"] for f in features], found.support_)


def test_a_row_whose_event_is_not_known_is_left_out(survival):
    X, time, event = survival
    pairs = np.column_stack([time, event])
    pairs[3, 1] = np.nan
    pairs[5, 0] = np.nan
    kept = np.delete(np.arange(200), [3, 5])
    np.testing.assert_allclose(tamis.scores(X, pairs), tamis.scores(X[kept], pairs[kept]), rtol=1e-9)


def test_targets_that_are_no_survival_times(survival):
    X, time, event = survival
    with pytest.raises(ValueError, match=r"second column.*row 2.*7"):
        tamis.SNBL().fit(X, np.column_stack([time, np.where(np.arange(200) == 1, 7, event)]))
    with pytest.raises(ValueError, match=r"row 3.*survival time is 0"):
        tamis.SNBL().fit(X, np.column_stack([np.where(np.arange(200) == 2, 0, time), event]))
    with pytest.raises(ValueError, match="no event happened"):
        tamis.SNBL().fit(X, np.column_stack([time, np.zeros(200)]))
    with pytest.raises(ValueError, match="two fields"):
        tamis.SNBL().fit(X, np.zeros(200, dtype=[("time", float), ("entry", float)]))
    with pytest.raises(ValueError, match="numbers or truth values"):
        tamis.SNBL().fit(X, pd.DataFrame({"time": time, "event": np.where(event, "dead", "alive")}))
    with pytest.raises(ValueError, match="inconsistent"):
        tamis.SNBL().fit(X[:-1], np.column_stack([time, event]))
    with pytest.raises(ValueError, match="sample_weight"):
        tamis.SNBL().fit(X, np.column_stack([time, event]), sample_weight=1.0 + np.arange(200))
    with pytest.raises(ValueError, match="statistic"):
        tamis.SNBL(statistic="welch").fit(X, np.column_stack([time, event]))
    with pytest.raises(ValueError, match="task"):
        tamis.SNBL(task="real").fit(X, np.column_stack([time, event]))
