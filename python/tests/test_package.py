"""The package as a whole."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import tamis


def test_the_version_is_that_of_the_core():
    assert version("tamis") == tamis.__version__


def test_everything_that_is_promised_is_there():
    for name in tamis.__all__:
        assert getattr(tamis, name) is not None
        assert name in dir(tamis)
    with pytest.raises(AttributeError):
        tamis.nothing  # noqa: B018


def test_importing_loads_no_selector_machinery():
    code = "import sys, tamis; sys.exit('sklearn.feature_selection' in sys.modules or 'pandas' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types_are_marked():
    assert (Path(tamis.__file__).parent / "py.typed").exists()
