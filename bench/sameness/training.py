"""Jobs that train classifiers, predict with them and compare methods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .job import RESULT, SETTINGS, TABLES, Command, Job, one, sets

FITTED = ["parkinsons", "wine", "people", "people without text"]
TAKE_TEXT = {"naive-bayes", "cart"}  # the others refuse a table with categories


def fit(table: str, *more: str) -> Command:
    """The command that trains on a table."""
    return ("fit", *TABLES[table], "--model", "model.json", *more)


def predict(table: str, model: str = "model.json") -> Command:
    """The command that predicts for the rows of a table."""
    if "people" in table:
        return ("predict", "made/people_new.csv", "--model", model, "--id", "who", "--out", "predicted.csv")
    return ("predict", TABLES[table][0], "--model", model, "--out", "predicted.csv")


def each_data_set(data: Path) -> Iterator[Job]:
    """Classifiers and a comparison on every data set."""
    for path in sorted(data.glob("*.csv.gz")):
        name, file = path.name.removesuffix(".csv.gz"), f"data/{path.name}"
        label = (file, "--target", "label")
        for method, settings in [
            ("dlda", ""),
            ("logistic", ""),
            ("naive-bayes", ""),
            ("cart", "folds=3"),
            ("slda", ""),
            ("pfcvm-lp", "kernel=linear starts=1 max_iter=10"),
            ("rvm", "max_iter=10"),
        ]:
            train = ("fit", *label, "--method", method, *sets(settings), "--model", "model.json")
            use = ("predict", file, "--model", "model.json", "--out", "predicted.csv")
            yield Job(f"{method} fitted to {name}", (train, use), slow=True)
        methods = ("--method", "snbl", "--method", "f", "--method", "dlda")
        yield one(f"evaluate on {name}", "evaluate", *label, *methods, "--folds", "3", *RESULT, slow=True)


def training(classifiers: list[str]) -> Iterator[Job]:
    """Every classifier, alone and behind a selector, and what it predicts."""
    for classifier in classifiers:
        for table in FITTED:
            more = ("--method", classifier, *sets(SETTINGS.get(classifier, "")), "--seed", "5")
            yield Job(f"fit {classifier} {table}", (fit(table, *more), predict(table)))
    for selector, classifier in [
        ("snbl", "logistic"),
        ("jmi", "lda"),
        ("f", "naive-bayes"),
        ("npfs", "slda"),
        ("cat", "cart"),
    ]:
        more = ("--method", selector, "--classifier", classifier, *sets(SETTINGS.get(selector, "")))
        yield Job(f"fit {selector} {classifier}", (fit("parkinsons", *more), predict("parkinsons")))
    variants = {
        "dlda": ["prior=none", "prior=kde", "prior=laplace", "prior=npmle", "prior=normal"],
        "cart": ["prune=one-se", "prune=none", "folds=5"],
        "rvm": ["kernel=rbf", "kernel=poly degree=2"],
        "pcvm": ["kernel=rbf kappa=0.5", "kernel=poly degree=3 bases=40"],
        "pfcvm-lp": ["kernel=rbf average=3", "kernel=rbf starts=1 samplewise=true"],
        "ensemble": ["prior=auto"],
    }
    for classifier, all_settings in variants.items():
        for text in all_settings:
            more = ("--method", classifier, *sets(text))
            yield Job(f"fit {classifier} {text}", (fit("parkinsons", *more), predict("parkinsons")))
    yield one(
        "predict to standard output",
        "predict",
        "data/wine.csv.gz",
        "--model",
        "old/fit_lda_wine/model.json",
        needs=("fit lda wine",),
    )
    yield Job(
        "fit colon",
        (
            ("fit", "data/colon.csv.gz", "--target", "label", "--model", "model.json"),
            ("predict", "data/colon.csv.gz", "--model", "model.json", "--out", "predicted.csv"),
        ),
    )


def comparing() -> Iterator[Job]:
    """`evaluate`: default methods, combinations, and every way to split."""
    out = (*RESULT, "--csv", "runs.csv", "--report", "page.html")
    wine = ("evaluate", "data/wine.csv.gz", "--target", "label")
    parkinsons = ("evaluate", "data/parkinsons.csv.gz", "--target", "label")
    people = ("evaluate", "made/people.csv", "--target", "smoker", "--id", "who", "--drop", "times")
    few = ("--method", "snbl", "--method", "f", "--method", "dlda")
    yield one("evaluate", *parkinsons, *out)
    yield one("evaluate three classes", *wine, *out)
    yield one("evaluate text", *people, "--drop", "site", *out)
    yield one("evaluate groups", *people, "--group", "site", *few, "--folds", "4", *out)
    yield one("evaluate leave one group out", *people, "--group", "site", *few, "--folds", "loo", *out)
    yield one("evaluate leave one out", *wine, *few, "--folds", "loo", *out, slow=True)
    yield one("evaluate repeats", *parkinsons, *few, "--folds", "5", "--repeats", "3", "--seed", "11", *out)
    yield one("evaluate splits", *wine, *few, "--splits", "made/splits.json", *out)
    yield one("evaluate tune", *parkinsons, "--method", "jmi", "--tune", "jmi.k=2,5", "--folds", "3", *out)
    classifiers = [
        part for name in ("lda", "slda", "naive-bayes", "cart", "logistic") for part in ("--classifier", name)
    ]
    yield one(
        "evaluate classifiers", *parkinsons, "--method", "none", "--method", "mrmr", *classifiers, "--folds", "4", *out
    )
    machines = [part for name in ("pfcvm-lp", "pcvm", "rvm", "ensemble") for part in ("--method", name)]
    linear = sets("pfcvm-lp.kernel=linear")
    yield one("evaluate machines", *parkinsons, *machines, *linear, "--folds", "3", *out, slow=True)
    yield one(
        "evaluate selectors",
        *parkinsons,
        *(part for name in ("npfs", "cat", "fisher", "peel", "auc-curve", "pairs") for part in ("--method", name)),
        *sets("npfs.bootstraps=15 npfs.permutations=3 pairs.permutations=5 peel.k=4 peel.fits=2"),
        "--folds",
        "3",
        *out,
        slow=True,
    )
    files = [f"data/{name}.csv.gz" for name in ("wine", "parkinsons", "heart", "soybean")]
    yield one("evaluate several", "evaluate", *files, "--target", "label", *few, "--folds", "4", *out)
    yield one("evaluate colon", "evaluate", "data/colon.csv.gz", "--target", "label", *few, "--folds", "5", *out)
