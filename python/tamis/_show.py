"""Text of the data as people may see it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def visible(name: Any) -> str:
    """A name with every hidden character as an escape: text of the data cannot steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(name))


def several(names: Iterable[Any], most: int = 8) -> str:
    """The first of many names, visible, and how many more there are."""
    shown = [visible(name) for name in names]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(f"`{name}`" for name in shown[:most]) + more
