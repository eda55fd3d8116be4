"""What every study uses: repeats over processes, tables of theirs beside ours, verdicts, figures, RESULTS.md."""

import csv
import datetime
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import tamis
from joblib import Parallel, delayed
from tqdm import tqdm

from data import Folder

MARK = "<!-- study: "
VERDICTS = {
    "reproduces": "✓",
    "better": "▲",
    "same order": "≈",
    "does not": "✗",
    "no data": "–",
    "ours": "+",
    "simulated": "~",
}
RULE = """\
Every cell shows the paper's figure, then ours with its standard deviation over repeats (if there are any), and a verdict
that the program gives by this rule:

| mark | verdict | rule |
| --- | --- | --- |
| ✓ | *reproduces* | the figures differ by at most the table's tolerance, or by at most twice the standard error of their difference (from our deviation, and the paper's if it gives one, over the root of the number of repeats) |
| ▲ | *better* | otherwise, ours is better than the paper's by more than that, in a table that says which way is better |
| ≈ | *same order* | otherwise, the order within the row agrees: our figure is above or below the same other figures as the paper's, counting only those that differ from it by more than the tolerance in the paper; there must be at least one |
| ✗ | *does not* | none of these |
| – | *no data* | the data set, or the source of the figure, is not available |
| + | | ours alone: the paper has no such figure |

Repeats on one data set share rows, so the standard error is too small and the rule is strict. Every table is also
available as a CSV file in `tables/`.
"""  # noqa: E501


@dataclass
class Cell:
    paper: float | None
    paper_sd: float | None
    ours: float | None
    sd: float | None
    repeats: int
    reason: str
    simulated: bool
    verdict: str = ""


class Table:
    """A table of a paper: rows × columns, theirs beside ours."""

    def __init__(self, key, title, *, about="", tolerance=0.0, digits=3, compare=True, better=None):
        """`better` is "higher" or "lower" where one of them is."""
        self.key, self.title, self.about = key, title, about
        self.tolerance, self.digits, self.compare, self.better = tolerance, digits, compare, better
        self.rows, self.columns, self.cells = [], [], {}

    def cell(self, row, column, ours=None, *, paper=None, paper_sd=None, reason="", simulated=False):
        """One figure. `ours` is a number or one per repeat, None where there is no data; `paper` is None where there is
        ours only. `reason` says why it differs, or why there is no data."""
        row, column = str(row), str(column)
        if row not in self.rows:
            self.rows.append(row)
        if column not in self.columns:
            self.columns.append(column)
        values = None if ours is None else np.asarray(ours, dtype=float).ravel()
        many = values is not None and len(values) > 1
        self.cells[row, column] = Cell(
            paper,
            paper_sd,
            None if values is None else float(np.mean(values)),
            float(np.std(values, ddof=1)) if many else None,
            0 if values is None else len(values),
            reason,
            simulated,
        )

    def judge(self):
        for (row, _), cell in self.cells.items():
            cell.verdict = self._verdict(row, cell)

    def _verdict(self, row, cell):
        if cell.ours is None:
            return "no data"
        if cell.simulated:
            return "simulated"
        if cell.paper is None:
            return "ours"
        ours = (cell.sd or 0.0) ** 2 / max(1, cell.repeats)
        theirs = (cell.paper_sd or 0.0) ** 2 / max(1, cell.repeats)
        if abs(cell.ours - cell.paper) <= max(self.tolerance, 2 * np.sqrt(ours + theirs)) + 1e-12:
            return "reproduces"
        if self.better and (cell.ours > cell.paper) == (self.better == "higher"):
            return "better"
        others = [
            other
            for (of, _), other in self.cells.items()
            if of == row and other is not cell and other.paper is not None and other.ours is not None
            and abs(other.paper - cell.paper) > self.tolerance
        ]  # fmt: skip
        same = all((other.paper - cell.paper) * (other.ours - cell.ours) > 0 for other in others)
        return "same order" if self.compare and others and same else "does not"

    def _text(self, cell):
        def number(x):
            return f"{x:.{self.digits}f}"

        if cell is None:
            return ""
        parts = []
        if cell.paper is not None:
            spread = f" ± {number(cell.paper_sd)}" if cell.paper_sd is not None else ""
            parts.append(number(cell.paper) + spread)
        if cell.ours is not None:
            spread = f" ± {number(cell.sd)}" if cell.sd is not None else ""
            parts.append(f"**{number(cell.ours)}**{spread}")
        return " / ".join(parts) + f" {VERDICTS[cell.verdict]}"

    def markdown(self):
        lines = [f"### {self.title}", ""]
        tolerance = f"Tolerance {self.tolerance:g}." if self.tolerance else ""
        if self.about or tolerance:
            lines += [f"{self.about} {tolerance}".strip(), ""]
        lines += ["| | " + " | ".join(self.columns) + " |", "| --- |" + " --- |" * len(self.columns)]
        for row in self.rows:
            lines.append(f"| {row} | " + " | ".join(self._text(self.cells.get((row, c))) for c in self.columns) + " |")
        reasons = {}
        for (row, column), cell in self.cells.items():
            if cell.reason and cell.verdict in ("does not", "no data", "same order", "better", "ours"):
                reasons.setdefault(cell.reason, []).append(row if len(self.columns) == 1 else f"{row}, {column}")
        unexplained = sum(c.verdict == "does not" and not c.reason for c in self.cells.values())
        if reasons:
            lines.append("")
            lines += [f"- {shortened(where)}: {reason}" for reason, where in reasons.items()]
        if unexplained:
            lines += ["", f"Without a reason that was tested, of those that do not reproduce: {unexplained}."]
        return "\n".join(lines) + "\n"

    def write_csv(self, folder):
        with open(folder / f"{self.key}.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["row", "column", "paper", "paper_sd", "ours", "ours_sd", "repeats", "verdict", "reason"])
            for (row, column), c in self.cells.items():
                figures = [None if v is None else f"{v:.6g}" for v in (c.paper, c.paper_sd, c.ours, c.sd)]
                out.writerow([row, column, *figures, c.repeats, c.verdict, c.reason])


def shortened(names):
    return "; ".join(names) if len(names) <= 8 else "; ".join(names[:7]) + f"; and {len(names) - 7} more"


class Study:
    """One paper, being reproduced."""

    def __init__(self, name, title, options):
        self.name, self.title = name, title
        self.quick, self.jobs, self.out = options.quick, options.jobs, options.out
        self.data = Folder(options.data, stand_in=options.quick)
        self.tables, self.parts = [], []
        for folder in ["tables", "figures"]:
            (self.out / folder).mkdir(parents=True, exist_ok=True)

    def repeats(self, full, quick=3):
        return quick if self.quick else full

    def load(self, name):
        """A data set, or None; then its cells say "no data"."""
        return self.data.load(name)

    def each(self, function, tasks, label):
        """`function(*task)` of every task, spread over processes, in order; nothing may depend on who runs what."""
        tasks = [task if isinstance(task, tuple) else (task,) for task in tasks]
        running = Parallel(n_jobs=self.jobs, return_as="generator")(delayed(function)(*task) for task in tasks)
        about = f"{self.name}: {label}"
        return list(tqdm(running, about, len(tasks), leave=False, file=sys.stderr, disable=not sys.stderr.isatty()))

    def table(self, key, title, **options):
        """A new table, shown in RESULTS.md where it is made; `key` names its file."""
        table = Table(f"{self.name}_{key}", title, **options)
        self.tables.append(table)
        self.parts.append(table)
        return table

    def figure(self, key, figure, caption):
        """Keeps a figure."""
        path = f"figures/{self.name}_{key}.png"
        figure.savefig(self.out / path, dpi=80)
        plt.close(figure)
        self.parts.append(f"![{caption}]({path})\n\n{caption}\n")

    def say(self, text):
        """A paragraph of RESULTS.md."""
        self.parts.append(text.strip() + "\n")

    def summary(self):
        verdicts = [c.verdict for table in self.tables for c in table.cells.values()]
        counts = [(verdicts.count(v), "ours alone" if v == "ours" else v) for v in VERDICTS]
        return ", ".join(f"{n} {v}" for n, v in counts if n)

    def save(self, seconds):
        for table in self.tables:
            table.judge()
            table.write_csv(self.out / "tables")
        sections = [part.markdown() if isinstance(part, Table) else part for part in self.parts]
        command = f"papers/run {self.name}" + (" --quick" if self.quick else "")
        made = f"`{command}`, tamis {tamis.__version__}, {datetime.date.today()}, {seconds:.0f} s: {self.summary()}."
        self.section = "\n".join([f"## {self.title}", "", made, "", *sections])


def write_results(out, order, new):
    """RESULTS.md with the sections of these studies in it, and those of the others as they were."""
    path = out / "RESULTS.md"
    sections = {}
    for part in path.read_text().split(MARK)[1:] if path.exists() else []:
        name, text = part.split(" -->\n", 1)
        sections[name] = text
    sections |= {study.name: study.section for study in new}
    parts = [f"{MARK}{name} -->\n{sections[name].strip()}\n" for name in order if name in sections]
    path.write_text("\n".join(["# The papers, table by table", "", RULE, *parts]))


def program(*arguments):
    """Runs the program `tamis` that the package brings, and returns what it prints."""
    command = [str(Path(sys.executable).parent / "tamis"), *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
