"""The R package beside the program, and beside limma + qvalue: time, and what they name in the tables of designs.py.

python bench/r_package.py [--program PATH] [--tables N] [KIND ...]

R is needed: apt install r-base-core r-bioc-limma r-bioc-qvalue. Without qvalue, limma's p-values are adjusted by Benjamini
and Hochberg, and the output says so.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from designs import KINDS, shares, write

HERE = Path(__file__).parent
LIBRARY = HERE / "data" / "r-library"
STUDIES = ["3+3", "5+5", "20+20", "batch", "age", "pairs"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def script(*arguments: str) -> str:
    environment = {**os.environ, **ONE_THREAD, "R_LIBS": str(LIBRARY.resolve())}
    command = ["Rscript", str(HERE / "r_package.R"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def install() -> None:
    LIBRARY.mkdir(parents=True, exist_ok=True)
    command = ["R", "CMD", "INSTALL", f"--library={LIBRARY}", str(HERE.parent / "r")]
    subprocess.run(command, check=True, capture_output=True)


def cpu_seconds(command: list[str]) -> float:
    """The least CPU time of three runs."""
    found = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def speed(program: str) -> None:
    """1,000 × 20,000 numbers: the program's core is its selection less its reading."""
    rng = np.random.default_rng(1)
    y = np.array(["a", "b"] * 500)
    x = rng.standard_normal((1000, 20000)) + np.outer(y == "b", np.where(np.arange(20000) < 200, 0.3, 0.0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        names = ",".join(["y", *(f"g{j}" for j in range(20000))])
        with path.open("w") as out:
            out.write(names + "\n")
            out.writelines(f"{label},{','.join(f'{v:.6f}' for v in row)}\n" for label, row in zip(y, x, strict=True))
        select = cpu_seconds([program, "select", str(path), "--target", "y", "--threads", "1", "--quiet"])
        read = cpu_seconds([program, "describe", str(path), "--target", "y"])
        ours, limma, has_qvalue = script("speed", str(path)).split()
    core, ours, limma = select - read, float(ours), float(limma)
    verdict = "met" if ours / core <= 1.3 else "MISSED"
    print(f"1,000 × 20,000, CPU of one thread: tamis() {ours:.2f} s, {ours / core:.2f}× the program's core ({core:.2f} s)   bar 1.3×: {verdict}")
    peer = "limma + qvalue" if has_qvalue == "TRUE" else "limma + BH (qvalue is not installed)"
    print(f"{peer}: {limma:.2f} s; tamis(), which also scores 199 permuted targets, takes {ours / limma:.1f}× that", flush=True)


def quality(kind: str, tables: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, studies = Path(name), []
        for repeat in range(tables):
            studies.append(KINDS[kind](np.random.default_rng([repeat, sum(map(ord, kind))])))
            write(studies[-1], folder / f"{repeat:03}.csv")
        script(kind, name)
        line = f"{kind:8}"
        for who, seconds in zip(("tamis", "limma"), (folder / "seconds").read_text().split(), strict=True):
            found = []
            for repeat, study in enumerate(studies):
                genes = (folder / f"{repeat:03}.{who}").read_text().split()
                found.append(shares({int(gene[1:]) for gene in genes}, study.truth))
            true, false = np.mean(found, axis=0)
            line += f" | {who}: {true:6.1f} true, {false:.3f} false, {float(seconds) / tables:.2f} s"
        print(f"{line} ({tables} tables)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"speed, or any of {', '.join(STUDIES)}")
    parser.add_argument("--program", default="target/release/tamis", help="the tamis program")
    parser.add_argument("--tables", type=int, default=20, help="tables of each kind [default: 20]")
    args = parser.parse_args()
    if shutil.which("Rscript") is None:
        raise SystemExit("There is no R: apt install r-base-core r-bioc-limma r-bioc-qvalue")
    install()
    if not args.kinds or "speed" in args.kinds:
        speed(args.program)
    for kind in [kind for kind in args.kinds if kind != "speed"] or ([] if args.kinds else STUDIES):
        quality(kind, args.tables)


if __name__ == "__main__":
    main()
