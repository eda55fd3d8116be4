"""Tables larger than memory: what `compare.py` runs under the names scale, growth and spark."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

from side_by_side import DATA, OURS, in_turn, least, ours, verdict


def scale():
    """A table read in pieces, on all cores; TAMIS_SCALE_ROWS makes it shorter (10,000,000 is what the bars are for).

    Parquet is compressed by snappy, as pandas, Spark and tamis write it; zstd takes two thirds of the time to decompress.
    """
    print("\n## The same answer from shards, 20,000 × 200: relative difference of the scores from the whole table's\n")
    for r in ours("scale-same")["found"]:
        good = r["off"] <= 1e-11 and r["far"] <= 1e-7 and r["same_selection"] and r["same_bits"]
        print(f"{r['shards']:2} shards, {r['how']}: {r['off']:.1e}; far from 0 {r['far']:.1e}; same selection "
              f"{r['same_selection']}; same bits in another order {r['same_bits']}   bars 1e-11, 1e-7: {verdict(good, True)}")
    null_targets()
    rows, columns = int(os.environ.get("TAMIS_SCALE_ROWS", 10_000_000)), 50
    print(f"\n## {rows:,} × {columns} in pieces\n")
    DATA.mkdir(exist_ok=True)
    text, parquet = DATA / f"scale-{rows}.csv", DATA / f"scale-{rows}.parquet"
    for path, make in [
        (text, lambda part: [str(OURS), "scale-make", str(rows), str(columns), str(part)]),
        (parquet, lambda part: [sys.executable, "-c", f"import polars as pl\npl.scan_csv({str(text)!r}).sink_parquet({str(part)!r}, compression='snappy')"]),
    ]:
        if not path.exists():
            print(f"making {path.name} …", file=sys.stderr)
            part = path.with_suffix(".making")
            subprocess.run(make(part), check=True, stdout=subprocess.DEVNULL)
            part.rename(path)

    def job(name, path):
        command = [str(OURS), f"scale-{name}", str(path), "label"]
        return lambda: json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    got = in_turn(3, parse=job("parse", text), csv=job("select", text), parquet=job("select", parquet))
    parse, whole, columnar = got["parse"], got["csv"], got["parquet"]
    assert whole["selected"] == columnar["selected"], "the same data, the same selection"
    size = text.stat().st_size
    print(f"{size / 1e9:.2f} GB of text; {whole['selected']} of {columns} features named")
    for name, result in got.items():
        print(f"{name:8} {result['wall']:7.2f} s, {result['seconds']:7.2f} s of CPU   peak {result['peak_bytes'] / 1e6:6.0f} MB   {size / 1e6 / result['wall']:6.0f} MB/s")
    ratio = whole["seconds"] / parse["seconds"]
    print(f"against parsing alone: {ratio:.2f}×   bar 1.2×: {verdict(ratio, 1.2, False)}")
    print(f"peak memory: {whole['peak_bytes'] / 1e6:.0f} MB   bar 300 MB: {verdict(whole['peak_bytes'], 3e8, False)}")
    ratio = whole["wall"] / columnar["wall"]
    print(f"Parquet: {ratio:.1f}× faster than CSV   bar 3×: {verdict(ratio, 3)}")
    one = {**os.environ, "RAYON_NUM_THREADS": "1"}
    for path in (text, parquet):
        def pieces(*more, path=path):
            command = [str(OURS), "rows-pieces", str(path), *more]
            return lambda: json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=one).stdout)

        got = in_turn(1, none=pieces("0"), default=pieces())
        ratio, peak = got["default"]["seconds"] / got["none"]["seconds"], got["default"]["peak_bytes"]
        print(f"{path.suffix}: null targets {got['default']['seconds']:.1f} s of CPU, {ratio:.2f}× of --permutations 0   "
              f"bar 1.6×: {verdict(ratio, 1.6, False)}; {peak / 1e6:.0f} MB   bar 100 MB: {verdict(peak, 1e8, False)}")


PEER = """
import json, sys, time
import numpy as np
from sklearn.feature_selection import f_classif
rows, columns = int(sys.argv[1]), int(sys.argv[2])
x = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
y = np.arange(rows) * 7 % 5 < 2
times = []
for _ in range(2):
    start = time.process_time()
    f_classif(x, y)
    times.append(time.process_time() - start)
print(json.dumps({"seconds": min(times)}))
"""


def null_targets():
    """Null targets by rows, one thread: memory, time, states, and noise in shards; TAMIS_QUIET_RUNS makes the last shorter."""
    one = {**os.environ, "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

    def job(*command):
        return json.loads(subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, env=one).stdout)

    rows, columns = 1_000_000, 200
    print(f"\n## Null targets by rows, one thread: {rows:,} × {columns} in single precision, in memory\n", flush=True)
    got, peer = job(OURS, "rows-memory", rows, columns), job(sys.executable, "-c", PEER, rows, columns)
    ratio = got["seconds"] / peer["seconds"]
    print(f"{got['seconds']:.1f} s, {ratio:.1f}× one f_classif ({peer['seconds']:.2f} s)   bar 12×: {verdict(ratio, 12, False)}")
    print(f"{got['beyond'] / 1e6:.0f} MB beyond the matrix   bar 300 MB: {verdict(got['beyond'], 3e8, False)}")
    print("\n## A state of 20,000 features and 199 null targets, and 1,000 of them merged\n", flush=True)
    got = job(OURS, "rows-states", 1000, 20_000, 1000)
    print(f"profile {got['profiling']:.2f} s, state {got['seconds']:.1f} s for 1,000 rows")
    print(f"{got['bytes'] / 1e6:.1f} MB   bar 40 MB: {verdict(got['bytes'], 4e7, False)}")
    print(f"merged in {got['merging']:.1f} s   bar 60 s: {verdict(got['merging'], 60, False)}; "
          f"{got['peak_bytes'] / 1e6:.0f} MB   bar 1 GB: {verdict(got['peak_bytes'], 1e9, False)}")
    print("\n## What grows with what, in memory: CPU seconds\n", flush=True)
    for what, sizes in [("rows", [(10_000 * 4**e, 100) for e in range(4)]), ("columns", [(10_000, 50 * 4**e) for e in range(4)])]:
        times = [job(OURS, "rows-memory", *size)["seconds"] for size in sizes]
        slope = math.log(times[-1] / times[1]) / math.log(16)
        print(f"{what}: {', '.join(f'{t:.2f}' for t in times)}   exponent {slope:.2f}")
    runs = int(os.environ.get("TAMIS_QUIET_RUNS", 300))
    print(f"\n## Noise in 1, 5 and 40 shards: tables of {runs} with anything named\n", flush=True)
    for r in job(OURS, "rows-quiet", runs)["found"]:
        share = r["named"] / r["runs"]
        print(f"{r['table']:10} {r['named']} ({100 * share:.1f} %), at most {r['most']} features; the same in 5 and 40 shards: "
              f"{r['same_in_shards']}   bar 1 %: {verdict(share <= 0.01 and r['same_in_shards'], True)}")


def growth():
    """What grows with what, one thread: seconds, bytes and exponents."""
    print("\n## What grows with what: CPU seconds\n")

    def slope(sizes, values):
        """Of a straight line through the logarithms of the larger sizes, where nothing else counts any more."""
        pairs = [(math.log(n), math.log(v)) for n, v in zip(sizes[1:], values[1:]) if v]
        middle = [sum(values) / len(pairs) for values in zip(*pairs)]
        apart = [(x - middle[0], y - middle[1]) for x, y in pairs]
        return sum(x * y for x, y in apart) / sum(x * x for x, _ in apart)

    for what, sizes in [
        ("rows, 50 columns", [(10**e, 50) for e in range(3, 8)]),
        ("columns, 1,000 rows", [(1000, 10**e) for e in range(2, 6)] + [(100, 10**6)]),
    ]:
        got = [least([ours("growth", *size) for _ in range(3 if size[0] * size[1] < 10**8 else 1)]) for size in sizes]
        print(f"by {what}")
        print("      size    sum rows   merge  empirical Bayes   jmi, k = 10   state, bytes     peak MB")
        for size, r in zip(sizes, got):
            n = size[0] if what.startswith("rows") else size[1]
            ranking = "" if r["ranking"] is None else f"{r['ranking']:.4f}"
            print(f"{n:10,} {r['seconds']:11.4f} {r['merging']:7.4f} {r['answering']:16.4f} {ranking:>13} {r['bytes']:14,} {r['peak_bytes'] / 1e6:11,.0f}")
        at = [size[0] if what.startswith("rows") else size[1] for size in sizes]
        if not what.startswith("rows"):
            at, got = at[:-1], got[:-1]  # the last one has fewer rows
        exponents = [slope(at, [r[key] for r in got]) for key in ("seconds", "merging", "answering", "ranking", "bytes")]
        print("exponent   {:11.2f} {:7.2f} {:16.2f} {:13.2f} {:14.2f}\n".format(*exponents))


SPARK = """
import json, os, sys, time
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.ml.feature import UnivariateFeatureSelector, VectorAssembler
from pyspark.sql import SparkSession
import tamis.spark

builder = SparkSession.builder.master("local[2]").appName("bench").config("spark.driver.memory", "4g")
for key in ["spark.ui.enabled", "spark.ui.showConsoleProgress"]:
    builder = builder.config(key, "false")
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
table = spark.read.parquet(sys.argv[1])
features = [name for name in table.columns if name != "label"]

def frame():
    return tamis.spark.select(table, "label").selected

def files():
    return tamis.spark.select(sys.argv[1], "label").selected

def peer():
    vectors = VectorAssembler(inputCols=features, outputCol="features").transform(table)
    selector = UnivariateFeatureSelector(featuresCol="features", labelCol="label", selectionMode="fwe")
    selector.setFeatureType("continuous").setLabelType("categorical")
    return [features[j] for j in selector.fit(vectors).selectedFeatures]

found = {}
for _ in range(1 + int(sys.argv[2])):
    for select in [frame, files, peer]:
        start = time.perf_counter()
        selected = sorted(select())
        found.setdefault(select.__name__, []).append((time.perf_counter() - start, selected))
print(json.dumps({name: min(all[1:]) for name, all in found.items()}))  # in the first Java compiles and Python imports
"""


def spark():
    """Wall time on a cluster of two local workers, from Parquet; TAMIS_SPARK_ROWS makes it shorter."""
    rows, columns = int(os.environ.get("TAMIS_SPARK_ROWS", 2_000_000)), 50
    print(f"\n## Spark, local[2]: {rows:,} × {columns} doubles in Parquet, two classes\n", flush=True)
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        print("SKIPPED: there is no Java")
        return
    path = DATA / f"spark-{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        print(f"making {path.name} …", file=sys.stderr)
        code = (
            "import numpy as np, polars as pl\n"
            f"rng = np.random.default_rng(4); label = rng.integers(0, 2, {rows})\n"
            f"columns = {{f'f{{j}}': rng.standard_normal({rows}) + (0.05 * label if j < 10 else 0) for j in range({columns})}}\n"
            f"pl.DataFrame(columns | {{'label': label}}).write_parquet({str(path) + '.making'!r}, compression='snappy', row_group_size=100_000)"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        Path(f"{path}.making").rename(path)
    out = subprocess.run([sys.executable, "-c", SPARK, str(path), "3"], capture_output=True, text=True, check=True)
    got = json.loads(out.stdout.strip().splitlines()[-1])
    theirs = got["peer"][0]
    for name, who in [("peer", "UnivariateFeatureSelector"), ("frame", "tamis, the DataFrame"), ("files", "tamis, the files")]:
        took, selected = got[name]
        line = f"{who:26} {took:7.2f} s   {rows / took:12,.0f} rows/s   {len(selected)} of {columns} features selected"
        print(line + ("" if name == "peer" else f"   {theirs / took:4.1f}×   bar 5×: {verdict(theirs / took, 5)}"))
