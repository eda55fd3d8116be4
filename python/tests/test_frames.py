"""Frames with text, annotated data, notebooks and plots."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import tamis

matplotlib.use("Agg")


def frame(rows: int = 120) -> tuple[pandas.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, rows)
    table = pandas.DataFrame(rng.standard_normal((rows, 30)), columns=[f"g{j}" for j in range(30)])
    table["g0"] += 2 * y
    table.insert(3, "city", np.where(rng.random(rows) < 0.2 + 0.6 * y, "Rome", "Oslo"))
    table["smoker"] = rng.random(rows) < 0.5
    table["stage"] = pandas.Categorical(rng.choice(["i", "ii", "iii"], rows))
    return table, y


def test_text_columns_are_categories_as_in_the_program() -> None:
    table, y = frame()
    found = tamis.SNBL().fit(table, y)
    assert list(found.feature_names_in_) == list(table.columns)
    result = found.results_frame().set_index("feature")
    assert result.loc["city", "selected"] and result.loc["g0", "selected"]
    counts = pandas.crosstab(table["city"], y)
    from scipy.stats import chi2_contingency, norm

    p = chi2_contingency(counts, correction=False).pvalue
    assert result.loc["city", "score"] == pytest.approx(norm.isf(p), rel=1e-6)
    assert not result.loc["smoker", "selected"]
    numbers = table.drop(columns=["city", "smoker", "stage"])
    same = tamis.SNBL(permutations=0).fit(numbers, y).scores_
    np.testing.assert_array_equal(tamis.SNBL(permutations=0).fit(table, y).scores_[[0, 1, 2, 4]], same[[0, 1, 2, 3]])


def test_frames_of_other_libraries() -> None:
    table, y = frame()
    expected = tamis.SNBL().fit(table, y).scores_
    np.testing.assert_array_equal(tamis.SNBL().fit(polars.from_pandas(table), y).scores_, expected)
    import pyarrow

    np.testing.assert_array_equal(tamis.SNBL().fit(pyarrow.Table.from_pandas(table), y).scores_, expected)


def test_columns_that_cannot_be_used_are_named() -> None:
    table, y = frame()
    dates = table.assign(when=pandas.date_range("2020-01-01", periods=len(table)))
    with pytest.raises(ValueError, match="`when` holds dates"):
        tamis.SNBL().fit(dates, y)
    many = table.assign(name=[f"p{i}" for i in range(len(table))])
    with pytest.raises(ValueError, match="`name` holds text with more than 64"):
        tamis.SNBL().fit(many, y)


def test_columns_that_could_be_two_things_are_refused() -> None:
    table, y = frame()
    for column, words in [
        ([f"{i % 7}" for i in range(len(y))], "written as text"),
        (["a", *range(1, len(y))], "numbers and text"),
        (list(pandas.to_timedelta(np.arange(len(y)), unit="h").to_pytimedelta()), "dates or times"),
    ]:
        with pytest.raises(ValueError, match=words):
            tamis.SNBL().fit(table.assign(x=pandas.Series(column, dtype=object)), y)
    tamis.SNBL().fit(table.assign(x=pandas.Categorical([f"{i % 7}" for i in range(len(y))])), y)


def test_missing_text_and_truth_values_are_missing() -> None:
    table, y = frame()
    table["smoker"] = table["smoker"].astype("boolean")
    table["city"] = table["city"].astype("string")
    table.loc[3, ["smoker", "city"]] = pandas.NA
    result = tamis.SNBL().fit(table, y).results_frame().set_index("feature")
    assert result.loc["city", "n"] == result.loc["smoker", "n"] == len(table) - 1
    with pytest.raises(ValueError, match="`price` holds numbers with a decimal comma"):
        tamis.SNBL().fit(table.assign(price=["1,5", "2,5"] * 60), y)


def test_categories_in_mutual_information() -> None:
    table, y = frame()
    found = tamis.MutualInformation("mim", k=2).fit(table, y)
    assert set(table.columns[found.support_]) == {"g0", "city"}


def test_a_pipeline_of_numbers_still_works() -> None:
    table, y = frame()
    numbers = table.drop(columns=["city", "smoker", "stage"])
    assert make_pipeline(tamis.SNBL(min_features=1), LogisticRegression()).fit(numbers, y).score(numbers, y) > 0.8


def annotated(X: object) -> SimpleNamespace:
    rng = np.random.default_rng(4)
    obs = pandas.DataFrame({"condition": pandas.Categorical(np.repeat(["control", "treated"], 40))})
    obs["batch"] = rng.choice(["a", "b"], 80)
    obs["donor"] = np.tile(np.arange(8), 10)
    var = pandas.DataFrame(index=[f"gene{j}" for j in range(50)])
    return SimpleNamespace(X=X, layers={"log": X}, obs=obs, var=var, var_names=var.index, uns={})


def test_annotated_data() -> None:
    rng = np.random.default_rng(5)
    counts = rng.poisson(0.4, (80, 50)).astype(float)
    counts[40:, 0] += 3
    X = sparse.csr_matrix(np.log1p(counts))
    adata = annotated(X)
    found = tamis.select(adata, "condition", layer="log", covariates="batch")
    assert found.selected == ["gene0"] and "gene0" in found._document.json()
    assert adata.var["tamis_selected"].tolist() == [True] + [False] * 49
    assert adata.var["tamis_difference"].iloc[0] > 0.5
    assert "differs between treated and control" in adata.uns["tamis"]["sentence"]
    with pytest.raises(ValueError, match="`condition`, `batch`, `donor`"):
        tamis.select(adata, "conditions")
    paired = tamis.select(annotated(X.toarray()), "condition", blocks="donor", key="paired")
    assert paired.selected == ["gene0"]


def test_genes_of_one_name_have_rows_of_their_own() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 50))
    X[40:, 7] += 3
    adata = annotated(X)
    tamis.select(adata, "condition", key="plain")
    adata.var.index = adata.var_names = pandas.Index([f"gene{j % 49}" for j in range(50)])
    tamis.select(adata, "condition")
    for column in ["score", "probability", "selected", "rank"]:
        np.testing.assert_array_equal(adata.var[f"tamis_{column}"], adata.var[f"plain_{column}"])
    assert adata.var["tamis_selected"].tolist() == [j == 7 for j in range(50)]


def test_counts_of_annotated_data_are_normalised_and_donors_are_noticed() -> None:
    rng = np.random.default_rng(8)
    donors = np.repeat(np.arange(12), 15)
    mean = np.exp(rng.normal(1, 0.6, 60)) * np.exp(0.1 * rng.standard_normal((12, 60)))
    mean[6:, :3] *= 6
    mean[:, 59] = 0.001  # hardly ever seen
    counts = rng.poisson(mean[donors] * rng.gamma(5, 0.2, 180)[:, None])
    condition = np.where(donors < 6, "control", "treated")
    obs = pandas.DataFrame({"condition": condition, "donor": [f"d{i}" for i in donors]})
    var = pandas.DataFrame(index=[f"gene{j}" for j in range(60)])
    adata = SimpleNamespace(X=sparse.csr_matrix(counts), layers={}, obs=obs, var=var, var_names=var.index, uns={})
    raw = tamis.select(adata, "condition")
    assert any("`donor` is not used" in note for note in raw.notes)
    assert any("normalize='tmm'" in note for note in raw.notes)
    found = tamis.select(adata, "condition", blocks="donor", normalize="tmm")
    assert set(found.selected) >= {"gene0", "gene1", "gene2"}, found.sentence
    assert not any("not used" in note or "normalize=" in note for note in found.notes)
    assert adata.var["tamis_selected"].iloc[:3].all() and pandas.isna(adata.var["tamis_score"].iloc[59])
    with pytest.raises(ValueError, match="logcpm"):
        tamis.select(adata, "condition", normalize="tpm")


def donors_of_noise() -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Twelve donors of three rows each, whose features are their own numbers and not the group's."""
    rng = np.random.default_rng(11)
    donor = np.repeat(np.arange(12), 3)
    X = rng.normal(0, 2, (12, 60))[donor] + rng.standard_normal((36, 60))
    obs = pandas.DataFrame({"group": np.where(donor % 2 == 1, "b", "a"), "donor": [f"d{i}" for i in donor]})
    return obs, pandas.DataFrame(X, columns=[f"g{j}" for j in range(60)])


@pytest.mark.parametrize("kind", ["text", "category", "number"])
def test_rows_of_annotated_data_without_a_donor_are_set_aside(kind: str) -> None:
    obs, X = donors_of_noise()
    gaps = [4, 22]
    obs.loc[gaps, "donor"] = None
    if kind == "category":
        obs["donor"] = obs["donor"].astype("category")
    if kind == "number":
        obs["donor"] = obs["donor"].str[1:].astype(float)

    def select(rows: np.ndarray) -> tamis.Selected:
        part, var = obs.iloc[rows].reset_index(drop=True), pandas.DataFrame(index=X.columns)
        values = X.to_numpy()[rows]
        adata = SimpleNamespace(X=values, layers={}, obs=part, var=var, var_names=var.index, uns={})
        return tamis.select(adata, "group", blocks="donor")

    found = select(np.arange(36))
    known = select(np.setdiff1d(np.arange(36), gaps))
    np.testing.assert_array_equal(found.scores, known.scores)
    assert found.selected == known.selected == []
    assert any("2 of 36 rows have no block" in note for note in found.notes), found.notes


def test_rows_without_a_donor_are_set_aside_in_every_format(tmp_path: Path) -> None:
    program = os.environ.get("TAMIS_PROGRAM")
    if program is None:
        pytest.skip("TAMIS_PROGRAM does not name the program")
    obs, X = donors_of_noise()
    obs.loc[[4, 22], "donor"] = None
    table = pandas.concat([obs, X], axis=1)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    table.to_feather(tmp_path / "t.feather")
    table.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    answers = []
    for name in ["t.csv", "t.parquet", "t.feather"]:
        words = [program, "select", tmp_path / name, "--target", "group", "--block", "donor", "--json", "-", "--quiet"]
        answer = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        answers.append((answer["features"], [note["message"] for note in answer["notes"]]))
    assert answers[0] == answers[1] == answers[2]
    assert any("2 of 36 rows have no block" in message for message in answers[0][1])


def test_notebooks_show_a_sentence_a_picture_and_the_best() -> None:
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 50)
    table = pandas.DataFrame(rng.standard_normal((100, 60)), columns=[f"<b>{j}" for j in range(60)])
    table["<b>0"] += 2 * y
    found = tamis.SNBL().fit(table, y)
    page = found.result_._repr_html_()
    assert found.result_.sentence in page and "<svg" in page and page.count("<tr>") == 11
    assert "<b>0" not in page and "&lt;b&gt;0" in page
    shrunken = tamis.shrink(found.scores_)
    assert shrunken.sentence in shrunken._repr_html_()
    assert len(repr(shrunken)) < 300


def test_plots() -> None:
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((60, 40)), np.repeat([0, 1], 30)
    X[:, 0] += 2 * y
    found = tamis.SNBL().fit(X, y)
    for kind in ("auto", "fit", "volcano", "scores"):
        assert found.plot(kind).get_xlabel()
    with pytest.raises(ValueError, match="stability"):
        found.plot("stability")
    runs = tamis.NPFS(n_bootstraps=10, random_state=0).fit(X, y)
    assert "bootstraps" in runs.plot().get_ylabel()
    assert tamis.shrink(found.scores_).plot().get_xlabel() == "score"
