"""How many features matter, and which — with a probability for each, and no count to choose in advance.

>>> import numpy as np, tamis
>>> rng = np.random.default_rng(0)
>>> y = np.repeat([0, 1], 100)
>>> X = rng.standard_normal((200, 500))
>>> X[:, :20] += 0.9 * y[:, None]
>>> selector = tamis.SNBL().fit(X, y)
>>> bool(selector.support_[:20].mean() > 0.9)
True

Estimators: `SNBL`, `Needed`, `NPFS`, `MutualInformation`, `Dependence`, `Pairs` select; `PFCVM`, `ARD`, `JCFO` and
`ShrunkenDLDA` select and classify; `PCVM` and `RVM` classify. Functions: `scores`, `shrink`, `stability`, and `select`
for AnnData.
Tables in partitions: `tamis.spark.select` and `tamis.dask.select`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import VERSION as __version__

if TYPE_CHECKING:
    from ._anndata import select
    from ._array_functions import Shrunken, scores, shrink, stability
    from ._classifiers import ARD, JCFO, PCVM, PFCVM, RVM, ShrunkenDLDA
    from ._dependence import Dependence
    from ._needed import Needed
    from ._pairs import Pairs
    from ._selectors import NPFS, SNBL, MutualInformation

# the module of each name; loaded on first use, so that importing tamis costs little
_PLACES = {
    "SNBL": "_selectors",
    "NPFS": "_selectors",
    "MutualInformation": "_selectors",
    "Dependence": "_dependence",
    "Needed": "_needed",
    "Pairs": "_pairs",
    "PFCVM": "_classifiers",
    "ARD": "_classifiers",
    "JCFO": "_classifiers",
    "PCVM": "_classifiers",
    "RVM": "_classifiers",
    "ShrunkenDLDA": "_classifiers",
    "Shrunken": "_array_functions",
    "scores": "_array_functions",
    "shrink": "_array_functions",
    "stability": "_array_functions",
    "select": "_anndata",
}

__all__ = [
    "ARD",
    "JCFO",
    "NPFS",
    "PCVM",
    "PFCVM",
    "RVM",
    "SNBL",
    "Dependence",
    "MutualInformation",
    "Needed",
    "Pairs",
    "Shrunken",
    "ShrunkenDLDA",
    "__version__",
    "scores",
    "select",
    "shrink",
    "stability",
]


def __getattr__(name: str) -> Any:
    if name in ("dask", "spark"):  # not in __all__: they are also other packages' names
        return importlib.import_module(f".{name}", __name__)
    if name not in _PLACES:
        raise AttributeError(f"module 'tamis' has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
