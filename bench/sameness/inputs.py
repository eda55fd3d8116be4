"""Tables for `bench/same` that no data set offers, and the fixtures as tables. Same files whenever they are made."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

Cell = str | int | float | None


def write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Cell]], mark: str = ",") -> None:
    """Writes a delimited file; `None` is a missing cell, and a float reads back to the same bits."""
    missing = "NA" if len(names) == 1 else ""  # a line of one empty cell would be an empty line
    lines = [mark.join(names)]
    lines += [mark.join(missing if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def make(folder: Path) -> None:
    """Makes every table that is simulated here."""
    folder.mkdir(parents=True, exist_ok=True)
    people(folder)
    numbers(folder)
    shards(folder)
    scores(folder)
    runs(folder)
    broken(folder)


def people(folder: Path) -> None:
    """Text, missing cells, a constant, near-copies, weights, groups and names of rows, in several dialects."""
    draw = random.Random(1)
    names = ["who", "age", "height", "pulse", "pulse_again", "colour", "noise", "zero", "times", "site", "smoker"]
    rows: list[list[Cell]] = []
    for r in range(120):
        smoker = draw.random() < 0.45
        pulse = round(draw.gauss(70 + 8 * smoker, 7), 1)
        rows.append(
            [
                f"p{r:03}",
                draw.randrange(20, 80),
                None if r % 17 == 3 else round(draw.gauss(170, 9), 1),
                pulse,
                round(2 * pulse + 0.01 * draw.gauss(0, 1), 3),
                draw.choice(["red", "red", "green"] if smoker else ["green", "blue", "grey"]),
                draw.gauss(0, 1),
                7,
                draw.randrange(1, 4),
                f"s{r % 12}",
                "yes" if smoker else "no",
            ]
        )
    write(folder / "people.csv", names, rows)
    write(folder / "people.tsv", names, rows, "\t")
    write(folder / "people_semicolon.csv", names, rows, ";")
    other = [["n/a" if cell is None else cell for cell in row] for row in rows]
    write(folder / "people_na.csv", names, other)
    write(folder / "people_new.csv", names[:-1], [row[:-1] for row in rows[::-2]])
    with gzip.GzipFile(folder / "people_copy.csv.gz", "wb", mtime=0) as out:
        out.write((folder / "people.csv").read_bytes())


def numbers(folder: Path) -> None:
    """A numeric target, a category among the features, and many ties in one of them."""
    draw = random.Random(2)
    names = [f"x{j}" for j in range(10)] + ["level", "kind", "y"]
    rows: list[list[Cell]] = []
    for _ in range(150):
        x = [draw.gauss(0, 1) for _ in range(10)]
        kind = draw.choice("abc")
        noise = draw.gauss(0, 1)
        rows.append([*x, draw.randrange(4), kind, x[0] - 0.7 * x[1] + (kind == "a") + noise])
    write(folder / "numbers.csv", names, rows)


def shards(folder: Path) -> None:
    """A table in four files: one with its columns backwards, one of a single row, one of none."""
    draw = random.Random(3)
    names = [f"f{j}" for j in range(30)] + ["label"]
    rows: list[list[Cell]] = []
    for r in range(200):
        label = r % 3 == 0
        rows.append([draw.gauss(label * (j < 5), 1) for j in range(30)] + ["case" if label else "control"])
    write(folder / "whole.csv", names, rows)
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    write(parts / "s1.csv", names, rows[:80])
    write(parts / "s2.csv", names, rows[80:81])
    write(parts / "s3.csv", names[::-1], [row[::-1] for row in rows[81:]])
    write(folder / "none.csv", names, [])


def scores(folder: Path) -> None:
    """Scores with effects among them, as z and as t, with and without names."""
    draw = random.Random(4)
    z = [draw.gauss(0, 1) + (draw.gauss(0, 3) if i % 12 == 0 else 0) for i in range(1500)]
    write(folder / "z.csv", ["gene", "z"], [[f"g{i}", value] for i, value in enumerate(z)])
    write(folder / "t.csv", ["t"], [[value * 1.3] for value in z[:400]])
    write(folder / "noise.csv", ["z"], [[draw.gauss(0, 1)] for _ in range(300)])


def runs(folder: Path) -> None:
    """Which of 25 features 60 runs of some selector chose, and splits of the wine data."""
    draw = random.Random(5)
    rows = []
    for _ in range(60):
        chosen = {j for j in range(5) if draw.random() < 0.8}
        while len(chosen) < 7:
            chosen.add(draw.randrange(25))
        rows.append([int(j in chosen) for j in range(25)])
    write(folder / "runs.csv", [f"f{j}" for j in range(25)], rows)
    splits = [{"train": sorted(draw.sample(range(178), 120))} for _ in range(4)]
    (folder / "splits.json").write_text(json.dumps({"splits": splits}))


def broken(folder: Path) -> None:
    """Files that cannot be used."""
    good = ["a,b,label"] + [f"{i},{i * i % 7},{'x' if i % 2 else 'y'}" for i in range(20)]
    texts = {
        "empty.csv": "",
        "header.csv": "a,b,label\n",
        "ragged.csv": "\n".join([*good, "1,2"]) + "\n",
        "mixed.csv": "\n".join([*good, "low,2,x"]) + "\n",
        "infinite.csv": "\n".join([*good, "inf,2,x"]) + "\n",
        "twice.csv": "\n".join(["a,a,label", *good[1:]]) + "\n",
        "constant.csv": "a,b,label\n" + "1,2,x\n1,2,y\n" * 6,
        "one_class.csv": "a,b,label\n" + "".join(f"{i},{i % 3},x\n" for i in range(9)),
        "once.csv": "\n".join([*good, "3,4,once"]) + "\n",
        "names.csv": "who,a,label\n" + "".join(f"n{i},{i % 5},{'xy'[i % 2]}\n" for i in range(90)),
        "not_json.json": "a,b\n",
        "other.json": '{"hello": 1}\n',
        "newer.json": '{"format_version": 99}\n',
        "bad_splits.json": '{"splits": [{"train": [0, 1, 99999]}]}\n',
        "bad_state.part": "tamis?",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "cut.csv.gz").write_bytes(gzip.compress("\n".join(good * 40).encode(), mtime=0)[:-20])
    (folder / "garbage.csv").write_bytes(bytes(range(256)) * 4)


Fixture = tuple[str, str, list[str]]


def fixtures(folder: Path, oracle: Path, own: Path) -> list[Fixture]:
    """Writes every fixture that holds data as a table: its name, its file, and of what family it is. Those that were
    written before are taken as they are, so that a reference outlasts a move of the fixtures."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "list.json"
    if not listed.exists():
        found = [*_references(folder, oracle), *_statistics(folder, own), *_classifiers(folder, own)]
        listed.write_text(json.dumps([*found, *_formats(folder, own)]))
    return [tuple(fixture) for fixture in json.loads(listed.read_text())]


def _references(folder: Path, oracle: Path) -> Iterator[Fixture]:
    """Fixtures of the methods."""
    for path in sorted(oracle.glob("*/*.json")):
        document = json.loads(path.read_text())
        if path.stem.startswith("03_"):  # weights for the codes of the fixture before it
            document = json.loads(next(path.parent.glob("02_*")).read_text()) | document
        table = _table(path.parent.name, document)
        if table is not None:
            name = f"{path.parent.name}-{path.stem}"
            write(folder / f"{name}.csv", *table)
            yield name, f"{name}.csv", _family(path, document)


def _statistics(folder: Path, own: Path) -> Iterator[Fixture]:
    """Fixtures of the statistics, each with its kind."""
    for at, case in enumerate(_cases(own, "scores.json")):
        text = case["kind"] == "chi2"  # of categories
        columns = [[f"k{code}" if text else code for code in column] for column in case["x"]]
        write(folder / f"scores-{at}.csv", *_joined(columns, case["y"], case["kind"] in {"pearson", "spearman"}))
        yield f"scores-{at}", f"scores-{at}.csv", ["scores", case["kind"]]


def _classifiers(folder: Path, own: Path) -> Iterator[Fixture]:
    """Fixtures of the classifiers, with new rows beside them."""
    for at, case in enumerate(_cases(own, "classify.json")):
        columns, new = zip(*case["x"], strict=True), zip(*case["new"], strict=True)
        write(folder / f"classify-{at}.csv", *_joined(columns, case["y"], False))
        write(folder / f"classify-{at}-new.csv", *_joined(new, range(len(case["new"])), False))
        yield f"classify-{at}", f"classify-{at}.csv", ["classify"]


def _formats(folder: Path, own: Path) -> Iterator[Fixture]:
    """Files that other programs wrote."""
    for path in sorted(own.rglob("*")):
        if path.suffix in {".npy", ".npz", ".svmlight", ".feather", ".parquet"}:
            shutil.copyfile(path, folder / path.name)
            yield path.name, path.name, ["format", path.suffix[1:]]


def _cases(own: Path, name: str) -> list[dict]:
    """The cases of a fixture of ours, none where it is not there."""
    document = next((json.loads(path.read_text()) for path in own.rglob(name)), [])
    return document["cases"] if isinstance(document, dict) else document


def _joined(columns: Iterable[Sequence[Cell]], target: Iterable, numeric: bool) -> tuple[list[str], list[list[Cell]]]:
    """Names and rows of a table of features, one list each, and a target; classes are written as text."""
    columns = list(columns)
    last = [value if numeric else f"c{value}" for value in target]
    return [f"f{j}" for j in range(len(columns))] + ["label"], [list(row) for row in zip(*columns, last, strict=True)]


def _family(path: Path, document: dict) -> list[str]:
    """The folder, and what of the document says how it is to be run."""
    family = path.parent.name
    if family == "vector_machine":
        return [family, document["kernel"]["kind"], str(document["kernel"]["P"])]
    if family == "sparse_means":
        return [family, "paper" if path.stem.endswith("paper") else "noise"]
    if family == "information":
        return [family, path.stem[:2], *(["weighted"] if "w" in document else [])]
    return [family]


def _table(family: str, document: object) -> tuple[list[str], list[list[Cell]]] | None:
    """The rows of a fixture: scores, codes, or numbers with a target; `None` where it holds no data."""
    if not isinstance(document, dict):
        return None
    if "z" in document and family != "information":
        return ["z"], [[value] for value in document["z"]]
    if "S" in document:  # features × runs
        return [f"f{j}" for j in range(len(document["S"]))], [
            [int(c) for c in run] for run in zip(*document["S"], strict=True)
        ]
    target = next((document[key] for key in ("group", "time", "y") if key in document), None)
    columns = None if target is None else _columns(document, len(target))
    if columns is None:
        return None
    numeric = "time" in document or any(isinstance(value, float) and value % 1 for value in target)
    names, rows = _joined(columns, target, numeric)
    if "w" in document:
        return [*names, "w"], [[*row, weight] for row, weight in zip(rows, document["w"], strict=True)]
    return names, rows


def _columns(document: dict, rows: int) -> list[list[Cell]] | None:
    """The features of a fixture of so many rows, one list each."""
    by_column = next((document[key] for key in ("x", "counts", "codes") if key in document), None)
    if by_column is not None:
        return by_column
    if "cols" in document:
        return [column["x"] for column in document["cols"].values()]
    if "X" not in document:
        return None
    if document.get("layout") == "columns" or len(document["X"]) != rows:
        return document["X"]
    digits = [[int(c) for c in row] if isinstance(row, str) else row for row in document["X"]]
    return [list(column) for column in zip(*digits, strict=True)]
