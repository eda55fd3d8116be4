"""Vector machines beside scikit-learn's classifiers on the same folds: `bench/run machines`.

Everything is learned inside the training rows of a fold, one thread each. Ours run as the program `tamis evaluate` with
the folds from a file; a peer's parameters are tuned by cross-validation inside the training rows.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from side_by_side import HERE, ONE_THREAD, OURS, verdict

PROGRAM = OURS.with_name("tamis")
SHARED = HERE.parent.parent / "shared" / "data"
SETS = ["heart", "raetsch_splice", "waveform", "ada_train", "parkinsons", "spect", "congress"]
GENES = {"colon": 0.85, "leukemia": 0.95, "prostate": 0.75}
MOST_ROWS, FOLDS = 1000, 5

MACHINES = {
    "pfcvm-lp": ("pfcvm-lp", {}),
    "pfcvm-lp refit=gp": ("pfcvm-lp", {"refit": "gp"}),
    "pfcvm-lp kernel=linear": ("pfcvm-lp", {"kernel": "linear"}),
    "pfcvm-lp kernel=rbf average=3": ("pfcvm-lp", {"kernel": "rbf", "average": 3}),
    "pfcvm-em kernel=rbf": ("pfcvm-em", {"kernel": "rbf"}),
    "rvm": ("rvm", {}),
    "ard": ("ard", {}),
    "logistic": ("logistic", {}),
    "slda": ("slda", {}),
}
FORMER = "pfcvm-lp kernel=linear"  # the default before kernel=auto


def peers():
    inner = StratifiedKFold(5, shuffle=True, random_state=0)
    scaled = lambda model: make_pipeline(SimpleImputer(), StandardScaler(), model)
    svc = GridSearchCV(SVC(probability=True, random_state=0), {"C": [0.3, 1, 10, 100]}, cv=inner)
    return {
        "logistic regression, l2": scaled(LogisticRegressionCV(Cs=10, cv=inner, scoring="neg_log_loss", max_iter=2000)),
        "logistic regression, l1": scaled(
            LogisticRegressionCV(Cs=10, cv=inner, penalty="l1", solver="liblinear", scoring="neg_log_loss", max_iter=2000)
        ),
        "SVM, rbf": scaled(svc),
        "random forest": make_pipeline(SimpleImputer(), RandomForestClassifier(500, random_state=0, n_jobs=1)),
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "nearest neighbours": scaled(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [5, 15, 25]}, cv=inner)),
    }


def load(name):
    table = pd.read_csv(SHARED / f"{name}.csv.gz")
    labels = table.pop("label").to_numpy()
    X = table.to_numpy(float)
    keep = np.isin(labels, np.unique(labels)[:2]) if name == "waveform" else np.ones(len(labels), bool)
    X, y = X[keep], np.unique(labels[keep], return_inverse=True)[1]
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X[rows], y[rows]
    return X, y


def program(X, y, splits, method, settings):
    """Accuracy, AUC, log loss and features of every split, and seconds of CPU."""
    with tempfile.TemporaryDirectory() as folder:
        table, given = Path(folder) / "table.npz", Path(folder) / "splits.json"
        np.savez(table, X=X, y=y)
        listed = [{"train": train.tolist(), "test": test.tolist()} for train, test in splits]
        given.write_text(json.dumps({"splits": listed}))
        command = [PROGRAM, "evaluate", table, "--method", method, "--splits", given, "--threads", 1, "--json", "-", "--quiet"]
        for key, value in settings.items():
            command += ["--set", f"{method}.{key}={value}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([*map(str, command)], env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode:
        raise RuntimeError(done.stderr)
    run = json.loads(done.stdout)["runs"][0]
    if run.get("failed"):
        raise RuntimeError(run["failed"])
    folds = run["folds"]
    return {
        "accuracy": np.mean([1 - f["error"] for f in folds]),
        "auc": np.mean([f["auc"] for f in folds if f["auc"] is not None]),
        "log_loss": np.mean([f["log_loss"] for f in folds]),
        "features": np.mean([f["n_selected"] for f in folds]),
        "seconds": seconds,
        "folds": folds,
    }


def peer(X, y, splits, model):
    found, start = [], time.process_time()
    for train, test in splits:
        model.fit(X[train], y[train])
        p = np.clip(model.predict_proba(X[test]), 1e-15, 1)
        last = model[-1] if hasattr(model, "steps") else model
        kept = (np.abs(last.coef_).sum(axis=0) > 0).sum() if hasattr(last, "coef_") else X.shape[1]
        area = roc_auc_score(y[test], p[:, 1]) if p.shape[1] == 2 else roc_auc_score(y[test], p, multi_class="ovo")
        found.append((np.mean(p.argmax(axis=1) == y[test]), area, log_loss(y[test], p), kept))
    values = np.mean(found, axis=0)
    return dict(zip(["accuracy", "auc", "log_loss", "features"], values)) | {"seconds": time.process_time() - start}


def table(rows):
    print(f"{'':32}{'accuracy':>9}{'AUC':>8}{'log loss':>10}{'features':>10}{'CPU s':>9}")
    for name, r in rows.items():
        print(f"{name:32}{r['accuracy']:9.3f}{r['auc']:8.3f}{r['log_loss']:10.3f}{r['features']:10.1f}{r['seconds']:9.2f}", flush=True)


def on_sets():
    results = {}
    for name in SETS:
        if not (SHARED / f"{name}.csv.gz").exists():
            print(f"{name}: skipped, the data are not beside the project")
            continue
        X, y = load(name)
        splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(X, y))
        rows = {label: program(X, y, splits, *machine) for label, machine in MACHINES.items()}
        rows |= {label: peer(X, y, splits, model) for label, model in peers().items()}
        results[name] = rows
        print(f"\n{name}: {X.shape[0]} × {X.shape[1]}, {FOLDS} folds")
        table(rows)
    if not results:
        return
    labels = list(next(iter(results.values())))
    print(f"\nmean ranks over {len(results)} sets (1 is best){'':8}accuracy     AUC  log loss")
    signs = {"accuracy": -1, "auc": -1, "log_loss": 1}
    ranks = {m: np.mean([pd.Series([s * r[x][m] for x in labels]).rank() for r in results.values()], axis=0) for m, s in signs.items()}
    for at in np.argsort(ranks["log_loss"]):
        print(f"{labels[at]:45}{ranks['accuracy'][at]:9.1f}{ranks['auc'][at]:8.1f}{ranks['log_loss'][at]:10.1f}")
    better = sum(r["pfcvm-lp"]["log_loss"] < r[FORMER]["log_loss"] for r in results.values())
    near = 0
    for rows in results.values():
        best = min(r["log_loss"] for label, r in rows.items() if label not in MACHINES)
        near += rows["pfcvm-lp refit=gp"]["log_loss"] <= best + 0.01
    print(f"\nkernel=auto has a smaller log loss than the former default on {better} of {len(results)}"
          f"   bar all but one: {verdict(better, len(results) - 1)}")
    print(f"refit=gp is within .01 of the best peer on {near} of {len(results)}   bar half: {verdict(near, len(results) / 2)}")


TEST_ROWS = 2000


def design(kind, features, rng, rows):
    """Normal columns, the first two of which decide the class together; 5 % of the labels are flipped."""
    X = rng.standard_normal((rows, features))
    squares = X[:, 0] ** 2 + X[:, 1] ** 2
    y = X[:, 0] * X[:, 1] > 0 if kind == "XOR" else squares < 2 * np.log(2)  # the median of a chi-square of two degrees
    return X, (y ^ (rng.random(rows) < 0.05)).astype(int)


def on_designs():
    draws = int(os.environ.get("TAMIS_DRAWS", 10))
    print(f"\n## Features that matter together: 400 rows, {draws} draws, {TEST_ROWS} other rows, median accuracy\n")
    for kind, features, bar in [("XOR", 50, 0.88), ("XOR", 100, 0.88), ("ring", 50, 0.88), ("XOR", 200, 0.85)]:
        right, both, noise, of_peers = [], [], [], {}
        for draw in range(draws):
            rng = np.random.default_rng([features, draw, len(kind)])
            X, y = design(kind, features, rng, 400 + TEST_ROWS)
            splits = [(np.arange(400), np.arange(400, 400 + TEST_ROWS))]
            right.append(program(X, y, splits, "pfcvm-lp", {})["accuracy"])
            kept = selected(X[:400], y[:400])
            both.append({"f0", "f1"} <= set(kept))
            noise.append(len(set(kept) - {"f0", "f1"}))
            if draw < 3:
                for label, model in peers().items():
                    of_peers.setdefault(label, []).append(peer(X, y, splits, model)["accuracy"])
        median = np.median(right)
        print(f"{kind} of 2 among {features}: pfcvm-lp {median:.3f}   bar {bar}: {verdict(median, bar)}; both kept in "
              f"{sum(both)} of {draws}   bar 9 of 10: {verdict(sum(both), 0.9 * draws)}; noise kept {np.mean(noise):.1f}"
              f"   bar .5: {verdict(np.mean(noise), 0.5, False)}")
        print("   " + ", ".join(f"{label} {np.median(values):.3f}" for label, values in of_peers.items()), flush=True)


def selected(X, y):
    """The features that `tamis select` keeps."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]).assign(label=y).to_csv(path, index=False)
        command = [str(PROGRAM), "select", str(path), "--target", "label", "--task", "classes", "--method", "pfcvm-lp", "--json", "-", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return [f["name"] for f in found["features"] if f.get("selected")]


def on_genes():
    print("\n## Wide tables: AUC in 5 folds, or nothing found\n")
    for name, bar in GENES.items():
        if not (SHARED / f"{name}.csv.gz").exists():
            continue
        X, y = load(name)
        X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
        splits = list(StratifiedKFold(5, shuffle=True, random_state=1).split(X, y))
        for method in ["pfcvm-lp", "pfcvm-em"]:
            for kernel in ["linear", "rbf", "poly"]:
                folds = program(X, y, splits, method, {"kernel": kernel})["folds"]
                nothing = sum(f["n_selected"] == 0 for f in folds)
                constant = [f for f in folds if f["auc"] == 0.5 and f["n_selected"] > 0]
                areas = [f["auc"] for f in folds if f["n_selected"] > 0]
                mean = np.mean(areas) if areas else float("nan")
                line = f"{name:10} {method} kernel={kernel:7} AUC {mean:.3f} in {len(areas)} folds, nothing found in {nothing}"
                print(f"{line}; constant with features: {len(constant)}   bar {bar}: {verdict(mean, bar) if areas else 'nothing'}", flush=True)


def machines():
    warnings.simplefilter("ignore")
    print("\n## Vector machines beside scikit-learn, everything inside the folds\n")
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is missing: cargo build --release --package tamis-cli")
    on_sets()
    on_designs()
    on_genes()
