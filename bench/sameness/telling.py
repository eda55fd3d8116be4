"""Jobs that simulate, describe methods, and refuse what cannot be used."""

from __future__ import annotations

from collections.abc import Iterator

from .job import RESULT, Command, Job, one, sets


def simulated() -> Iterator[Job]:
    """Tables with known truth, and the demonstration."""
    kinds = {
        "two-groups": "rows=40 features=30 relevant=5",
        "uniform": "rows=50 features=9 relevant=3",
        "sparse-means": "features=200 zeros=0.9 strength=4",
        "two-gaussians": "rows=60 features=7",
        "waveform": "rows=90 noise=6",
        "hypercube": "rows=120 features=40 relevant=9 dimensions=4",
    }
    for kind, settings in kinds.items():
        yield Job(
            f"simulate {kind}",
            (
                ("simulate", kind, "--out", "drawn.csv", *sets(settings), "--seed", "9"),
                ("simulate", kind, "--out", "default.csv.gz"),
            ),
        )
    shapes = ["constant", "gaussian", "uniform", "laplace", "bimodal-constant", "bimodal-gaussian", "bimodal-uniform"]
    for shape in shapes:
        yield one(
            f"simulate scores {shape}",
            "simulate",
            "sparse-means",
            "--out",
            "z.csv",
            *sets(f"features=300 shape={shape}"),
        )
    yield one("demo", "demo", "--out", "demo")
    yield one("demo other seed", "demo", "--out", "demo", "--seed", "4")


def described(methods: list[str]) -> Iterator[Job]:
    """What the program says of itself."""
    yield one("methods", "methods")
    yield one("kinds of simulation", "simulate")
    for method in methods:
        yield one(f"methods {method}", "methods", method)


def refused() -> Iterator[Job]:
    """Command lines and files that cannot be used: the exit status counts, and that nothing is written."""
    label = ("--target", "label", *RESULT)
    broken = [
        "empty",
        "header",
        "ragged",
        "mixed",
        "infinite",
        "twice",
        "constant",
        "one_class",
        "once",
        "names",
        "garbage",
    ]
    for name in broken:
        yield one(f"refused {name}", "select", f"made/{name}.csv", *label)
    wine = ("select", "data/wine.csv.gz", "--target", "label")
    commands: dict[str, Command] = {
        "cut": ("select", "made/cut.csv.gz", *label),
        "no file": ("select", "made/absent.csv", *label),
        "no target": ("select", "data/wine.csv.gz", "--target", "labl"),
        "no target named": ("select", "data/wine.csv.gz"),
        "method": (*wine, "--method", "snlb"),
        "parameter": (*wine, "--set", "priro=kde"),
        "value": (*wine, "--set", "prior=normall"),
        "range": (*wine, "--set", "prior=kde", "--set", "bandwidth=-1"),
        "meaningless": (*wine, "--set", "bandwidth=2"),
        "no value": (*wine, "--set", "prior"),
        "unknown option": (*wine, "--colour", "red"),
        "positive of three": (*wine, "--positive", "1"),
        "positive": ("select", "data/heart.csv.gz", "--target", "label", "--positive", "maybe"),
        "classifier as selector": (*wine, "--method", "lda"),
        "shrink as selector": (*wine, "--method", "shrink"),
        "two classes only": (*wine, "--method", "cat"),
        "too many": (*wine, "--method", "jmi", "--set", "k=99"),
        "foreign format": (*wine, "--reduced", "few.xlsx"),
        "task": ("select", "made/people.csv", "--target", "smoker", "--id", "who", "--task", "real"),
        "weight": ("select", "made/people.csv", "--target", "smoker", "--id", "who", "--weight", "noise"),
        "memory": ("select", "made/whole.csv", "--target", "label", "--memory", "10K", "--method", "fisher"),
        "memory reduced": ("select", "made/whole.csv", "--target", "label", "--memory", "10K", "--reduced", "few.csv"),
        "memory spearman": (
            "select",
            "made/whole.csv",
            "--target",
            "label",
            "--memory",
            "10K",
            "--set",
            "score=spearman",
        ),
        "result": ("select", "data/wine.csv.gz", "--result", "made/other.json", "--reduced", "few.csv"),
        "fit a selector": (
            "fit",
            "data/wine.csv.gz",
            "--target",
            "label",
            "--model",
            "m.json",
            "--method",
            "f",
            "--classifier",
            "f",
        ),
        "predict without model": ("predict", "data/wine.csv.gz", "--model", "made/not_json.json"),
        "predict newer model": ("predict", "data/wine.csv.gz", "--model", "made/newer.json"),
        "report of something else": ("report", "made/other.json", "--out", "page.html"),
        "report of a newer result": ("report", "made/newer.json", "--out", "page.html"),
        "evaluate splits": ("evaluate", "data/wine.csv.gz", "--target", "label", "--splits", "made/bad_splits.json"),
        "evaluate folds": ("evaluate", "data/wine.csv.gz", "--target", "label", "--folds", "1"),
        "evaluate method": ("evaluate", "data/wine.csv.gz", "--target", "label", "--method", "cat"),
        "evaluate numeric target": ("evaluate", "made/numbers.csv", "--target", "y"),
        "shrink column": ("shrink", "made/z.csv"),
        "shrink table": ("shrink", "data/wine.csv.gz", "--column", "labl"),
        "merge": ("merge", "made/bad_state.part", *RESULT),
        "merge nothing": ("merge", "*.part", *RESULT),
        "npfs-decide": ("npfs-decide", "made/numbers.csv"),
        "simulate": ("simulate", "waves", "--out", "drawn.csv"),
        "simulate parameter": ("simulate", "waveform", "--out", "drawn.csv", "--set", "rows=1"),
        "nothing": (),
    }
    for name, command in commands.items():
        yield one(f"refused: {name}", *command)
    drawn = ("simulate", "waveform", "--out", "drawn.csv", "--set", "rows=60")
    yield Job("refused: same file", (drawn, ("select", "drawn.csv", "--target", "label", "--json", "drawn.csv")))
