"""Runs the studies that are named, or all, and writes RESULTS.md. See `papers/run`, which sets up what this needs."""

import argparse
import importlib
import os
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUDIES = ["snbl", "adaptive_sparsity", "pfcvm_em", "pfcvm_lp", "npfs", "beyond"]


def arguments():
    parser = argparse.ArgumentParser(
        prog="papers/run", description="The papers' tables and figures, ours beside theirs."
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=f"of {', '.join(STUDIES)}; all if none is named")
    parser.add_argument(
        "--quick", action="store_true", help="few repeats, and simulated data where the real are absent"
    )
    parser.add_argument(
        "--data", type=Path, default=HERE.parent.parent / "shared" / "data", help="folder of the data sets"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (%(default)s)")
    parser.add_argument("--out", type=Path, help="where results go: papers/, and papers/quick/ with --quick")
    given = parser.parse_args()
    unknown = [name for name in given.studies if name not in STUDIES]
    if unknown:
        parser.error(f"there is no study {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    if given.jobs < 1:
        parser.error("--jobs takes a number from 1 on")
    given.out = given.out or (HERE / "quick" if given.quick else HERE)
    return given


def main():
    given = arguments()
    # processes are the parallelism: one thread in each
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
        os.environ.setdefault(name, "1")
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["PYTHONWARNINGS"] = "ignore"
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE))
    from study import Study, write_results

    if not given.data.is_dir():
        print(
            f"no data in {given.data}: " + ("simulated data stand in" if given.quick else "give a folder with --data")
        )
    done = []
    for name in given.studies or STUDIES:
        start = time.perf_counter()
        module = importlib.import_module(name)
        study = Study(name, module.TITLE, given)
        module.run(study)
        study.save(time.perf_counter() - start)
        done.append(study)
        write_results(given.out, STUDIES, done)
        print(f"{name}: {study.summary()} in {time.perf_counter() - start:.0f} s", flush=True)
    print(f"wrote {os.path.relpath(given.out / 'RESULTS.md')}")


if __name__ == "__main__":
    main()
