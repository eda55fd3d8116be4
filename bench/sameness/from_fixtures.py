"""Jobs that run every fixture that holds data through the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .inputs import Fixture
from .job import RESULT, SETTINGS, Command, Job, sets

TARGET = ("--target", "label")
DATES = ("--drop", "day", "--drop", "time", "--drop", "bytes")
INFORMATION = {name: [""] for name in ("jmi", "mim", "cmim", "disr", "jmim", "pairs", "npfs")} | {
    "mrmr": ["form=difference", "form=quotient"]
}
MACHINES = {"pfcvm-lp": "kernel=linear", "pfcvm-em": "max_iter=60", "jcfo": "max_iter=20", "pcvm": "", "rvm": ""}


def scores(path: str, rule: list[str]) -> Iterator[Command]:
    """Scores: the prior of the fixture, and the parametric ones where it has those too."""
    settings = [f"prior=kde tol=1e-12 bandwidth={rule[0]}", "prior=normal", "prior=laplace"] if rule else [""]
    for at, text in enumerate(settings):
        yield ("shrink", path, *sets(text), "--json", f"{at}.json")


def information(path: str, which: list[str]) -> Iterator[Command]:
    """Codes: every criterion; numbers: every way to cut them, and filters on numbers; a matrix of runs: its test."""
    number, *weighted = which
    if number == "09":
        yield ("npfs-decide", path, "--set", "null=binomial", *RESULT)
    elif number in {"07", "12"}:
        for method in ("fisher", "trace-ratio", "l21"):
            yield ("select", path, *TARGET, "--method", method, *sets("k=5"), "--json", f"{method}.json")
        for way in ("width", "frequency", "mdl"):
            yield ("select", path, *TARGET, "--method", "jmi", *sets(f"k=5 discretise={way}"), "--json", f"{way}.json")
    else:
        weight = ("--weight", "w") if weighted else ()
        for method, forms in INFORMATION.items():
            codes = SETTINGS[method] if method == "pairs" else f"{SETTINGS[method]} discretise=categories"
            for at, form in enumerate(forms):
                settings = sets(f"{codes} {form}")
                yield ("select", path, *TARGET, *weight, "--method", method, *settings, "--json", f"{method}{at}.json")


def dependence(path: str, _: list[str]) -> Iterator[Command]:
    """Tables whose features depend on the target in several ways."""
    for method in ("pairs", "jmi", "cmim", "f"):
        yield ("select", path, *TARGET, "--method", method, *sets(SETTINGS[method]), "--json", f"{method}.json")


def vector_machine(path: str, kernel: list[str]) -> Iterator[Command]:
    """Every machine with the kernel of the fixture."""
    shape, degree = kernel
    settings = f"kernel={shape} degree={degree}" if shape == "poly" else f"kernel={shape}"
    for method, text in MACHINES.items():
        yield ("fit", path, *TARGET, "--method", method, *sets(f"{settings} {text}"), "--model", f"{method}.json")


def statistic(path: str, kind: list[str]) -> Iterator[Command]:
    """The statistic of the fixture, with a prior that shows every score."""
    score = "auto" if kind[0] == "chi2" else kind[0]
    yield ("select", path, *TARGET, *sets(f"score={score} prior=kde"), *RESULT)


def classify(path: str, classifiers: list[str]) -> Iterator[Command]:
    """Every classifier, and its predictions for the fixture's new rows."""
    for method in classifiers:
        settings = sets(SETTINGS.get(method, ""))
        yield ("fit", path, *TARGET, "--method", method, *settings, "--model", f"{method}.json")
        yield ("predict", path.replace(".csv", "-new.csv"), "--model", f"{method}.json", "--out", f"{method}.csv")


def file_format(path: str, ending: list[str]) -> Iterator[Command]:
    """A table in a format of its own."""
    target = {"npy": ("--target", "f3"), "feather": TARGET, "parquet": TARGET}.get(ending[0], ())
    named = {"svmlight": ("--format", "libsvm"), "feather": ("--format", "arrow")}.get(ending[0], ())
    drop = DATES if ending[0] in {"feather", "parquet"} and "lz4" not in path else ()
    yield ("select", path, *target, *drop, *named, *RESULT, "--reduced", "few.csv")


def table(path: str, _: list[str]) -> Iterator[Command]:
    """A plain table."""
    yield ("select", path, *TARGET, *RESULT)
    yield ("select", path, *TARGET, *sets("prior=kde"), "--json", "kde.json")


FAMILIES: dict[str, Callable[[str, list[str]], Iterator[Command]]] = {
    "sparse_means": scores,
    "information": information,
    "dependence": dependence,
    "vector_machine": vector_machine,
    "scores": statistic,
    "classify": classify,
    "format": file_format,
}


def each_fixture(fixtures: list[Fixture], classifiers: list[str]) -> Iterator[Job]:
    """Every fixture, as its family is run."""
    for name, file, (family, *more) in fixtures:
        commands = FAMILIES.get(family, table)(f"made/fixtures/{file}", classifiers if family == "classify" else more)
        yield Job(f"fixture {name}", tuple(commands))
