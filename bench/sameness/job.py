"""A job of `bench/same`: command lines, run in a folder with `data`, `made` and `old` beside them.

`data` holds the data sets, `made` the tables of `inputs.py`, and `old` what the old program wrote, for either program:
a job that reads from there checks that the new program reads what the old one wrote.
"""

from __future__ import annotations

from dataclasses import dataclass

Command = tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """Command lines that are run one after the other in one folder; `needs` names jobs whose old outputs they read."""

    name: str
    commands: tuple[Command, ...]
    needs: tuple[str, ...] = ()
    slow: bool = False

    @property
    def folder(self) -> str:
        """Where it is run."""
        return self.name.replace(" ", "_").replace("/", "_")


RESULT = ("--json", "result.json")
SETTINGS = {  # small, so that the whole takes minutes
    "npfs": "bootstraps=20 permutations=5",
    "pairs": "permutations=10",
    "peel": "k=4 fits=2",
    "jcfo": "max_iter=40",
    "pfcvm-em": "max_iter=100",
    "pfcvm-lp": "kernel=linear starts=2",
}
FILTERS = ["jmi", "mrmr", "mim", "cmim", "disr", "jmim", "t", "f", "cat", "fisher", "trace-ratio", "l21"]
SETTINGS |= {name: "k=4" for name in FILTERS}
PEOPLE = ("made/people.csv", "--target", "smoker", "--id", "who", "--drop", "times", "--drop", "site")
TABLES = {  # two classes, several, missing codes, text and missing cells, the latter alone, a numeric target
    "parkinsons": ("data/parkinsons.csv.gz", "--target", "label"),
    "wine": ("data/wine.csv.gz", "--target", "label"),
    "congress": ("data/congress.csv.gz", "--target", "label"),
    "people": PEOPLE,
    "people without text": (*PEOPLE, "--drop", "colour"),
    "numbers": ("made/numbers.csv", "--target", "y"),
    "numbers without text": ("made/numbers.csv", "--target", "y", "--drop", "kind"),
    "numbers as classes": ("made/numbers.csv", "--target", "level", "--task", "classes", "--drop", "kind"),
}


def sets(text: str) -> Command:
    """`--set` for each word."""
    return tuple(part for word in text.split() for part in ("--set", word))


def one(name: str, *command: str, needs: tuple[str, ...] = (), slow: bool = False) -> Job:
    """A job of one command."""
    return Job(name, (command,), needs, slow)
