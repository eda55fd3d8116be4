"""One analysis through the door of Python and that of the program: the same document, whatever the table."""

import json
import os
import pickle
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from scipy import sparse

import tamis

ROOT = Path(__file__).resolve().parents[2]
ROWS = 40


def program(tmp_path, frame, *options, command="select"):
    """The document of the program on a table that holds every digit."""
    given = os.environ.get("TAMIS_PROGRAM")
    found = [Path(given)] if given else [ROOT / "target" / kind / "tamis" for kind in ("release", "debug")]
    found = [path for path in found if path.exists()]
    if not found:
        pytest.skip("the program is not built: cargo build")
    frame.to_csv(tmp_path / "table.csv", index=False, float_format="%.17g")
    latest = max(found, key=lambda path: path.stat().st_mtime)
    words = [latest, command, tmp_path / "table.csv", "--target", "y", *options]
    done = subprocess.run([*words, "--json", tmp_path / "r.json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return timeless(json.loads((tmp_path / "r.json").read_text()))


def timeless(document):
    """Without times, memory, names of files, and the words of notes, which name options as each door does."""
    for key in ["seconds", "peak_bytes"]:
        document.pop(key, None)
    for key in ["file", "event"]:
        document["input"].pop(key, None)
    for note in document["notes"]:
        del note["message"]
    return document


def ours(estimator):
    return timeless(json.loads(estimator.result_._document.json()))


def features(effect):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((ROWS, 60))
    X[:, :6] += np.asarray(effect, dtype=float)[:, None]
    return pandas.DataFrame(X, columns=[f"g{j}" for j in range(60)])


def cases():
    rng = np.random.default_rng(5)
    two = np.tile(["a", "b"], ROWS // 2)
    shift = 2.0 * (two == "b")
    numbers = rng.standard_normal(ROWS)
    age, batch = 30 + 40 * rng.random(ROWS), rng.choice(["p", "q"], ROWS)
    time, died = 0.1 + rng.random(ROWS) * (1 + shift), (rng.random(ROWS) < 0.7).astype(float)
    gaps = features(shift)
    for j in range(60):
        gaps.iloc[(7 * j) % ROWS, j] = np.nan
    city = np.where(rng.random(ROWS) < 0.8, two == "b", 2).astype(int)
    one_hot = features(np.zeros(ROWS)).assign(
        **{f"city_{name}": (city == code).astype(float) for code, name in enumerate(["Rome", "Oslo", "New_York"])}
    )
    donor = np.arange(ROWS) // 5
    treated = np.where(donor % 2 == 1, "b", "a")
    rates = (5 + 40 * rng.random(60)) * np.where((donor % 2 == 1)[:, None] & (np.arange(60) < 6), 4, 1)
    rates *= rng.gamma(10, 0.1, (ROWS // 5, 60))[donor]  # donors differ by more than counting does
    counts = pandas.DataFrame(rng.poisson(rates * (1 + 3 * rng.random(ROWS))[:, None]).astype(float))
    counts.columns = [f"g{j}" for j in range(60)]
    donors = np.array([f"d{d}" for d in donor])
    yield "two classes", features(shift), two, {}, {}, []
    yield "three classes", features(np.arange(ROWS) % 3), np.resize(["a", "b", "c"], ROWS), {}, {}, []
    yield "numbers", features(numbers), numbers, {}, {}, []
    yield "whole numbers", features(shift), (two == "b").astype(int), {}, {}, []
    yield "survival", features(shift), np.column_stack([time, died]), {}, {}, ["--event", "died"]
    options = ["--covariate", "age", "--covariate", "batch"]
    yield "covariates", features(shift), two, {}, {"covariates": {"age": age, "batch": batch}}, options
    yield "missing values", gaps, two, {}, {}, []
    yield "one-hot columns", one_hot, two, {}, {}, []
    yield "counts", counts, treated, {"normalize": "tmm"}, {}, ["--normalize", "tmm"]
    options = ["--normalize", "tmm", "--block", "blocks"]
    yield "counts of blocks", counts, treated, {"normalize": "tmm"}, {"blocks": donors}, options


@pytest.mark.parametrize(("name", "X", "y", "parameters", "design", "options"), cases(), ids=lambda x: str(x)[:20])
def test_python_and_the_program_give_the_same_document(name, X, y, parameters, design, options, tmp_path):
    estimator = tamis.SNBL(**parameters).fit(X, y, **design)
    about = {"y": y} if np.ndim(y) == 1 else {"y": y[:, 0], "died": y[:, 1].astype(int)}
    about |= design.get("covariates", {}) | {key: design[key] for key in ["blocks"] if key in design}
    frame = pandas.concat([pandas.DataFrame(about), X], axis=1)
    theirs = program(tmp_path, frame, *options)
    assert ours(estimator) == theirs
    assert estimator.n_selected_ == theirs["n_selected"] > 0
    assert (theirs.get("second_look") is not None) == (name not in ("survival", "covariates", "counts of blocks"))
    table = estimator.results_frame()
    assert list(table["feature"]) == [feature["name"] for feature in theirs["features"]]
    wanted = {f["name"] for f in theirs["features"] if f["selected"]}
    assert set(table["feature"][table["selected"]]) == wanted
    columns = {c for f in theirs["features"] if f["selected"] for c in f.get("columns") or [f["name"]]}
    assert set(estimator.get_feature_names_out()) == columns


OTHERS = {
    "jmi": tamis.MutualInformation(),
    "dependence": tamis.Dependence(),
    "needed": tamis.Needed(),
    "pairs": tamis.Pairs(),
}


@pytest.mark.parametrize("method", OTHERS)
def test_other_methods_give_the_same_document(method, tmp_path):
    _, X, y, *_ = next(cases())
    frame = X.assign(y=y)
    # counts are none of their business: they take values as they are
    assert ours(OTHERS[method].fit(X, y)) == program(tmp_path, frame, "--method", method, "--normalize", "none")


def test_annotated_data_give_the_same_document(tmp_path):
    *_, (_, X, y, _, design, _) = cases()
    obs = pandas.DataFrame({"y": y, "blocks": design["blocks"]})
    var = pandas.DataFrame(index=X.columns)
    adata = SimpleNamespace(X=sparse.csr_matrix(X), layers={}, obs=obs, var=var, var_names=var.index, uns={})
    found = tamis.select(adata, "y", blocks="blocks", normalize="tmm")
    theirs = program(tmp_path, pandas.concat([obs, X], axis=1), "--normalize", "tmm", "--block", "blocks")
    assert timeless(json.loads(found._document.json())) == theirs
    chosen = [feature["name"] for feature in theirs["features"] if feature["selected"]]
    assert list(adata.var.index[adata.var["tamis_selected"] == True]) == chosen  # noqa: E712


def test_scores_give_the_same_document(tmp_path):
    rng = np.random.default_rng(2)
    z = rng.standard_normal(300)
    z[:20] += 5
    found = tamis.shrink(z)
    frame = pandas.DataFrame({"name": [f"x{j}" for j in range(300)], "y": z})
    frame.to_csv(tmp_path / "z.csv", index=False, float_format="%.17g")
    given = os.environ.get("TAMIS_PROGRAM") or ROOT / "target" / "debug" / "tamis"
    words = [given, "shrink", tmp_path / "z.csv", "--column", "y", "--id", "name", "--json", tmp_path / "r.json"]
    subprocess.run(words, check=True, capture_output=True)
    theirs = json.loads((tmp_path / "r.json").read_text())
    np.testing.assert_array_equal(found.support, [feature["selected"] for feature in theirs["features"]])
    np.testing.assert_array_equal(found.probabilities, [feature["probability"] for feature in theirs["features"]])
    with pytest.raises(ValueError, match="look like p-values"):
        tamis.shrink(rng.random(50))


def test_a_report_has_values_a_second_look_and_a_note_on_the_target(tmp_path):
    _, X, y, *_ = next(cases())
    spread = np.abs(X["g30"]) + 3 * (y == "b")
    X = X.assign(g30=np.where(np.arange(ROWS) % 4 < 2, spread, -spread))
    fitted = tamis.SNBL().fit(X, y)
    (X.assign(y=y)).to_csv(tmp_path / "table.csv", index=False, float_format="%.17g")
    fitted.report(tmp_path / "ours.html")
    given = os.environ.get("TAMIS_PROGRAM") or ROOT / "target" / "debug" / "tamis"
    words = [given, "select", tmp_path / "table.csv", "--target", "y", "--report", tmp_path / "theirs.html"]
    subprocess.run(words, check=True, capture_output=True)

    def page(name):
        text = (tmp_path / name).read_text()
        for pattern in [r'"seconds":[^,]*,', r"[\d.]+ s\b", r'"peak_bytes":[^,]*,', r"\d+ MB", r'"file":"[^"]*"']:
            text = re.sub(pattern, "", text)
        return text.replace(str(tmp_path / "table.csv"), "Python")

    mine, theirs = page("ours.html"), page("theirs.html")
    assert "treated as classes, since it is text" in mine
    for one in (mine, theirs):
        assert "related in other ways: 1 by shape (<code>g30</code>)" in one
    assert len(mine) == pytest.approx(len(theirs), rel=0.01)
    values = re.search(r'"values":\{.*', mine)
    assert values and values.group(0)[:2000] == re.search(r'"values":\{.*', theirs).group(0)[:2000]
    again = pickle.loads(pickle.dumps(fitted))
    again.report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == (tmp_path / "ours.html").read_text()


def test_a_second_look_can_be_left_out():
    _, X, y, *_ = next(cases())
    with_look, without = tamis.SNBL().fit(X, y), tamis.SNBL(second_look=False).fit(X, y)
    assert "second_look" in ours(with_look) and "second_look" not in ours(without)
    np.testing.assert_array_equal(with_look.probabilities_, without.probabilities_)


def test_what_is_needed_is_part_of_the_answer_and_can_be_left_out():
    _, X, y, *_ = next(cases())
    asked, without = tamis.SNBL().fit(X, y), tamis.SNBL(needed=False).fit(X, y)
    assert "findings" in ours(asked) and "findings" not in ours(without)
    np.testing.assert_array_equal(asked.probabilities_, without.probabilities_)
    alone = tamis.Needed().fit(X, y)
    np.testing.assert_array_equal(asked.inclusion_probabilities_, alone.inclusion_probabilities_)
    assert [finding["lead"] for finding in asked.findings_] == [finding["lead"] for finding in alone.findings_]
    np.testing.assert_array_equal(asked.working_set_, alone.working_set_)
    assert without.findings_ is None and without.working_set_ is None
