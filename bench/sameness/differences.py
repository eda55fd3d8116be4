"""How two outputs of the same job are compared: numbers to the bit, files to the byte, sentences as wording."""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
import struct
from collections import Counter
from dataclasses import dataclass, field

# Fields that tell of the run rather than of its answer.
UNCOMPARED = {"seconds", "peak_bytes", "tamis", "format_version"}
# Sentences for people. They may be put otherwise as long as they hold the same numbers; programs read the fields beside
# them (`kind` and `features` of a note, and so on).
SENTENCES = re.compile(r"(notes\[\d+\]\.message|\.failed|^plan|^recommendation\.text)$")
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
# Time and memory of a run, which no two runs share.
COST = re.compile(r"\d+(?:\.\d+)? s(?:, \d+ MB)?\b")
EMBEDDED = re.compile(rb'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)


@dataclass
class Found:
    """What was found between the outputs of two programs."""

    differences: list[tuple[str, str]] = field(default_factory=list)
    words: Counter[tuple[str, str]] = field(default_factory=Counter)
    added: Counter[str] = field(default_factory=Counter)
    states: int = 0

    def differ(self, where: str, old: object, new: object) -> None:
        """Takes note of a difference."""
        self.differences.append((where, f"{short(old)} → {short(new)}"))


def pattern(where: str) -> str:
    """A place without its numbers, to count places of one kind."""
    return re.sub(r"\d+", "#", re.sub(r"\[\d+\]", "[]", where))


def short(value: object) -> str:
    """A value in at most 60 characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def same_number(old: float, new: float) -> bool:
    """Whether two numbers have the same bits; 1 and 1.0 do."""
    if isinstance(old, int) and isinstance(new, int):
        return old == new
    return struct.pack("<d", old) == struct.pack("<d", new)


def documents(found: Found, where: str, old: object, new: object, path: str = "") -> None:
    """Compares two parsed JSON documents; the order of keys does not matter."""
    here = f"{where} {path}" if path else where
    match old, new:
        case dict(), dict():
            for key in [*old, *(k for k in new if k not in old)]:
                deeper = f"{path}.{key}" if path else key
                if key in UNCOMPARED:
                    continue
                if key not in new:
                    found.differ(f"{where} {deeper}", old[key], "gone")
                elif key not in old:
                    found.added[re.sub(r"\[\d+\]", "[]", deeper)] += 1
                else:
                    documents(found, where, old[key], new[key], deeper)
        case list(), list():
            if len(old) != len(new):
                found.differ(here, f"{len(old)} items", f"{len(new)} items")
            for at, (a, b) in enumerate(zip(old, new, strict=False)):
                documents(found, where, a, b, f"{path}[{at}]")
        case (bool(), _) | (_, bool()):
            if old is not new:
                found.differ(here, old, new)
        case ((int() | float()), (int() | float())):
            if not same_number(old, new):
                found.differ(here, old, new)
        case str(), str() if SENTENCES.search(path):
            sentences(found, here, old, new)
        case _:
            if type(old) is not type(new) or old != new:
                found.differ(here, old, new)


def template(text: str) -> str:
    """A sentence without its numbers and its runs of spaces."""
    return NUMBER.sub("#", " ".join(text.split()))


def numbers(text: str) -> list[str]:
    """The numbers of a sentence, in no order."""
    return sorted(NUMBER.findall(text))


def sentences(found: Found, where: str, old: str, new: str) -> None:
    """Compares what is said for people: other numbers in the same words are a difference, other words are counted."""
    old, new = COST.sub("… s", old), COST.sub("… s", new)
    a, b = template(old), template(new)
    if a != b:
        mark = "" if numbers(old) == numbers(new) else "   (other numbers)"
        found.words[a, b + mark] += 1
    elif " ".join(old.split()) != " ".join(new.split()):
        found.differ(where, old.strip(), new.strip())


def lines(text: str) -> list[str]:
    """The lines of a text without time and memory, in sentences and in the last column of a table."""
    found, in_table = [], False
    for line in text.splitlines():
        in_table = bool(line.strip()) and (in_table or line.endswith(" seconds"))
        found.append(line.rsplit(maxsplit=1)[0] if in_table else COST.sub("… s", line))
    return found


def texts(found: Found, where: str, old: str, new: str) -> None:
    """Compares what a program prints, line by line."""
    if old.startswith("{") and new.startswith("{"):
        documents(found, where, json.loads(old), json.loads(new))
        return
    before, after = lines(old), lines(new)
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for at in range(max(j - i, m - k)):
            a = before[i + at] if i + at < j else "(no line)"
            b = after[k + at] if k + at < m else "(no line)"
            sentences(found, f"{where} line {i + at + 1}", a, b)


def without_seconds(data: bytes) -> list[list[str]]:
    """The cells of a CSV file but for a column `seconds`."""
    rows = list(csv.reader(io.StringIO(data.decode())))
    gone = {at for at, name in enumerate(rows[0]) if name in UNCOMPARED} if rows else set()
    return [[cell for at, cell in enumerate(row) if at not in gone] for row in rows]


def files(found: Found, name: str, old: bytes, new: bytes) -> None:
    """Compares two files by what their name says they hold."""
    if old == new:
        return
    if name.endswith(".part"):
        found.states += 1  # a state holds the version of its program and notes; what is merged from it is compared
    elif name.endswith(".json"):
        documents(found, name, json.loads(old), json.loads(new))
    elif name.endswith(".html"):
        pages = [EMBEDDED.search(page) for page in (old, new)]
        if not all(pages):
            found.differ(name, "a page with data", "a page without")
        else:
            documents(found, name, *(json.loads(page[1]) for page in pages if page))
    elif name.endswith(".csv") and b"seconds" in old.split(b"\n", 1)[0]:
        if without_seconds(old) != without_seconds(new):
            found.differ(name, f"{len(old)} bytes", f"{len(new)} bytes, others beside the seconds")
    else:
        at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        line = old.count(b"\n", 0, at) + 1
        around = slice(max(0, at - 20), at + 20)
        found.differ(f"{name} line {line}", repr(old[around]), repr(new[around]))
