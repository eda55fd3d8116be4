"""The program `tamis`: `python -m tamis select table.csv --target outcome`, or `tamis …` once this is installed."""

import sys

from . import _core


def main() -> int:
    """Runs the program with this process's arguments and returns its exit status."""
    return _core.program(["tamis", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
