"""Cells: 20,000 × 30,000 counts of which 5 % are not zero, beside a t-test written by hand with SciPy.

`compare` prints the time of the scores, both in one process, and the memory that the program takes with the same table as
10x's folder. Run as a script with a folder it makes that table and prints the times as one line of JSON.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from side_by_side import DATA, ONE_THREAD, OURS, run, verdict

CELLS, GENES, SHARE, REPEATS = 20_000, 30_000, 0.05, 3


def compare():
    print(f"\n## {CELLS:,} cells × {GENES:,} genes, {SHARE:.0%} not zero\n")
    folder = DATA / "cells"
    got = run([sys.executable, __file__, str(folder)])
    for layout in ("columns", "rows"):
        mine, theirs = got[f"{layout}_seconds"], got[f"{layout}_by_hand_seconds"]
        print(
            f"scores, by {layout:8} {mine:6.2f} s   a t-test by hand {theirs:6.2f} s   we take {mine / theirs:.2f}× that"
            f"   bar 1.5×: {verdict(mine / theirs, 1.5, False)}"
        )
    command = [str(OURS.with_name("tamis")), "select", str(folder / "matrix.mtx"), "--samples", str(folder / "samples.csv")]
    command += ["--target", "group", "--json", os.devnull, "--quiet", "--threads", "1"]
    program = subprocess.Popen(command, env=os.environ | ONE_THREAD, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(program.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    seconds = used.ru_utime + used.ru_stime
    bar = 3 * 12 * got["non_zeros"]
    peak = used.ru_maxrss * 1024
    print(
        f"tamis select matrix.mtx, 199 permutations: {seconds:.0f} s, memory {peak / 1e6:.0f} MB for {got['non_zeros']:,} "
        f"numbers   bar {bar / 1e6:.0f} MB: {verdict(peak, bar, False)}"
    )


def by_hand(X, y):
    """Welch's t from the sums and squares of each class."""
    import numpy as np

    of_class = np.column_stack([y == 0, y == 1]).astype(float)
    sizes = of_class.sum(axis=0)
    squares = X.copy()
    squares.data **= 2
    sums = X.T @ of_class
    means = sums / sizes
    variances = (squares.T @ of_class - sums * means) / (sizes - 1)
    return (means[:, 1] - means[:, 0]) / np.sqrt((variances / sizes).sum(axis=1))


def least_seconds(work):
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main(folder):
    import numpy as np
    from scipy import io, sparse

    import tamis

    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat([0, 1], CELLS // 2))
    counts = sparse.random(CELLS, GENES, SHARE, "csc", rng=rng, data_rvs=lambda n: rng.poisson(1.5, n) + 1.0)
    if not (folder / "samples.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        io.mmwrite(folder / "matrix.mtx", counts.T.astype(int))
        (folder / "barcodes.tsv").write_text("".join(f"cell{i}\n" for i in range(CELLS)))
        (folder / "features.tsv").write_text("".join(f"id{j}\tgene{j}\tGene Expression\n" for j in range(GENES)))
        (folder / "samples.csv").write_text("cell,group\n" + "".join(f"cell{i},{'ab'[c]}\n" for i, c in enumerate(y)))
    found = {"non_zeros": counts.nnz}
    for name, X in (("columns", counts), ("rows", counts.tocsr())):
        found[f"{name}_seconds"] = least_seconds(lambda: tamis.scores(X, y))
        found[f"{name}_by_hand_seconds"] = least_seconds(lambda: by_hand(X, y))
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
