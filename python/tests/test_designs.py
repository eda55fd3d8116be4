"""Covariates, blocks and moderated variances: the same answers as the program's."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from decimal import Decimal
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


def test_covariates_are_what_their_type_says() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    import pyarrow

    X, others = read("batches.csv")
    y, age = others["group"], others["age"].astype(float)
    scores = lambda covariates: tamis.SNBL(permutations=0).fit(X, y, covariates=covariates).scores_  # noqa: E731
    numbers = scores({"age": age})
    gaps = age.copy()
    gaps[5] = np.nan
    with_gaps = scores({"age": gaps})
    assert not np.array_equal(numbers, with_gaps)
    for same in [[None if np.isnan(x) else x for x in gaps], pandas.array(gaps).astype("Float64")]:
        np.testing.assert_array_equal(scores({"age": same}), with_gaps)
    np.testing.assert_array_equal(scores({"age": [Decimal(str(x)) for x in age]}), numbers)
    levels = np.arange(len(y)) // 2 % 3 + 1
    factor = scores({"batch": [f"b{level}" for level in levels]})
    assert not np.array_equal(factor, scores({"batch": levels}))
    for same in [
        {"batch": pandas.Categorical(levels)},
        pandas.DataFrame({"batch": pandas.Categorical(levels)}),
        pandas.Series(pandas.Categorical(levels)),
        {"batch": polars.Series(levels).cast(polars.String).cast(polars.Categorical)},
        pyarrow.table({"batch": pyarrow.array(levels).dictionary_encode()}),
    ]:
        np.testing.assert_array_equal(scores(same), factor)
    # in a list of lists numbers stay numbers beside text
    np.testing.assert_array_equal(
        scores([[x, f"b{level}"] for x, level in zip(age, levels, strict=True)]),
        scores({"age": age, "batch": [f"b{level}" for level in levels]}),
    )
    times = pandas.Timestamp("2020-01-01") + pandas.to_timedelta(levels, unit="D")
    for wrong, words in [
        (np.array(age, dtype=str), "written as text"),
        ([f"{x:.1f}".replace(".", ",") for x in age], "decimal comma"),
        (np.column_stack([others["batch"], age]), "written as text"),
        (times - times[0], "dates or times"),
        (times, "dates or times"),
        (list((times - times[0]).to_pytimedelta()), "dates or times"),
        (["a", *age[1:]], "numbers and text"),
        (age.astype(complex), "complex"),
        (np.where(np.arange(len(y)) == 3, 1e308, age), "beyond 1e300"),
        (np.where(np.arange(len(y)) == 3, 1e120, age), "beyond 1e100"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words):
            scores({"x": wrong} if np.ndim(wrong) < 2 else wrong)


def test_the_variables_of_a_formula_are_what_their_type_says() -> None:
    pandas = pytest.importorskip("pandas")
    X, others = read("batches.csv")
    levels = np.arange(len(X)) % 3 + 1
    fit = lambda group: tamis.SNBL(permutations=0).fit(  # noqa: E731
        X, covariates={"group": group, "age": others["age"].astype(float)}, formula="~ group + age", test="group"
    )
    factor = fit([f"b{level}" for level in levels]).scores_
    np.testing.assert_array_equal(fit(pandas.Categorical(levels)).scores_, factor)
    assert not np.array_equal(fit(levels).scores_, factor)


def test_a_categorical_target_consists_of_classes() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 10)), np.arange(60) // 2 + 100
    assert not hasattr(tamis.SNBL().fit(X, y), "classes_")
    assert len(tamis.SNBL().fit(X, pandas.Series(pandas.Categorical(y))).classes_) == 30


def test_rows_in_another_order_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    X, others = read("batches.csv")
    names = [f"s{i}" for i in range(len(X))]
    table = pandas.DataFrame(X, index=names)
    frame = pandas.DataFrame({"age": others["age"].astype(float), "batch": others["batch"]}, index=names)
    wanted = tamis.SNBL().fit(X, others["group"], covariates=frame[["age"]].to_numpy()).scores_
    fit = lambda **design: tamis.SNBL().fit(table, others["group"], **design).scores_  # noqa: E731
    np.testing.assert_array_equal(fit(covariates=frame[["age"]]), wanted)
    np.testing.assert_array_equal(fit(covariates=frame["age"].reset_index(drop=True)), wanted)
    other = frame.iloc[::-1]
    for design in [
        {"covariates": other[["age"]]},
        {"covariates": {"age": other["age"]}},
        {"blocks": other["batch"]},
        {"sample_weight": other["age"]},
    ]:
        with pytest.raises(ValueError, match="another order"):
            fit(**design)
    with pytest.raises(ValueError, match="other rows"):
        fit(covariates=frame[["age"]].rename(index={"s3": "t3"}))


def test_a_covariate_that_is_the_target_is_named_as_one() -> None:
    X, others = read("batches.csv")
    y = (others["group"] == "treated").astype(float)
    with pytest.raises(ValueError, match=r"`y`.*determines the target") as caught:
        tamis.SNBL().fit(X, y, covariates={"y": y})
    assert "block" not in str(caught.value)


def test_a_mask_is_no_list_of_positions() -> None:
    X, others = read("batches.csv")
    with pytest.raises(ValueError, match="flatnonzero"):
        tamis.SNBL().fit(X, others["group"], feature_groups={"a": [True, False, True]})


def test_factors_are_adjusted_for_where_asked() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 1)) @ rng.standard_normal((1, 400)) + rng.standard_normal((60, 400))
    found = tamis.SNBL(factors="auto").fit(X, y)
    assert any("adjusted for 1 factor" in note for note in found.notes_)
    assert not np.array_equal(found.scores_, tamis.SNBL().fit(X, y).scores_)
    assert np.array_equal(found.scores_, tamis.SNBL(factors=1).fit(X, y).scores_)


def three_classes(rng):
    y = np.repeat(["early", "late", "middle"], 12)
    X = rng.standard_normal((36, 40))
    X[:, 0] += 3 * (y == "late")
    return X, y


def test_reference_and_contrast():
    rng = np.random.default_rng(5)
    X, y = three_classes(rng)
    frame = tamis.SNBL().fit(X, y).results_frame()
    assert frame["stands_out"][0] == "late" and frame["difference"][0] > 2
    late = tamis.SNBL(contrast=("early", "late")).fit(X, y)
    assert late.scores_[0] > 3
    turned = tamis.SNBL(contrast=("late", "early")).fit(X, y)
    np.testing.assert_allclose(turned.scores_, -late.scores_, rtol=1e-9)
    two = y != "middle"
    named = tamis.SNBL(reference="late").fit(X[two], y[two])
    np.testing.assert_allclose(named.scores_, -tamis.SNBL().fit(X[two], y[two]).scores_, rtol=1e-9)
    control = np.where(y[two] == "late", "control", "zz")
    assert tamis.SNBL().fit(X[two], control).scores_[0] < 0, "control is the reference"
    numbers = np.where(y[two] == "late", 1, 0)
    assert tamis.SNBL(reference=1).fit(X[two], numbers).scores_[0] < 0
    for wrong in ({"reference": "never"}, {"contrast": "early"}, {"contrast": ("early", "early")}):
        with pytest.raises(ValueError, match=r"never|contrast"):
            tamis.SNBL(**wrong).fit(X, y)


def test_results_frame_has_everything():
    rng = np.random.default_rng(6)
    X, y = three_classes(rng)
    frame = tamis.SNBL().fit(X[:24], y[:24]).results_frame()
    columns = ["n", "mean_early", "mean_late", "statistic", "df", "p_value", "difference", "difference_low", "lfsr"]
    assert set(columns) <= set(frame.columns)
    np.testing.assert_allclose(frame["mean_late"], X[12:24].mean(axis=0))
    np.testing.assert_allclose(frame["difference"], X[12:24].mean(axis=0) - X[:12].mean(axis=0))
    assert (frame["difference_low"] < frame["difference"]).all()


def test_min_features():
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((40, 30)), np.repeat([0, 1], 20)
    nothing = tamis.SNBL().fit(X, y)
    assert nothing.n_selected_ == 0
    some = tamis.SNBL(min_features=3).fit(X, y)
    assert some.n_selected_ == 3 and set(np.flatnonzero(some.support_)) == set(np.flatnonzero(some.ranking_ <= 3))
    assert some.transform(X).shape == (40, 3)
    assert any("only on request" in note for note in some.notes_)
    # the document has the same selection as the estimator
    assert some.result_.n_selected == 3 and some.results_frame()["selected"].sum() == 3
    assert some.get_feature_names_out().tolist() == [f"x{j}" for j in np.flatnonzero(some.support_)]
    with pytest.raises(ValueError, match="min_features"):
        tamis.SNBL(min_features=-1).fit(X, y)


FIXTURES = Path(__file__).parents[2] / "crates/tamis/tests/fixtures/oracle/designs2"


def test_models_agree_with_limma() -> None:
    file = json.loads((FIXTURES / "general_interaction.json").read_text())
    X = np.array(file["x"], dtype=float).T
    variables = {name: np.array(values, dtype=object) for name, values in file["table"].items()}
    variables["x"] = variables["x"].astype(float)
    for key, test in {"coefficient": "atrt", "contrast": "atrt + atrt:br", "term": "a:b", "number": "x"}.items():
        found = tamis.SNBL(robust=False, trend=False).fit(X, covariates=variables, formula=file["formula"], test=test)
        wanted = file["tests"][key]
        statistic = np.array(wanted["F" if key == "term" else "moderated_t"], dtype=float)
        np.testing.assert_allclose(found.results_frame()["statistic"], statistic, rtol=1e-10, atol=1e-10)


def test_a_formula_asks_for_what_it_needs() -> None:
    X, others = read("batches.csv")
    variables = {"group": others["group"], "batch": others["batch"], "age": others["age"].astype(float)}
    by_formula = tamis.SNBL().fit(X, covariates=variables, formula="~ group + batch + age", test="treated - control")
    by_target = tamis.SNBL().fit(X, others["group"], covariates={"batch": variables["batch"], "age": variables["age"]})
    np.testing.assert_allclose(by_formula.scores_, by_target.scores_, rtol=1e-9)
    for wrong, words in [
        ({"formula": "~ group * stage", "test": "group"}, "stage"),
        ({"formula": "~ group * batch"}, "test"),
        ({"formula": "~ group * batch", "test": "grop"}, "grop"),
        ({"formula": "~ log(age)"}, "log"),
        ({"test": "group"}, "formula"),
    ]:
        with pytest.raises(ValueError, match=words):
            tamis.SNBL().fit(X, covariates=variables, **wrong)
    with pytest.raises(ValueError, match="leave `y` out"):
        tamis.SNBL().fit(X, others["group"], covariates=variables, formula="~ group")


def test_samples_are_weighted_and_blocks_are_correlated():
    rng = np.random.default_rng(6)
    y = np.tile([0, 1], 12)
    X = rng.standard_normal((24, 60))
    X[5] *= 8
    plain = tamis.SNBL().fit(X, y)
    assert any("disagrees with the others" in note and "sample_weights" in note for note in plain.notes_)
    weighted = tamis.SNBL(sample_weights="auto").fit(X, y)
    assert not np.allclose(weighted.scores_, plain.scores_)
    blocks = np.repeat(np.arange(8), 3)
    correlated = tamis.SNBL(block_model="correlated").fit(X, y, blocks=blocks)
    assert any("correlation of rows of the same" in note for note in correlated.notes_)
    with pytest.raises(ValueError, match="no blocks"):
        tamis.SNBL(block_model="correlated").fit(X, y)
