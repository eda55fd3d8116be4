"""Covariates, blocks and moderated variances: the same answers as the program's."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import tamis

TABLES = Path(__file__).parents[2] / "crates/tamis-cli/tests/cmd/designs.in"


def read(name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The features of a table, and its other columns."""
    with (TABLES / name).open() as file:
        head, *lines = list(csv.reader(file))
    genes = [j for j, column in enumerate(head) if column.startswith("g") and column[1:].isdigit()]
    others = {column: np.array([line[j] for line in lines]) for j, column in enumerate(head) if j not in genes}
    return np.array([[float(line[j]) for j in genes] for line in lines]), others


def by_program(name: str, *options: str) -> list[float]:
    program = os.environ.get("TAMIS_PROGRAM")
    if program is None:
        pytest.skip("TAMIS_PROGRAM does not name the program")
    command = [program, "select", str(TABLES / name), "--target", "group", *options, "--json", "-", "--quiet"]
    done = subprocess.run(command, capture_output=True, check=True)
    return [f["score"] for f in json.loads(done.stdout)["features"]]


def test_covariates_are_adjusted_for_as_in_the_program() -> None:
    X, others = read("batches.csv")
    covariates = {"batch": others["batch"], "age": others["age"].astype(float)}
    found = tamis.SNBL().fit(X, others["group"], covariates=covariates)
    wanted = by_program("batches.csv", "--covariate", "batch", "--covariate", "age")
    assert found.scores_.tolist() == wanted
    pandas = pytest.importorskip("pandas")
    again = tamis.SNBL().fit(X, others["group"], covariates=pandas.DataFrame(covariates))
    assert again.scores_.tolist() == wanted


def test_blocks_are_adjusted_for_as_in_the_program() -> None:
    X, others = read("pairs.csv")
    found = tamis.SNBL().fit(X, others["group"], blocks=others["patient"])
    assert found.scores_.tolist() == by_program("pairs.csv", "--block", "patient")
    assert not np.array_equal(found.scores_, tamis.SNBL().fit(X, others["group"]).scores_)


def test_blocks_of_one_class_are_averaged() -> None:
    rng = np.random.default_rng(1)
    donors = np.repeat(np.arange(8), 25)
    X = rng.standard_normal((200, 300)) + rng.standard_normal((8, 300))[donors]
    found = tamis.SNBL().fit(X, donors % 2, blocks=donors)
    assert any("8 samples" in note for note in found.notes_)
    assert found.n_selected_ == 0


def test_pipelines_hand_covariates_on() -> None:
    X, others = read("batches.csv")
    pipeline = make_pipeline(tamis.SNBL(), LogisticRegression())
    pipeline.fit(X, others["group"], snbl__covariates=others["age"].astype(float))
    alone = tamis.SNBL().fit(X, others["group"], covariates=others["age"].astype(float))
    assert np.array_equal(pipeline[0].scores_, alone.scores_)


def test_bad_designs_are_refused() -> None:
    X, others = read("batches.csv")
    y = others["group"]
    with pytest.raises(ValueError, match="one value per row"):
        tamis.SNBL().fit(X, y, covariates=np.zeros(3))
    with pytest.raises(ValueError, match="determines the target"):
        tamis.SNBL().fit(X, y, covariates=(y == "treated").astype(float))
    with pytest.raises(ValueError, match="cannot be adjusted"):
        tamis.SNBL(statistic="welch").fit(X, y, covariates=others["age"].astype(float))
    with pytest.raises(ValueError, match="missing in every row"):
        tamis.SNBL().fit(X, y, covariates=np.full(len(y), np.nan))
    with pytest.raises(ValueError, match="at least 0"):
        tamis.SNBL(min_difference=-1.0).fit(X, y)


def test_factors_are_adjusted_for_where_asked() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 1)) @ rng.standard_normal((1, 400)) + rng.standard_normal((60, 400))
    found = tamis.SNBL(factors="auto").fit(X, y)
    assert any("adjusted for 1 factor" in note for note in found.notes_)
    assert not np.array_equal(found.scores_, tamis.SNBL().fit(X, y).scores_)
    assert np.array_equal(found.scores_, tamis.SNBL(factors=1).fit(X, y).scores_)
