"""Python and the program agree to the bit."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tamis

ROOT = Path(__file__).resolve().parents[2]


def program():
    given = os.environ.get("TAMIS_PROGRAM")
    found = [Path(given)] if given else [ROOT / "target" / kind / "tamis" for kind in ("release", "debug")]
    found = [path for path in found if path.exists()]
    if not found:
        pytest.skip("the program is not built: cargo build")
    return max(found, key=lambda path: path.stat().st_mtime)


def write(path, X, y):
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join([*names, "y"])]
    lines += [
        ",".join([*("" if np.isnan(v) else repr(float(v)) for v in row), str(t)]) for row, t in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


CASES = [
    ("snbl", tamis.SNBL(random_state=3), {}),
    ("snbl", tamis.SNBL(prior="kde", null="empirical"), {"prior": "kde", "null": "empirical"}),
    (
        "snbl",
        tamis.SNBL(score="mann-whitney", decide="fdr:0.1", random_state=3),
        {"score": "mann-whitney", "decide": "fdr:0.1"},
    ),
    ("mrmr", tamis.MutualInformation("mrmr", k=7, form="quotient"), {"k": 7, "form": "quotient"}),
    ("dependence", tamis.Dependence(permutations=40, random_state=3), {"permutations": 40}),
    ("needed", tamis.Needed(draws=300, random_state=3), {"draws": 300}),
    ("npfs", tamis.NPFS(n_bootstraps=30, random_state=3), {"bootstraps": 30}),
    ("jmi", tamis.MutualInformation(k="auto", random_state=3), {"k": "auto"}),
    ("pairs", tamis.Pairs(permutations=8, random_state=3), {"permutations": 8}),
    (
        "npfs",
        tamis.NPFS("fisher", null="binomial", k=5, random_state=3),
        {"base": "fisher", "null": "binomial", "k": 5},
    ),
    ("pfcvm-lp", tamis.PFCVM(random_state=3), {}),
    ("pfcvm-em", tamis.PFCVM("em", random_state=3), {}),
    ("ard", tamis.ARD(strictness=0.25), {"strictness": 0.25}),
    ("jcfo", tamis.JCFO(gamma2=3.0, random_state=3), {"gamma2": 3}),
]


@pytest.mark.parametrize("target", ["numbers", "text"])
@pytest.mark.parametrize(("method", "estimator", "given"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_selections_agree(method, estimator, given, target, two_groups, tmp_path):
    X, y = two_groups
    if method == "snbl":
        X = X.copy()
        X[4, 3] = np.nan
    y = np.where(y == 1, "yes", "no") if target == "text" else y
    write(tmp_path / "data.csv", X, y)
    command = [program(), "select", tmp_path / "data.csv", "--target", "y", "--method", method, "--seed", "3"]
    command += [part for key, value in given.items() for part in ("--set", f"{key}={value}")]
    out = subprocess.run([*map(str, command), "--json", "-", "--quiet"], capture_output=True, text=True, check=True)
    features = json.loads(out.stdout)["features"]
    found = estimator.fit(X, y)

    def column(key):
        return np.array([np.nan if f[key] is None else f[key] for f in features])

    np.testing.assert_array_equal(found.scores_, column("score"))
    np.testing.assert_array_equal(found.support_, column("selected").astype(bool))
    if method.startswith("pfcvm") or method in ("ard", "jcfo"):
        return
    np.testing.assert_array_equal(found.ranking_, column("rank"))
    for key, values in [
        ("effect", found.effects_),
        ("probability", found.probabilities_),
        ("q_value", found.q_values_),
    ]:
        if values is not None:
            np.testing.assert_array_equal(values, column(key))


@pytest.mark.parametrize(
    ("method", "estimator"),
    [
        ("pfcvm-lp", tamis.PFCVM(random_state=3)),
        ("jcfo", tamis.JCFO(random_state=3)),
        ("ard", tamis.ARD()),
        ("pcvm", tamis.PCVM(random_state=3)),
        ("rvm", tamis.RVM(random_state=3)),
        ("dlda", tamis.ShrunkenDLDA()),
    ],
)
def test_predictions_agree(method, estimator, two_groups, tmp_path):
    X, y = two_groups
    write(tmp_path / "data.csv", X, y)
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    start = [str(program())]
    file = [str(tmp_path / "data.csv"), "--model", str(model), "--quiet"]
    subprocess.run(
        [*start, "fit", *file, "--target", "y", "--method", method, "--seed", "3"], check=True, capture_output=True
    )
    subprocess.run([*start, "predict", *file, "--out", str(out)], check=True, capture_output=True)
    header, *lines = out.read_text().splitlines()
    at = header.split(",").index("p_1")
    probabilities = [float(line.split(",")[at]) for line in lines]
    np.testing.assert_array_equal(estimator.fit(X, y).predict_proba(X)[:, 1], probabilities)
