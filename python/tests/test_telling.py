"""Progress: what scikit-learn's callbacks are told, where it has them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV

import tamis
from tamis._telling import Printer, Stages

pytest.importorskip("sklearn.callback")


class Record:
    """Keeps what it is told."""

    def __init__(self):
        self.begun, self.ended, self.log = [], [], []

    def setup(self, estimator, context):
        self.log.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append(context.task_name)
        if context.parent is None:
            self.fitted = fitted_estimator

    def teardown(self, estimator, context):
        self.log.append("teardown")


ESTIMATORS = [tamis.SNBL(), tamis.MutualInformation(), tamis.NPFS(n_bootstraps=10), tamis.PFCVM(), tamis.PCVM()]
ESTIMATORS += [tamis.Dependence(), tamis.Needed(draws=200)]
ESTIMATORS += [tamis.Pairs()]
ESTIMATORS += [tamis.RVM(), tamis.ShrunkenDLDA(), tamis.NPFS(SelectKBest(k=3), n_bootstraps=4, permutations=2)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_callbacks_hear_of_every_fit(estimator, two_groups):
    record = Record()
    estimator = clone(estimator).set_callbacks(record).fit(*two_groups)
    assert record.log == ["setup", "teardown"]
    assert record.begun[0] == record.ended[-1] == "fit"
    assert sorted(record.begun) == sorted(record.ended)
    # what a callback gets is as good as the estimator itself
    use = "transform" if hasattr(estimator, "transform") else "predict_proba"
    X = two_groups[0]
    np.testing.assert_array_equal(getattr(record.fitted, use)(X), getattr(estimator, use)(X))


def test_callbacks_hear_of_bootstraps_by_name(two_groups):
    record = Record()
    tamis.NPFS(SelectKBest(k=3), n_bootstraps=5, permutations=2).set_callbacks(record).fit(*two_groups)
    assert "bootstrapping" in record.begun
    assert record.ended.count("bootstrapping 100 %") == 1


def test_a_fit_that_fails_lets_callbacks_go(two_groups):
    record = Record()
    with pytest.raises(ValueError, match="prior"):
        tamis.SNBL(prior="none").set_callbacks(record).fit(*two_groups)
    assert record.log == ["setup", "teardown"]


def test_stages_of_the_core_become_tasks_and_hundredths(two_groups):
    record = Record()
    estimator = tamis.SNBL().set_callbacks(record)
    stages = Stages(estimator, {"X": None, "y": None, "metadata": {}})
    for stage, done, total in [("scoring", 0, 0), ("iteration 1: a", 1, 50), ("iteration 2: b", 2, 50), ("last", 1, 1)]:
        stages.say(stage, done, total)
    stages.finish()
    names = [name for name in record.begun if "%" not in name]
    assert names == ["fit", "scoring", "iteration", "last"]
    assert [name for name in record.ended if name.startswith("iteration ")] == [
        f"iteration {i} %" for i in (1, 2, 3, 4)
    ]


def test_callbacks_reach_an_estimator_inside_a_search(two_groups):
    class Everywhere(Record):
        max_propagation_depth = None

    record = Everywhere()
    GridSearchCV(tamis.SNBL(), {"prior": ["auto"]}, cv=2, scoring=lambda e, X, y: 0.0).set_callbacks(record).fit(
        *two_groups
    )
    assert record.log == ["setup", "teardown"]


def test_a_line_now_and_then(capsys):
    printer = Printer()
    for done in range(1000):
        printer.say("bootstrapping", done, 1000)
    assert capsys.readouterr().err == "[tamis] bootstrapping (0 %)\n"
