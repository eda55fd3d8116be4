"""Compares our CPU time with that of other libraries, one thread each, in one run, and prints ratios.

Every measurement is a separate process, so that its peak memory is its own. Ours and the peer's run in turn, and the
least of the repeats counts. Ratios above 1 mean that we are faster.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from browser_page import compare as compare_with_page
from cells import compare as cells
from large import growth, scale, spark
from side_by_side import DATA, HERE, OURS, in_turn, least, ours, peer, run, verdict


# How many times as fast as f_classif the scores of each layout should be.
LAYOUTS = {"float64 by rows": 4, "float64 by columns": 6, "float32 by rows": None, "float32 by columns": None,
           "1 % by columns": 1, "1 % by rows": 1, "5 % by columns": 1, "5 % by rows": 1}


def scores():
    print("\n## Scores of 1,000 × 20,000 numbers in memory (Welch's t, exact z), beside scikit-learn's f_classif\n")
    script = str(HERE / "score_layouts.py")
    jobs = {layout: lambda layout=layout: run([sys.executable, script, layout]) for layout in LAYOUTS}
    for layout, got in in_turn(2, **jobs).items():
        mine, theirs, bar = got["seconds"], got["peer_seconds"], LAYOUTS[layout]
        line = f"{layout:20} {mine * 1e3:7.1f} ms   f_classif {theirs * 1e3:7.1f} ms   {theirs / mine:5.1f}×"
        line += f"   bar {bar}×: {verdict(theirs / mine, bar)}" if bar else ""
        if "float32" in layout:
            share = got["memory_bytes"] / got["matrix_bytes"]
            line += f"   memory {share:.2f} of the matrix   bar 0.1: {verdict(share, 0.1, False)}"
        print(line)
    got = least([ours("scores", 1000, 20000) for _ in range(3)])
    mine, read = got["seconds"], got["read_seconds"]
    print(
        f"a table of the core  {mine * 1e3:7.1f} ms   a plain sum {read * 1e3:5.1f} ms   we take {mine / read:.2f}× that"
        f"   bar 3×: {verdict(mine / read, 3, False)}"
    )
    setup = (
        "import numpy as np\nfrom sklearn.feature_selection import f_classif\n"
        "X = np.random.default_rng(1).standard_normal((1000, 20000))\ny = (np.arange(1000) * 7 % 5 < 2).astype(int)"
    )
    whole_selection(lambda: peer(setup, "f_classif(X, y)", repeats=7))


def whole_selection(f_classif):
    """The whole of SNBL with null targets, beside one f_classif of as many numbers."""
    print("\n## SNBL on 1,000 × 20,000 numbers in memory, with as many permutations as by default (399)\n")
    for title, arguments, bar in [
        ("100 features at 1 sd", (100, 15.5), 10),
        ("1,000 at an expected score of 2", (1000, 2.0), 60),
        ("noise", (), None),
    ]:
        got = in_turn(2, ours=lambda: ours("snbl", 1000, 20000, *arguments), f_classif=f_classif)
        mine, theirs = got["ours"]["seconds"], got["f_classif"]["seconds"]
        line = f"{title}: {mine:6.2f} s, {mine / theirs:5.1f}× one f_classif ({theirs * 1e3:.0f} ms)"
        if bar:
            line += f"   bar {bar}×: {verdict(mine / theirs, bar, False)}"
        print(line)


def ranks():
    print("\n## Mann–Whitney of 1,000 × 20,000 numbers in memory\n")
    setup = (
        "import numpy as np\nfrom scipy.stats import mannwhitneyu\n"
        "X = np.random.default_rng(1).standard_normal((1000, 20000))\ny = np.arange(1000) * 7 % 5 < 2"
    )
    got = in_turn(2, ours=lambda: ours("ranks", 1000, 20000), scipy=lambda: peer(setup, "mannwhitneyu(X[y], X[~y], axis=0)"))
    mine, theirs = got["ours"]["seconds"], got["scipy"]["seconds"]
    print(f"tamis                {mine * 1e3:8.1f} ms")
    print(f"scipy mannwhitneyu   {theirs * 1e3:8.1f} ms   {theirs / mine:5.1f}×   bar 10×: {verdict(theirs / mine, 10)}")


def formats():
    path = make_csv("tall.csv", 1_000_000, 50)
    print("\n## 1,000,000 × 50 by format\n")
    jobs = {"csv": lambda: ours("csv", path, "label")}
    for ending, target in [("npy", "f51"), ("npz", "label"), ("parquet", "label"), ("arrow", "label")]:
        copy = DATA / f"tall.{ending}"
        if not copy.exists():
            ours("convert", path, "label", copy)
        jobs[ending] = lambda copy=copy, target=target: ours("csv", copy, target)
    # what the formats' own libraries take for the same bytes: no reader can be much faster
    npy, parquet = str(DATA / "tall.npy"), str(DATA / "tall.parquet")
    jobs["numpy.load"] = lambda: peer("import numpy as np", f"np.load({npy!r})")
    jobs["polars parquet"] = lambda: peer("import polars as pl", f"pl.read_parquet({parquet!r})")
    got = in_turn(5, **jobs)
    slow = got["csv"]["seconds"]
    matrix = got["csv"]["matrix_bytes"]
    for name, result in got.items():
        line = f"{name:14} {result['seconds'] * 1e3:8.0f} ms   peak {result['peak_bytes'] / matrix:5.2f}× the numbers"
        bar = f"   bar 5×: {verdict(slow / result['seconds'], 5)}" if name in ("npy", "parquet") else ""
        print(line + (f"   {slow / result['seconds']:5.1f}×{bar}" if name != "csv" else ""))


def make_csv(name, rows, columns):
    path = DATA / name
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        print(f"making {name} …", file=sys.stderr)
        code = (
            "import numpy as np, polars as pl\n"
            f"rng = np.random.default_rng(3)\n"
            f"columns = {{f'f{{j}}': np.round(rng.standard_normal({rows}), 6) for j in range({columns})}}\n"
            f"columns['label'] = rng.integers(0, 2, {rows})\n"
            f"pl.DataFrame(columns).write_csv({str(path)!r})"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
    return path


def csv():
    for title, name, rows, columns, repeats, bars in [
        ("Wide CSV, 200 × 20,000", "wide.csv", 200, 20_000, 5, {"polars": 5, "pandas": 5}),
        ("Tall CSV, 1,000,000 × 50", "tall.csv", 1_000_000, 50, 3, {"polars": 1.2}),
    ]:
        path = make_csv(name, rows, columns)
        print(f"\n## {title} ({path.stat().st_size / 1e6:.0f} MB)\n")
        got = in_turn(
            repeats,
            ours=lambda: ours("csv", path, "label"),
            polars=lambda: peer("import polars as pl", f"pl.read_csv({str(path)!r})"),
            pandas=lambda: peer("import pandas as pd", f"pd.read_csv({str(path)!r})"),
        )
        mine = got["ours"]["seconds"]
        matrix = got["ours"]["matrix_bytes"]
        for who, result in got.items():
            line = f"{'tamis' if who == 'ours' else who:8} {result['seconds'] * 1e3:8.0f} ms"
            line += f"   peak {result['peak_bytes'] / matrix:5.2f}× the numbers"
            if who != "ours":
                ratio = result["seconds"] / mine
                bar = bars.get(who)
                line += f"   {ratio:5.2f}×" + (f"   bar {bar}×: {verdict(ratio, bar)}" if bar else "")
            elif name == "tall.csv":
                line += f"   bar 1.5×: {verdict(result['peak_bytes'] / matrix, 1.5, False)}"
            print(line)


def information():
    print("\n## Greedy filters on codes, two classes\n")
    for rows, features, k, bar in [(1000, 2000, 20, 0.7), (5000, 500, 50, 1.1)]:
        for bins in (5, 10):
            got = least([ours("rank", "jmi", rows, features, k, bins) for _ in range(3)])
            size = f"{rows} × {features}, k = {k}, {bins} bins"
            print(f"jmi  {size:36} {got['seconds'] * 1e3:6.0f} ms   {got['giga']:5.2f} G/s   bar {bar}: {verdict(got['giga'], bar)}")
    codes = "rng = np.random.default_rng(0); X = rng.integers(0, 10, ({}, {})).astype(np.uint8); y = rng.integers(0, 2, {}).astype(np.uint8)"
    setup = "import numpy as np\n" + codes.format(1000, 200, 1000)
    jmi = "from skfeature.function.information_theoretical_based import JMI"
    got = in_turn(
        2,
        ours=lambda: ours("rank", "jmi", 1000, 200, 5, 10),
        peer=lambda: peer(f"{setup}\n{jmi}", "JMI.jmi(X, y, n_selected_features=5)"),
    )
    ratio = got["peer"]["seconds"] / got["ours"]["seconds"]
    print(f"jmi  1000 × 200, k = 5: scikit-feature {got['peer']['seconds']:.2f} s   {ratio:.0f}×")
    setup = "import numpy as np\n" + codes.format(1000, 2000, 1000) + "\nfrom fast_select import mRMR\n"
    setup += "work = lambda X: mRMR(n_features_to_select=20, backend='cpu').fit(X, y)\nwork(X[:, :50])"
    got = in_turn(
        2,
        ours=lambda: ours("rank", "mrmr", 1000, 2000, 20, 10),
        peer=lambda: peer(setup, "work(X)"),
    )
    ratio = got["peer"]["seconds"] / got["ours"]["seconds"]
    print(f"mrmr 1000 × 2000, k = 20: fast-select {got['peer']['seconds']:.2f} s   {ratio:.0f}×")


def npfs():
    print("\n## NPFS with jmi, K = 250, k = 10, 100 bootstraps\n")
    for rows, bar in [(500, 0.2), (1000, 0.15), (5000, 0.3)]:
        got = in_turn(2, binomial=lambda: ours("npfs", rows, "binomial"), default=lambda: ours("npfs", rows, "permutation"))
        one, null = got["binomial"]["seconds"], got["default"]["seconds"]
        print(f"N = {rows:5}   binomial {one:6.3f} s   bar {bar}: {verdict(one, bar, False)}"
              f"   permutation {null:6.2f} s, {null / one:4.1f}×   bar {21 * bar:.2f}: {verdict(null, 21 * bar, False)}")
    two = subprocess.run([str(OURS), "npfs", "5000", "permutation"], env=os.environ | {"RAYON_NUM_THREADS": "2"},
                         capture_output=True, text=True, check=True)
    ratio = got["default"]["wall"] / json.loads(two.stdout)["wall"]
    print(f"two threads, N = 5000: {ratio:.2f}× one   bar 1.7: {verdict(ratio, 1.7)}")
    shared = HERE.parent.parent / "shared" / "data"
    madelon = shared / "madelon_train.csv.gz"
    if madelon.exists():
        out = subprocess.run([str(OURS), "pairs", str(madelon)], capture_output=True, text=True, check=True)
        got = json.loads(out.stdout)
        print(f"pairs, madelon, 50 permutations, all threads: {got['wall']:.1f} s, {got['selected']} selected, "
              f"{got['peak_bytes'] / 1e6:.0f} MB   bar 6 s: {verdict(got['wall'], 6, False)}")
    for job in ["npfs-calibration", "npfs-experiments"]:
        print(subprocess.run([str(OURS), job], capture_output=True, text=True, check=True).stdout)
    digits = shared / "optdigits.csv.gz"
    if digits.exists():
        print(subprocess.run([str(OURS), "npfs-digits", str(digits)], capture_output=True, text=True, check=True).stdout)


# EbayesThresh 1.4 in R on this kind of machine; quoted, not run here.
EBAYESTHRESH = {10_000: 0.43, 1_000_000: 17.0}


def shrink():
    print("\n## shrink: scores in memory to the result in memory, prior=auto\n")
    found = {}
    for n in [10_000, 20_000, 1_000_000, 100_000_000]:
        got = found[n] = least([ours("shrink", n) for _ in range(1 if n > 1e7 else 3)])
        line = f"{n:>11,} scores   {got['seconds']:8.3f} s   peak {got['peak_bytes'] / 1e9:5.2f} GB"
        if n in EBAYESTHRESH:
            line += f"   EbayesThresh (quoted) {EBAYESTHRESH[n]:g} s: {EBAYESTHRESH[n] / got['seconds']:.0f}×"
        if n == 1_000_000:
            sort = got["sort_seconds"]
            all_of_it, more = got["seconds"] / sort, (got["seconds"] - found[20_000]["seconds"]) / sort
            line += f"   {all_of_it:.1f} sorts of as many numbers, bar 12: {verdict(all_of_it, 12, False)}"
            line += f"   {more:.1f} sorts more than for 20,000, bar 4: {verdict(more, 4, False)}"
        if n == 100_000_000:
            line += f"   bar 6 GB: {verdict(got['peak_bytes'] / 1e9, 6, False)}"
        print(line)


def designs():
    """Studies with designs beside limma, edgeR and survival."""
    subprocess.run([sys.executable, str(Path(__file__).parent / "designs.py")], check=True)


def r():
    """The R package beside the program, limma and qvalue."""
    print("\n## The R package beside the program and limma + qvalue\n")
    subprocess.run([sys.executable, str(Path(__file__).parent / "r_package.py")], check=True)


def calibration():
    print("\n## Calibration of the default\n", flush=True)
    subprocess.run([str(OURS), "calibration"], check=True)


def needed():
    print("\n## Which features are needed\n", flush=True)
    subprocess.run([str(OURS), "needed"], check=True)


def replication():
    """Small studies drawn from large ones, beside moderated t with Benjamini and Hochberg's and Storey's procedures."""
    leukemias = DATA / "ALL.csv"
    if shutil.which("Rscript") and not leukemias.exists():
        DATA.mkdir(exist_ok=True)
        subprocess.run(["Rscript", str(HERE / "leukemias.R"), str(leukemias)], check=False)
    subprocess.run([str(OURS), "calibration", "replication"], check=True)


FIT = """
import json, resource, time
import numpy as np, tamis
X = np.asarray(np.random.default_rng(1).standard_normal((1000, 20000)), dtype={dtype!r}, order={order!r})
y = np.arange(1000) * 7 % 5 < 2
tamis.SNBL().fit(X[:, :50], y)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seconds = []
for _ in range(7):
    start = time.process_time()
    tamis.SNBL().fit(X, y)
    seconds.append(time.process_time() - start)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{"seconds": min(seconds), "peak_bytes": (after - before) * 1024}}))
"""


def python():
    print("\n## Python: SNBL().fit of 1,000 × 20,000 against the core on a table in memory\n")
    jobs = {"core": lambda: ours("snbl", 1000, 20000)}
    for dtype, order in [("float64", "C"), ("float64", "F"), ("float32", "C")]:
        code = FIT.format(dtype=dtype, order=order)
        jobs[f"{dtype}, {order}"] = lambda code=code: run([sys.executable, "-c", code])
    got = in_turn(3, **jobs)
    core = got.pop("core")["seconds"]
    print(f"the core         {core * 1e3:6.1f} ms")
    for name, result in got.items():
        ratio = result["seconds"] / core
        bar = f"   bar 1.15×: {verdict(ratio, 1.15, False)}" if "64" in name else ""
        more = result["peak_bytes"] / (1000 * 20000 * 8)
        print(f"{name:16} {result['seconds'] * 1e3:6.1f} ms   {ratio:4.2f}×{bar}   memory above the matrix {more:.2f} of it")
    imports = in_turn(7, **{name: lambda name=name: peer("", f"import {name}") for name in ["sklearn", "tamis"]},
                      everything=lambda: peer("", "from tamis import SNBL, PFCVM, shrink"))
    base = imports.pop("sklearn")["seconds"]
    print(f"import sklearn   {base * 1e3:6.0f} ms")
    for name, bar in [("tamis", 1.3), ("everything", None)]:
        ratio = imports[name]["seconds"] / base
        print(f"import {name:10}{imports[name]['seconds'] * 1e3:6.0f} ms   {ratio:4.2f}×"
              + (f"   bar {bar}×: {verdict(ratio, bar, False)}" if bar else ""))
    subprocess.run([sys.executable, str(HERE / "python_peers.py")], check=True)


def vector():
    print("\n## Vector machines: PFCVM-LP beside a numpy program of the same algorithm (bench/pfcvm_lp.py)\n")
    shared = HERE.parent.parent / "shared" / "data"
    script = str(HERE / "pfcvm_lp.py")
    numpy = lambda *arguments: run([sys.executable, script, *map(str, arguments)]) | {"peak_bytes": 0}
    jobs = [("rbf, 400×40, one start", ("pfcvm-lp", 400, 1), ("rbf", 400, 1), 0.12, 0.48, 3),
            ("rbf, 2000×40, 200 bases", ("pfcvm-lp", 2000, 1), ("rbf", 2000, 1), 0.4, 1.05, 3),
            ("rbf, 10000×40, 4 starts", ("pfcvm-lp", 10000, 4), ("rbf", 10000, 4), None, None, 1),
            ("rbf, 20000×40, 4 starts", ("pfcvm-lp", 20000, 4), ("rbf", 20000, 4), 12, 33, 1)]
    leukemia = shared / "leukemia.csv.gz"
    if leukemia.exists():
        jobs.insert(0, ("linear, 71×7129, one fold", ("pfcvm-lp-fold", leukemia), ("fold", leukemia), 0.05, 0.15, 3))
    for title, mine, theirs, bar, quoted, repeats in jobs:
        got = in_turn(repeats, ours=lambda: ours(*mine), numpy=lambda: numpy(*theirs))
        seconds, ratio = got["ours"]["seconds"], got["numpy"]["seconds"] / got["ours"]["seconds"]
        line = f"{title:26} {seconds:7.3f} s   numpy {got['numpy']['seconds']:7.3f} s, {ratio:4.1f}×   peak {got['ours']['peak_bytes'] / 1e6:4.0f} MB"
        if bar:
            line += f"   bar {bar} s: {verdict(seconds, bar, False)}; as a ratio {quoted / bar:.1f}×: {verdict(ratio, quoted / bar)}"
        print(line)
    got = least([ours("predict", 100_000, 2000) for _ in range(3)])
    print(f"predict, 10⁵×2000, {got['kept']} kept: {got['seconds']:.4f} s in memory, {got['seconds'] / got['read_seconds']:.1f}× a plain sum of the kept "
          f"columns; reading those from a file {got['file_seconds']:.2f} s")
    for job in [["vm-synthetic"], ["vm-waveform", shared / "waveform.csv.gz"],
                ["vm-genes", shared / "colon.csv.gz", "--samplewise"], ["vm-genes", shared / "leukemia.csv.gz", "--samplewise"],
                ["vm-splits", shared / "raetsch_splice.csv.gz", shared / "raetsch_splice_splits.json.gz", 20]]:
        if all(not isinstance(part, Path) or part.exists() for part in job):
            print("\n" + " ".join(part.name if isinstance(part, Path) else str(part) for part in job), flush=True)
            subprocess.run([str(OURS), *map(str, job)], check=True)


CURVE = """
import csv, gzip, json, sys, time
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
def read(path):
    table = list(csv.reader(gzip.open(path, "rt")))
    at = table[0].index("label")
    labels = np.array([row[at] for row in table[1:]])
    return np.array([[float(v) for i, v in enumerate(row) if i != at] for row in table[1:]]), labels == max(set(labels))
(x, y), (xv, yv) = read(sys.argv[1]), read(sys.argv[2])
order = json.loads(sys.argv[3])
start = time.process_time()
areas = []
for t in range(1, len(order) + 1):
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(x[:, order[:t]], y)
    areas.append(roc_auc_score(yv, lda.decision_function(xv[:, order[:t]])))
print(json.dumps({"seconds": time.process_time() - start, "auc": areas}))
"""


def evaluate():
    print("\n## Evaluation: selection inside every fold\n")
    shared = HERE.parent.parent / "shared" / "data"
    if not shared.exists():
        print("skipped: the papers' data are not beside the project")
        return
    loo = least([ours("cross", shared / "prostate.csv.gz", "loo", "snbl+dlda") for _ in range(3)])
    print(f"leave-one-out, 102×6033, snbl + dlda: {loo['seconds']:.2f} s of CPU, AUC {loo['auc']:.3f}   bar 1.5 s: {verdict(loo['seconds'], 1.5, False)}")
    five = ["snbl+logistic", "jmi+logistic", "f+logistic", "dlda", "pfcvm-lp"]
    ten = least([ours("cross", shared / "breast.csv.gz", 10, *five) for _ in range(3)])
    print(f"10 folds, 5 methods, 569×30: {ten['seconds']:.2f} s of CPU   bar 5 s: {verdict(ten['seconds'], 5, False)}")
    command = [str(OURS), "cross", str(shared / "breast.csv.gz"), "10", *five]
    two = [json.loads(subprocess.run(command, env=os.environ | {"RAYON_NUM_THREADS": "2"}, capture_output=True, text=True, check=True).stdout)
           for _ in range(3)]
    ratio = ten["wall"] / min(t["wall"] for t in two)
    print(f"two threads: {ratio:.2f}× one   bar 1.7: {verdict(ratio, 1.7)}")
    train, valid = shared / "madelon_train.csv.gz", shared / "madelon_valid.csv.gz"
    mine = least([ours("auc-curve", train, valid) for _ in range(3)])
    theirs = run([sys.executable, "-c", CURVE, str(train), str(valid), json.dumps(mine["order"])])
    off = max(abs(a - b) for a, b in zip(mine["auc"], theirs["auc"]))
    ratio = theirs["seconds"] / mine["seconds"]
    print(f"auc-curve, madelon, 500 features: {mine['seconds']:.3f} s; scikit-learn's LDA for each number {theirs['seconds']:.1f} s, "
          f"{ratio:.0f}×   bar 50×: {verdict(ratio, 50)}; AUCs differ by at most {off:.1e}")


def machines():
    from machines import machines as run_machines  # what it imports takes seconds

    run_machines()


def relations():
    print("\n# Relations of any kind (bench/relations.py)", flush=True)
    subprocess.run([sys.executable, str(HERE / "relations.py")], check=True)


def web():
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
    subprocess.run([str(HERE.parent / "web" / "build"), "--without-parquet"], check=True)
    compare_with_page(str(target / "release" / "tamis"), target / "dist" / "web" / "index.html", make_csv("wide.csv", 200, 20_000))


JOBS = {"scores": scores, "ranks": ranks, "csv": csv, "formats": formats, "shrink": shrink, "calibration": calibration, "replication": replication, "needed": needed, "designs": designs,
        "information": information, "npfs": npfs, "relations": relations, "vector": vector, "evaluate": evaluate, "python": python,
        "scale": scale, "cells": cells, "growth": growth, "spark": spark, "machines": machines, "web": web, "r": r}
BY_NAME = {"needed", "scale", "cells", "growth", "spark", "machines", "web", "r"}  # which make gigabytes, take long, or need Chromium or R

if __name__ == "__main__":
    chosen = sys.argv[1:] or [name for name in JOBS if name not in BY_NAME]
    unknown = [name for name in chosen if name not in JOBS]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(JOBS)}")
    for name in chosen:
        JOBS[name]()
