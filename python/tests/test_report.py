"""Pages of fitted estimators, and the program that the package brings."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

import tamis

ESTIMATORS = [tamis.SNBL(), tamis.SNBL(prior="kde"), tamis.MutualInformation(k=4), tamis.NPFS(n_bootstraps=10)]
ESTIMATORS += [tamis.Dependence(), tamis.Needed(draws=200)]
ESTIMATORS += [tamis.Pairs(), tamis.MutualInformation(k="auto")]
ESTIMATORS += [tamis.PFCVM(), tamis.PFCVM("em"), tamis.ShrunkenDLDA()]
ESTIMATORS += [tamis.NPFS(SelectKBest(k=3), n_bootstraps=4, permutations=2)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_report_is_one_page(estimator, two_groups, tmp_path):
    X, y = two_groups
    X = X.copy()
    X[:, 5] = 1.0  # a feature that is set aside
    fitted = estimator.fit(X, y)
    pickle.loads(pickle.dumps(fitted)).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>") and "x5" in page
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_the_page_is_that_of_the_program(two_groups, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = two_groups
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    fitted = tamis.SNBL().fit(frame, y)
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    # not in this process: the program takes over its signals and threads
    program = [sys.executable, "-m", "tamis", "select", str(tmp_path / "t.csv"), "--target", "y"]
    subprocess.run([*program, "--json", str(tmp_path / "r.json")], check=True, capture_output=True)
    theirs, ours = json.loads((tmp_path / "r.json").read_text()), json.loads(fitted._selected._document.json())
    for left_out in ["seconds", "peak_bytes"]:
        theirs.pop(left_out, None), ours.pop(left_out, None)
    theirs["input"].pop("file"), ours["input"].pop("file")
    for document in [theirs, ours]:
        for note in document["notes"]:
            del note["message"]  # which names options as each door does
    assert ours == theirs


def test_a_saved_result_is_one_of_the_programs(two_groups, tmp_path):
    found = tamis.SNBL().fit(*two_groups)._selected
    pickle.loads(pickle.dumps(found)).save(tmp_path / "r.json")
    program = [sys.executable, "-m", "tamis", "report", str(tmp_path / "r.json"), "--out", str(tmp_path / "r.html")]
    subprocess.run(program, check=True, capture_output=True)
    (tmp_path / "ours.html").write_text(tamis._core.Document(found._document.json()).page())
    assert (tmp_path / "r.html").read_text() == (tmp_path / "ours.html").read_text()
    found.report(tmp_path / "values.html")  # which a saved result has not
    assert len((tmp_path / "values.html").read_text()) > len((tmp_path / "ours.html").read_text())


def test_features_without_names_of_their_own_are_numbered(two_groups):
    X, y = two_groups
    document = json.loads(tamis.SNBL().fit(X[:, :3], y)._selected._document.json())
    assert [feature["name"] for feature in document["features"]] == ["x0", "x1", "x2"]


def test_a_report_needs_a_fit_and_a_place(two_groups, tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        tamis.SNBL().report(tmp_path / "report.html")
    with pytest.raises(OSError):
        tamis.SNBL().fit(*two_groups).report(tmp_path / "nowhere" / "report.html")


def test_the_program_comes_with_the_package(tmp_path):
    beside = Path(sys.executable).parent / "tamis"
    for command in [[sys.executable, "-m", "tamis"], *([[str(beside)]] if beside.exists() else [])]:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
        assert said.startswith(f"tamis {tamis.__version__} (")
        wrong = subprocess.run([*command, "select", str(tmp_path / "no.csv"), "--target", "y"], capture_output=True)
        assert wrong.returncode == 2 and b"no.csv" in wrong.stderr


def test_names_of_features_survive(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.standard_normal((40, 3)), columns=["</script>", "b", "ü"])
    tamis.SNBL().fit(frame, np.arange(40) % 2).report(tmp_path / "r.html")
    assert '</script>"' not in (tmp_path / "r.html").read_text()
