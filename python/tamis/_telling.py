"""Progress of long work, told to scikit-learn's callbacks where the installed version has them, and printed."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Callbacks are not there."""

    _with_callbacks = None

__all__ = ["CallbackSupportMixin", "Say", "telling", "with_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])


def with_callbacks(method: Method) -> Method:
    """`fit` that lets callbacks go when it ends, however it ends."""
    found: Method = _with_callbacks(method) if _with_callbacks else method
    return found


Say = Callable[[str, int, int], None]

# seconds between two lines of `verbose`
PAUSE = 0.5


@contextmanager
def telling(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Iterator[Say | None]:
    """A function to call with the stage of the work and how much of it is done; None if nobody listens.

    For callbacks the fit is a task whose subtasks are the stages of the work, and those of a stage its hundredths. A
    callback that asks to stop is not obeyed: the core has nothing to show for half of its work.
    """
    listeners: list[Stages | Printer] = []
    if getattr(estimator, "_skl_callbacks", None):
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        listeners.append(Stages(estimator, {"X": X, "y": y, "metadata": metadata}))
    if getattr(estimator, "verbose", 0):
        listeners.append(Printer())

    def say(stage: str, done: int, total: int) -> None:
        for listener in listeners:
            listener.say(stage, done, total)

    yield say if listeners else None
    for listener in listeners:
        listener.finish()


class Stages:
    """Tells callbacks."""

    def __init__(self, estimator: Any, data: dict[str, Any]) -> None:
        self.estimator, self.data = estimator, data
        self.root = estimator._init_callback_context(max_subtasks=None)
        self.stage: Any = None
        self.name, self.hundredths = "", 0
        self.root.call_on_fit_task_begin(estimator=estimator, **data)

    def say(self, stage: str, done: int, total: int) -> None:
        # "iteration 12 of run 3/8: …" is the same stage as "iteration 11 …"
        name = re.split(r"[\d:]", stage, maxsplit=1)[0].strip() or "work"
        hundredths = 100 * min(done, total) // total if total > 0 else 0
        if self.stage is None or name != self.name or hundredths < self.hundredths:
            self._end_stage()
            self.name, self.hundredths = name, 0
            self.stage = self.root.subcontext(task_name=name, max_subtasks=100 if total > 0 else 0)
            self.stage.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        while self.hundredths < hundredths and self.stage.max_subtasks:
            self.hundredths += 1
            part = self.stage.subcontext(task_name=f"{name} {self.hundredths} %")
            part.call_on_fit_task_begin(estimator=self.estimator, **self.data)
            part.call_on_fit_task_end(estimator=self.estimator, **self.data)

    def _end_stage(self) -> None:
        if self.stage is not None:
            self.stage.call_on_fit_task_end(estimator=self.estimator, **self.data)
            self.stage = None

    def finish(self) -> None:
        self._end_stage()
        fitted = {name: value for name, value in vars(self.estimator).items() if name.endswith("_") or name == "_model"}
        self.root.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes=fitted)


class Printer:
    """Prints to standard error, now and then."""

    def __init__(self) -> None:
        self.last = 0.0

    def say(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last >= PAUSE:
            self.last = now
            share = f" ({100 * done / total:.0f} %)" if total > 0 else ""
            print(f"[tamis] {stage}{share}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Nothing is left to say."""
