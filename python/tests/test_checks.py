"""scikit-learn's own checks of every estimator."""

import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tamis import ARD, JCFO, NPFS, PCVM, PFCVM, RVM, SNBL, Dependence, MutualInformation, Needed, Pairs, ShrunkenDLDA

ESTIMATORS = [
    SNBL(),
    SNBL(prior="kde"),
    MutualInformation(),
    MutualInformation("mrmr", discretise="frequency", bins=4),
    Dependence(),
    Needed(),
    Needed(weights="frequency", draws=200),
    MutualInformation(k="auto"),
    Pairs(permutations=10),
    NPFS(n_bootstraps=20),
    NPFS(base="f", n_bootstraps=20, null="binomial"),
    NPFS(SelectKBest(k=1), n_bootstraps=3, permutations=2),
    PFCVM(),
    PFCVM(inference="em"),
    ARD(),
    JCFO(),
    PCVM(),
    RVM(),
    ShrunkenDLDA(),
    SNBL(weights="frequency"),
    MutualInformation(weights="frequency"),
    MutualInformation(k="auto", weights="frequency"),
    ShrunkenDLDA(weights="frequency"),
    ShrunkenDLDA(prior="none"),
]


# these checks repeat rows in place of weights, which is what weights of importance do not mean
REPEATS = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
REASON = "weights of importance are not numbers of copies; weights='frequency' passes"


def expected_failures(estimator):
    return dict.fromkeys(REPEATS, REASON) if getattr(estimator, "weights", None) == "importance" else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_checks(estimator, check):
    check(estimator)
