"""What the documentation shows is so."""

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))


MODULES = ["", "._selectors", "._needed", "._pairs", "._dependence", "._classifiers", "._array_functions", "._base"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(f"tamis{name}"))
    assert found.failed == 0
    assert found.attempted > 0 or name == "._base"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_scripts_run(path, tmp_path):
    pytest.importorskip("matplotlib")
    environment = os.environ | {"MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / f"{path.stem}.png").exists()
