"""The estimators as people use them."""

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis import NPFS, SNBL, _core


def test_a_grid_search_over_both_kinds_in_two_processes(two_groups):
    pipeline = make_pipeline(StandardScaler(), SNBL(), LogisticRegression())
    search = GridSearchCV(pipeline, {"snbl__prior": ["auto", "normal"], "snbl__decide": ["auto", "fdr:0.1"]}, n_jobs=2)
    assert search.fit(*two_groups).best_score_ > 0.8
    machines = GridSearchCV(tamis.PFCVM(random_state=0), {"strictness": [0.25, 1.0], "kernel": ["linear"]}, n_jobs=2)
    assert machines.fit(*two_groups).best_score_ > 0.8


BASES = [SelectKBest(k=5), SNBL(), SelectFromModel(DecisionTreeClassifier(max_depth=3), max_features=4)]


@pytest.mark.parametrize("base", BASES, ids=lambda b: type(b).__name__)
def test_a_base_from_elsewhere_gives_the_same_bits_on_any_backend(base, two_groups):
    npfs = NPFS(base, n_bootstraps=8, permutations=25, random_state=1)
    wanted = clone(npfs).fit(*two_groups)
    assert wanted.support_[:8].sum() >= 1 and wanted.support_[8:].sum() <= 3
    for backend in ["threading", "loky", "multiprocessing"]:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            found = clone(npfs).fit(*two_groups)
        np.testing.assert_array_equal(found.scores_, wanted.scores_)
        np.testing.assert_array_equal(found.q_values_, wanted.q_values_)
    two = clone(npfs).set_params(n_jobs=2).fit(*two_groups)
    np.testing.assert_array_equal(two.scores_, wanted.scores_)


def test_a_base_that_is_no_selector_is_refused(two_groups):
    with pytest.raises((ValueError, AttributeError)):
        NPFS(LogisticRegression(), n_bootstraps=3).fit(*two_groups)
    with pytest.raises(ValueError, match="infinity"):
        X = two_groups[0].copy()
        X[0, 0] = np.inf
        NPFS(SelectKBest(), n_bootstraps=3).fit(X, two_groups[1])


def test_frames_of_results(two_groups):
    fitted = SNBL().fit(*two_groups)
    for kind in ["pandas", "polars"]:
        pytest.importorskip(kind)
        frame = fitted.results_frame(kind)
        expected = ["feature", "score", "effect", "probability", "q_value", "rank", "selected", "difference", "p_value"]
        assert set(expected) <= set(frame.columns) and next(iter(frame.columns)) == "feature"
        assert frame["selected"].sum() == fitted.n_selected_
    plain = tamis.MutualInformation(k=3).fit(*two_groups).results_frame()
    assert "probability" not in plain.columns
    with pytest.raises(ValueError, match="kind"):
        fitted.results_frame("arrow")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_go_in_and_come_out(kind, two_groups):
    library = pytest.importorskip(kind)
    X, y = two_groups
    frame = library.DataFrame({f"g{j}": X[:, j] for j in range(X.shape[1])})
    out = SNBL().set_output(transform=kind).fit(frame, y).transform(frame)
    assert isinstance(out, library.DataFrame) and "g0" in list(out.columns)


def test_notes_name_features_as_the_frame_does(two_groups):
    pandas = pytest.importorskip("pandas")
    X, y = two_groups
    frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    frame["flat"] = 1.0
    assert any("`flat`" in note for note in SNBL().fit(frame, y).notes_)


def test_every_parameter_of_a_method_is_one_of_its_estimator():
    import json

    known = json.loads(_core.methods())
    ours = {
        "snbl": (SNBL(), {"statistic": "score"}),
        "npfs": (NPFS(), {"n_bootstraps": "bootstraps"}),
        "jmi": (tamis.MutualInformation(), {}),
        "mrmr": (tamis.MutualInformation(), {}),
        "dependence": (tamis.Dependence(), {}),
        "needed": (tamis.Needed(), {}),
        "pairs": (tamis.Pairs(), {}),
        "pfcvm-lp": (tamis.PFCVM(), {}),
        "pfcvm-em": (tamis.PFCVM("em", kernel="linear"), {}),  # what "auto" means to it
        "ard": (tamis.ARD(), {}),
        "jcfo": (tamis.JCFO(), {}),
        "pcvm": (tamis.PCVM(), {}),
        "rvm": (tamis.RVM(), {}),
        "dlda": (tamis.ShrunkenDLDA(), {}),
    }
    for name, (estimator, renamed) in ours.items():
        given = {renamed.get(k, k): v for k, v in estimator.get_params(deep=False).items()}
        for parameter, about in known[name]["parameters"].items():
            assert parameter in given, (name, parameter)
            assert given[parameter] in (about["default"], None), (name, parameter)


def test_a_model_is_one_of_the_programs(two_groups):
    import json

    model = tamis.PCVM(random_state=0).fit(*two_groups)
    assert json.loads(model.model_json_)["method"]["name"] == "pcvm"


def test_score_is_another_name_of_statistic():
    assert SNBL(score="pooled").statistic == "pooled"
    assert SNBL().set_params(score="welch").get_params()["statistic"] == "welch"
    with pytest.raises(TypeError, match="scroe"):
        SNBL(scroe="pooled")
