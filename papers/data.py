"""The data sets: files of the papers where there are any, simulated ones of the same shape for quick runs without."""

import gzip
import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

# rows, features and classes of what stands in for a file that is absent
SHAPES = {
    "colon": (62, 500, 2),
    "leukemia": (72, 500, 2),
    "prostate": (102, 500, 2),
    "peng_colon": (62, 200, 2),
    "peng_leukemia": (72, 200, 2),
    "peng_lung": (73, 100, 5),
    "peng_nci9": (60, 200, 5),
    "madelon_train": (300, 60, 2),
    "madelon_valid": (150, 60, 2),
    "ada_train": (400, 48, 2),
    "ada_valid": (200, 48, 2),
    "sylva_valid": (300, 60, 2),
    "raetsch_titanic": (600, 3, 2),
    "raetsch_waveform": (900, 21, 2),
    "raetsch_splice": (600, 60, 2),
    "raetsch_thyroid": (215, 5, 2),
    "breast": (300, 30, 2),
    "heart": (270, 13, 2),
    "wine": (178, 13, 3),
    "waveform": (900, 40, 3),
    "optdigits": (600, 64, 10),
    "splice": (400, 60, 3),
    "spect": (267, 22, 2),
}


@dataclass
class Data:
    """A table: numbers, classes as 0, 1, …, and what they are called."""

    name: str
    X: np.ndarray
    y: np.ndarray
    classes: list
    columns: list
    simulated: bool = False
    splits: list = field(default_factory=list)


class Folder:
    """Where the files are."""

    def __init__(self, path: Path, stand_in: bool):
        self.path, self.stand_in = path, stand_in

    def names(self):
        """Every table there is, in order."""
        found = sorted(p.name.removesuffix(".csv.gz") for p in self.path.glob("*.csv.gz")) if self.path.is_dir() else []
        return found or (sorted(SHAPES) if self.stand_in else [])

    def load(self, name):
        """The table of this name; None if there is none."""
        path = self.path / f"{name}.csv.gz"
        if path.exists():
            return read(path)
        return simulated(name) if self.stand_in and name in SHAPES else None


def read(path):
    name = path.name.removesuffix(".csv.gz")
    table = pd.read_csv(path)
    classes, y = np.unique(table.pop("label").to_numpy(), return_inverse=True)
    splits = []
    beside = path.with_name(f"{name}_splits.json.gz")
    if beside.exists():
        with gzip.open(beside, "rt") as file:
            splits = [np.array(split["train"]) for split in json.load(file)["splits"]]
    return Data(name, table.to_numpy(dtype=float), y, classes.tolist(), list(table.columns), False, splits)


def simulated(name):
    rows, features, classes = SHAPES[name]
    # parts of one data set are drawn alike
    rng = np.random.default_rng(zlib.crc32(name.split("_train")[0].split("_valid")[0].encode()))
    shift = np.zeros((classes, features))
    relevant = max(2, features // 10)
    shift[:, :relevant] = rng.normal(0, 1.2, (classes, relevant))
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    y = rng.permutation(np.arange(rows) % classes)
    X = rng.standard_normal((rows, features)) + shift[y]
    if name.startswith("peng"):
        X = 2 * np.clip(np.round(X / 1.2), -1, 1)
    if name in ("optdigits", "raetsch_titanic", "spect", "splice", "raetsch_splice"):
        X = np.clip(np.round(2 * X), 0, 16)
    splits = [np.sort(rng.permutation(rows)[: rows * 2 // 3]) for _ in range(10)] if name.startswith("raetsch") else []
    return Data(name, X, y, list(range(classes)), [f"f{j + 1}" for j in range(features)], True, splits)
