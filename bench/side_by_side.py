"""Runs jobs in processes of their own, one thread each, in turn: what `compare.py` measures with."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target")) / "release" / "tamis-bench"
DATA = HERE / "data"
ONE_THREAD = {
    name: "1"
    for name in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"]
}

PEER = """
import json, resource, time
{setup}
seconds = float("inf")
for _ in range({repeats}):
    start = time.process_time()
    {work}
    seconds = min(seconds, time.process_time() - start)
print(json.dumps({{"seconds": seconds, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}}))
"""


def run(command):
    out = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=True)
    return json.loads(out.stdout.strip().splitlines()[-1])


def ours(*arguments):
    return run([str(OURS), *map(str, arguments)])


def peer(setup, work, repeats=1):
    """The least of `repeats` in one process: the first call of a library also pays for the pages of its memory."""
    return run([sys.executable, "-c", PEER.format(setup=setup, work=work, repeats=repeats)])


def least(results):
    best = min(results, key=lambda r: r["seconds"])
    return best | {"peak_bytes": min(r["peak_bytes"] for r in results)}


def in_turn(repeats, **jobs):
    """Runs the jobs one after the other, `repeats` times round, and keeps the least of each."""
    results = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            results[name].append(job())
    return {name: least(values) for name, values in results.items()}


def verdict(value, bar, more_is_better=True):
    return "meets" if (value >= bar if more_is_better else value <= bar) else "MISSES"
