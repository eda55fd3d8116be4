"""Jobs that read what the old program wrote, with either program."""

from __future__ import annotations

from collections.abc import Iterator

from .job import RESULT, Job, one
from .selecting import PARTS, partials
from .training import FITTED, TAKE_TEXT, predict


def read_old(classifiers: list[str]) -> Iterator[Job]:
    """What the old program wrote, read by either."""
    for classifier in classifiers:
        for table in FITTED:
            if table == "people" and classifier not in TAKE_TEXT:
                continue
            name = f"fit {classifier} {table}"
            model = f"old/{name.replace(' ', '_')}/model.json"
            yield one(f"old model {classifier} {table}", *predict(table, model), needs=(name,))
    results = [
        "select colon",
        "select wine",
        "npfs on wine",
        "pairs on wine",
        "pfcvm-lp on parkinsons",
        "jmi on people",
        "auc-curve on parkinsons",
        "shrink",
        "evaluate",
        "evaluate several",
        "merge",
        "npfs-decide",
    ]
    for name in results:
        path = f"old/{name.replace(' ', '_')}/result.json"
        yield one(f"old result {name}", "report", path, "--out", "page.html", needs=(name,))
    yield one(
        "old result applied",
        "select",
        "made/people_new.csv",
        "--result",
        "old/snbl_on_people/result.json",
        "--id",
        "who",
        "--reduced",
        "reduced.csv",
        needs=("snbl on people",),
    )
    states = tuple(f"old/merge/{name}.part" for name in (*PARTS, "none"))
    yield one("old states merged", "merge", *states, *RESULT, needs=("merge",))
    yield Job(
        "old and new states merged", (*partials()[:1], ("merge", "s1.part", *states[1:], *RESULT)), needs=("merge",)
    )
    for name in ["numeric target", "weights"]:
        folder = f"merge_{name.replace(' ', '_')}"
        yield one(f"old states merged {name}", "merge", f"old/{folder}/a.part", *RESULT, needs=(f"merge {name}",))
