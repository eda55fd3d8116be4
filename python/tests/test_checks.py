"""scikit-learn's own checks of every estimator, with no expected failures."""

import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tamis import ARD, JCFO, NPFS, PCVM, PFCVM, RVM, SNBL, Dependence, MutualInformation, Pairs, ShrunkenDLDA

ESTIMATORS = [
    SNBL(),
    SNBL(prior="kde"),
    MutualInformation(),
    MutualInformation("mrmr", discretise="frequency", bins=4),
    Dependence(),
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
    ShrunkenDLDA(prior="none"),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS)
def test_checks(estimator, check):
    check(estimator)
