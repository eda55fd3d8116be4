"""Tables, ways to split them, and the answers of the whole, for engines that hold tables in partitions."""

import json
import subprocess
import sys

import numpy as np
import pandas

ROWS, FEATURES = 240, 12


def two_classes():
    """Numbers with missing values, a label of text, and weights."""
    rng = np.random.default_rng(5)
    label = np.arange(ROWS) * 7 % 5 < 2
    table = pandas.DataFrame(rng.standard_normal((ROWS, FEATURES)), columns=[f"g{j}" for j in range(FEATURES)])
    table[["g0", "g3", "g5"]] += 0.8 * label[:, None]
    table["g4"] = 3.0  # says nothing
    table = table.mask(rng.uniform(size=table.shape) < 0.1)
    table["w"] = rng.integers(0, 4, ROWS).astype(float)
    return table.assign(label=np.where(label, "ill", "well"))


def three_classes():
    table = two_classes().drop(columns=["w", "label"])
    label = np.arange(ROWS) % 3
    return table.assign(g1=table["g1"] + label, label=label)


def number():
    table = two_classes().drop(columns=["w", "label"])
    rng = np.random.default_rng(6)
    return table.assign(label=table["g1"].fillna(0.0) + rng.standard_normal(ROWS))


def mixed():
    """Categories with missing values, booleans, whole numbers, and names that engines find hard."""
    rng = np.random.default_rng(7)
    label = np.arange(ROWS) * 3 % 7 < 3
    colour = np.array(["red", "green", "blue"], dtype=object)[(rng.integers(0, 3, ROWS) + label) % 3]
    colour[::17] = None
    return pandas.DataFrame(
        {
            "a.b": rng.standard_normal(ROWS) + label,
            "colour": colour,
            "town": rng.choice(["x", "y", "NA"], ROWS),
            "yes": rng.uniform(size=ROWS) < 0.3 + 0.3 * label,
            "count": rng.integers(0, 50, ROWS),
            "`q` 1": rng.standard_normal(ROWS),
            "label": np.where(label, "ill", "well"),
        }
    )


# a table, and how the engines and the program are asked for the same
TABLES = {
    "two classes": (two_classes, {"drop": "w"}, ["--drop", "w"]),
    "weighted": (two_classes, {"weight": "w", "positive": "ill"}, ["--weight", "w", "--positive", "ill"]),
    "adjusted": (two_classes, {"weight": "w", "covariates": ["g6", "g7"]},
                 ["--weight", "w", "--covariate", "g6", "--covariate", "g7"]),
    "three classes": (three_classes, {}, []),
    "number": (number, {}, []),
    "mixed": (mixed, {"keep": ["count"]}, ["--keep", "count"]),
    "settings": (two_classes, {"drop": ["w"], "prior": "normal", "statistic": "pooled", "seed": 3},
                 ["--drop", "w", "--set", "prior=normal", "--set", "score=pooled", "--seed", "3"]),
}  # fmt: skip

# the same for methods on codes
CODED = {
    "categories": (mixed, {"method": "jmi", "k": 3}, ["--method", "jmi", "--set", "k=3"]),
    "weights": (two_classes, {"method": "mim", "k": 3, "weight": "w"},
                ["--method", "mim", "--set", "k=3", "--weight", "w"]),
    "number": (number, {"method": "npfs", "k": 3, "n_bootstraps": 20, "permutations": 5},
               ["--method", "npfs", "--set", "k=3", "--set", "bootstraps=20", "--set", "permutations=5"]),
    "pairs": (two_classes, {"method": "pairs", "permutations": 5, "drop": "w"},
              ["--method", "pairs", "--set", "permutations=5", "--drop", "w"]),
    "k by permutations": (two_classes, {"method": "jmi", "k": "auto", "drop": "w"},
                          ["--method", "jmi", "--set", "k=auto", "--drop", "w"]),
}  # fmt: skip


def of_whole(table, arguments, tmp_path):
    """The program's answer for the table in one piece."""
    file = tmp_path / "whole.parquet"
    table.to_parquet(file, index=False)
    command = [sys.executable, "-m", "tamis", "select", str(file), "--target", "label", *arguments]
    if "--method" not in arguments and not any(str(argument).startswith("prior=") for argument in arguments):
        command += ["--set", "null_targets=rows"]  # as in partitions
    out = subprocess.run([*command, "--json", "-", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def check_same(found, wanted):
    """The adapter's answer is that of a document of the whole."""
    assert found.features == [feature["name"] for feature in wanted["features"]]
    columns = {"scores": "score", "effects": "effect", "probabilities": "probability", "q_values": "q_value"}
    for ours, theirs in columns.items():
        values = np.array([feature[theirs] for feature in wanted["features"]], dtype=float)
        if getattr(found, ours) is None:
            assert np.isnan(values).all()
            continue
        # the rest goes from the scores through an optimiser, which ends at its tolerance
        np.testing.assert_allclose(getattr(found, ours), values, rtol=1e-11 if ours == "scores" else 1e-6)
    assert found.support.tolist() == [feature["selected"] for feature in wanted["features"]]
    assert found.ranking.tolist() == [feature["rank"] for feature in wanted["features"]]
    document = json.loads(found._document.json())
    for theirs in ["rows", "features", "target", "classes", "positive"]:
        assert document["input"].get(theirs) == wanted["input"].get(theirs), theirs
    assert document["method"] == wanted["method"]
    assert document["seed"] == wanted["seed"]


def even(table, n):
    return [table.iloc[len(table) * i // n : len(table) * (i + 1) // n] for i in range(n)]


SPLITS = {
    "one": lambda table: [table],
    "seven": lambda table: even(table, 7),
    "shuffled": lambda table: even(table.sample(frac=1, random_state=1), 3),
    "one empty": lambda table: [*even(table, 2), table.iloc[:0]],
    "a class apiece": lambda table: even(table.sort_values("label"), 4),
}
# every table, and every split of the most varied one
PAIRS = [(case, "seven") for case in TABLES] + [("mixed", split) for split in SPLITS if split != "seven"]
PAIRS += [("weighted", "a class apiece"), ("number", "shuffled")]


def check_estimator(found, fitted):
    """The adapter's answer has the bits of an estimator fitted to the whole."""
    np.testing.assert_array_equal(found.scores, fitted.scores_)
    np.testing.assert_array_equal(found.support, fitted.support_)
    np.testing.assert_array_equal(found.ranking, fitted.ranking_)
    if fitted.q_values_ is not None:
        np.testing.assert_array_equal(found.q_values, fitted.q_values_)
