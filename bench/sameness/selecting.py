"""Jobs that select features of tables and of scores, whole and in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .job import FILTERS, RESULT, SETTINGS, TABLES, Command, Job, one, sets


def each_data_set(data: Path) -> Iterator[Job]:
    """The default on every data set."""
    for path in sorted(data.glob("*.csv.gz")):
        name = path.name.removesuffix(".csv.gz")
        more = ("--reduced", "reduced.csv", "--report", "page.html")
        yield one(f"select {name}", "select", f"data/{path.name}", "--target", "label", *RESULT, *more)


def quick_methods(data: Path) -> Iterator[Job]:
    """The filters and a short `npfs` on every data set."""
    for path in sorted(data.glob("*.csv.gz")):
        name = path.name.removesuffix(".csv.gz")
        for method in [*FILTERS, "npfs"]:
            settings = "bootstraps=10 permutations=2" if method == "npfs" else "k=2"
            settings += " max_iter=20" if method == "l21" else ""
            command = ("select", f"data/{path.name}", "--target", "label", "--method", method, *sets(settings), *RESULT)
            yield one(f"{method} of {name}", *command, slow=True)


def each_method(methods: list[str]) -> Iterator[Job]:
    """Every method on every kind of table; what cannot be used is refused by both."""
    for method in methods:
        for name, table in TABLES.items():
            settings = sets(SETTINGS.get(method, ""))
            yield one(
                f"{method} on {name}",
                *("select", *table, "--method", method, *settings, "--seed", "3", *RESULT, "--reduced", "reduced.csv"),
                slow=method in {"jcfo", "pfcvm-em", "peel"} and name in {"congress", "parkinsons"},
            )
    for method in ["jmi", "fisher", "cat", "l21", "pfcvm-lp", "auc-curve"]:
        settings = sets(SETTINGS.get(method, ""))
        yield one(
            f"{method} on colon",
            "select",
            "data/colon.csv.gz",
            "--target",
            "label",
            "--method",
            method,
            *settings,
            *RESULT,
            slow=True,
        )


def parameters() -> Iterator[Job]:
    """Parameters other than the defaults."""
    of_scores = [
        "prior=kde",
        "prior=kde bandwidth=paper",
        "prior=kde update=argmax mixing=false bandwidth=0.5",
        "prior=kde tol=1e-4 max_iter=7",
        "prior=normal estimate=median",
        "prior=laplace",
        "prior=npmle",
        "null=empirical",
        "decide=count",
        "decide=prob:0.9",
        "decide=fdr:0.2",
    ]
    of_rows = [
        "score=welch",
        "score=pooled",
        "score=mann-whitney",
        "score=f",
        "score=kruskal",
        "score=auto",
        "scale=raw",
        "scale=raw score=pooled prior=kde",
    ]
    tables = {
        "snbl": ("data/sylva_valid.csv.gz", [*of_scores, *of_rows]),
        "jmi": (
            "data/parkinsons.csv.gz",
            ["k=3 discretise=width bins=4", "k=3 discretise=frequency bins=7", "k=3 discretise=mdl", "k=auto"],
        ),
        "mrmr": ("data/parkinsons.csv.gz", ["k=6 form=quotient", "k=6 form=difference discretise=frequency"]),
        "cmim": ("data/soybean.csv.gz", ["k=5 discretise=categories"]),
        "npfs": (
            "data/wine.csv.gz",
            [
                f"bootstraps=15 permutations=4 base={b}"
                for b in ("mim", "mrmr", "cmim", "disr", "jmim", "fisher", "t", "f")
            ]
            + ["bootstraps=8 permutations=3 base=trace-ratio k=3", "bootstraps=8 permutations=3 base=l21"]
            + ["bootstraps=40 null=binomial", "bootstraps=40 null=binomial alpha=0.1 adjust=holm beta=0.05"]
            + ["bootstraps=40 null=stability", "bootstraps=20 permutations=5 adjust=none alpha=0.2 matrix=true"]
            + ["bootstraps=30 null=binomial early_stop=false", "bootstraps=20 base=snbl permutations=3"]
            + ["bootstraps=20 permutations=5 k=3 discretise=width bins=3"],
        ),
        "pairs": ("data/lungcancer.csv.gz", ["permutations=20 bins=3"]),
        "l21": ("data/wine.csv.gz", ["k=5 gamma=0.1 tol=1e-6 max_iter=20"]),
        "pfcvm-lp": (
            "data/raetsch_thyroid.csv.gz",
            [
                "kernel=rbf",
                "kernel=poly degree=2 starts=1",
                "kernel=linear strictness=0 truncation=paper starts=1",
                "kernel=linear truncation=hard",
                "kernel=linear truncation=relative",
                "kernel=linear samplewise=true",
                "kernel=rbf bases=30",
                "kernel=linear tol=1e-3 max_iter=5",
                "kernel=linear prune_precision=1e6 prune_share=0.1",
            ],
        ),
        "pfcvm-em": (
            "data/raetsch_thyroid.csv.gz",
            ["kernel=rbf kappa=2 max_iter=50", "kappa_theta=3 bases=40 max_iter=50"],
        ),
        "jcfo": ("data/raetsch_thyroid.csv.gz", ["kernel=rbf gamma1=0.5 gamma2=0.1 max_iter=15"]),
        "peel": ("data/parkinsons.csv.gz", ["base=snbl k=9", "base=npfs k=6 fits=2"]),
        "auc-curve": ("data/parkinsons.csv.gz", ["validation=0.5"]),
    }
    for text in ["score=pearson", "score=spearman", "score=spearman prior=kde", "scale=raw"]:
        yield one(f"snbl numeric target {text}", "select", *TABLES["numbers"], *sets(text), *RESULT)
    for method, (file, all_settings) in tables.items():
        for text in all_settings:
            command = ("select", file, "--target", "label", "--method", method, *sets(text), "--seed", "7", *RESULT)
            yield one(f"{method} {text}", *command, slow="base=npfs" in text)


def columns_and_rows() -> Iterator[Job]:
    """What the options of `select` do to a table."""
    people = ("select", "made/people.csv", "--target", "smoker", "--id", "who")
    kept = ("--reduced", "reduced.csv", *RESULT)
    yield one("weight", *people, "--weight", "times", "--group", "site", *kept)
    yield one("weight jmi", *people, "--weight", "times", "--method", "jmi", *sets("k=3"), *kept)
    yield one("keep", *people, "--keep", "noise", "--keep", "age", *kept)
    yield one("keep jmi", *people, "--method", "jmi", *sets("k=2"), "--keep", "noise", *kept)
    yield one("positive", *people, "--positive", "no", *kept)
    yield one("task real", "select", "data/wine.csv.gz", "--target", "label", "--task", "real", *kept)
    yield one("task classes", "select", "made/numbers.csv", "--target", "level", "--task", "classes", *kept)
    yield one("target with missing cells", "select", "made/people.csv", "--target", "height", "--id", "who", *kept)
    yield one(
        "missing text", "select", "made/people_na.csv", "--target", "smoker", "--id", "who", "--missing", "n/a", *kept
    )
    yield one("no missing cells", *people, "--missing", "error", *kept)
    yield one("semicolon", "select", "made/people_semicolon.csv", "--target", "smoker", "--id", "who", *kept)
    yield one(
        "delimiter",
        "select",
        "made/people_semicolon.csv",
        "--target",
        "smoker",
        "--delimiter",
        ";",
        "--id",
        "who",
        *kept,
    )
    yield one("seed", *people, "--method", "npfs", *sets("bootstraps=20 permutations=3"), "--seed", "123456789", *kept)
    yield one("json to standard output", *people, "--json", "-", "--quiet")
    yield Job(
        "result applied",
        (
            (*people, *RESULT),
            ("select", "made/people_new.csv", "--result", "result.json", "--id", "who", "--reduced", "reduced.csv"),
        ),
    )


def formats() -> Iterator[Job]:
    """Every format that is written, read again."""
    for ending in ["csv", "tsv", "csv.gz", "csv.zst", "libsvm", "arff", "npy", "npz", "parquet", "arrow"]:
        target = () if ending == "libsvm" else ("--target", {"npy": "f5"}.get(ending, "label"))
        yield Job(
            f"format {ending}",
            (
                (
                    "select",
                    "data/wine.csv.gz",
                    "--target",
                    "label",
                    "--method",
                    "f",
                    *sets("k=5"),
                    "--reduced",
                    f"few.{ending}",
                ),
                ("select", f"few.{ending}", *target, *RESULT),
            ),
        )
    yield one("format tsv of text", "select", "made/people.tsv", "--target", "smoker", "--id", "who", *RESULT)
    people = ("select", "made/people.csv", "--target", "smoker", "--id", "who", "--keep", "colour", "--keep", "height")
    for ending in ["arff", "parquet", "arrow", "npz", "tsv"]:
        yield one(f"text as {ending}", *people, "--reduced", f"few.{ending}")


def shrinking() -> Iterator[Job]:
    """Scores that exist already."""
    yield one("shrink", "shrink", "made/z.csv", "--column", "z", "--id", "gene", *RESULT, "--report", "page.html")
    yield one("shrink t", "shrink", "made/t.csv", "--df", "11", *RESULT)
    yield one("shrink noise", "shrink", "made/noise.csv", *RESULT)
    for text in [
        "prior=kde",
        "prior=normal estimate=median",
        "prior=laplace",
        "prior=npmle",
        "null=empirical",
        "decide=fdr:0.1",
        "prior=kde bandwidth=paper",
        "prior=kde update=argmax",
        "prior=kde mixing=false",
    ]:
        yield one(f"shrink {text}", "shrink", "made/z.csv", "--column", "z", *sets(text), *RESULT)


PARTS = ("s1", "s2", "s3")


def partials(*more: str) -> tuple[Command, ...]:
    """The commands that make a state of every shard."""
    states = [
        ("partial", f"made/parts/{name}.csv", "--target", "label", "--out", f"{name}.part", *more) for name in PARTS
    ]
    return (*states, ("partial", "made/none.csv", "--target", "label", "--out", "none.part", *more))


def pieces() -> Iterator[Job]:
    """Tables in several files, beyond the memory, and as states that are merged."""
    files = tuple(f"made/parts/{name}.csv" for name in PARTS)
    states = tuple(f"{name}.part" for name in PARTS)
    out = (*RESULT, "--report", "page.html")
    yield Job(
        "merge", (*partials(), ("merge", *states, "none.part", *out), ("merge", *states[::-1], "--json", "other.json"))
    )
    for text in ["score=pooled prior=kde", "score=f", "scale=raw", "null=empirical"]:
        yield Job(f"merge {text}", (*partials(), ("merge", *states, "--keep", "f9", *sets(text), *RESULT)))
    numbers = ("partial", "made/numbers.csv", "--target", "y", "--out", "a.part")
    yield Job("merge numeric target", (numbers, ("merge", "a.part", *RESULT)))
    weighted = (
        "partial",
        "made/people.csv",
        "--target",
        "smoker",
        "--id",
        "who",
        "--weight",
        "times",
        "--out",
        "a.part",
    )
    yield Job("merge weights", (weighted, ("merge", "a.part", *RESULT)))
    yield one("several files", "select", *files, "--target", "label", *RESULT)
    yield one("folder", "select", "made/parts", "--target", "label", *RESULT)
    yield one("pattern", "select", "made/parts/s?.csv", "--target", "label", *RESULT)
    whole = ("select", "made/whole.csv", "--target", "label", "--memory", "10K", *RESULT)
    yield one("memory", *whole)
    for text in ["score=mann-whitney", "score=kruskal"]:
        yield one(f"memory {text}", *whole, *sets(text))
    for method in ["jmi", "mrmr", "cmim", "npfs", "fisher"]:
        yield one(f"memory {method}", *whole, "--method", method, *sets(SETTINGS[method]))
    yield one("memory jmi frequency", *whole, "--method", "jmi", *sets("k=5 discretise=frequency bins=6"))
    yield one("memory numeric target", "select", "made/numbers.csv", "--target", "y", "--memory", "1K", *RESULT)
    yield one(
        "memory of a data set", "select", "data/madelon_valid.csv.gz", "--target", "label", "--memory", "200K", *RESULT
    )


def from_matrix() -> Iterator[Job]:
    """The test of `npfs` on runs of another selector."""
    for text in [
        "",
        "null=binomial",
        "null=binomial alpha=0.2 adjust=holm beta=0.02",
        "null=stability",
        "null=binomial adjust=none",
    ]:
        name = f"npfs-decide {text}".strip()
        yield one(name, "npfs-decide", "made/runs.csv", *sets(text), *RESULT)
