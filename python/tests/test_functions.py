"""Functions on arrays."""

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

import tamis


def test_scores_are_those_of_snbl(two_groups):
    np.testing.assert_array_equal(tamis.scores(*two_groups), tamis.SNBL().fit(*two_groups).scores_)


def test_scores_of_several_classes_order_as_f(two_groups):
    X, _ = two_groups
    y = np.arange(len(X)) % 3
    np.testing.assert_array_equal(np.argsort(tamis.scores(X, y, statistic="f")), np.argsort(f_classif(X, y)[0]))


def test_shrink_is_snbl_without_the_scoring(two_groups):
    snbl = tamis.SNBL(permutations=0).fit(*two_groups)
    found = tamis.shrink(snbl.scores_)
    np.testing.assert_array_equal(found.probabilities, snbl.probabilities_)
    np.testing.assert_array_equal(found.support, snbl.support_)
    assert found.n_expected == snbl.n_expected_
    assert len(found.results_frame()) == 60
    assert repr(found).startswith("<Shrunken: ") and len(repr(found)) < 200


def test_shrink_takes_t_statistics():
    t = np.array([0.1, -0.3, 8.0, 1.0, 0.5] * 20)
    assert tamis.shrink(t, df=10).scores[2] < 8.0
    with pytest.raises(ValueError, match="every score is missing"):
        tamis.shrink([np.nan, np.nan])
    with pytest.raises(ValueError):
        tamis.shrink(t, df=-1)


def test_stability_takes_masks_indices_and_selectors(two_groups):
    masks = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool)
    by_mask = tamis.stability(masks)
    assert by_mask == tamis.stability([[0, 1], [0, 2]], n_features=4)
    assert tamis.stability([[0, 1], [0, 2]], "jaccard", n_features=4) == pytest.approx(1 / 3)
    unequal = [[0], range(52)]
    assert tamis.stability(unequal, n_features=53) < 0.1
    with pytest.raises(ValueError, match="one size, but these have 1 to 52 features"):
        tamis.stability(unequal, "kuncheva", n_features=53)
    fitted = tamis.SNBL().fit(*two_groups)
    for index in ["kuncheva", "jaccard", "pearson", "nogueira"]:
        assert tamis.stability([fitted, fitted], index) == 1.0
    with pytest.raises(ValueError, match="n_features"):
        tamis.stability([[0, 1]])
    with pytest.raises(ValueError, match="index"):
        tamis.stability(masks, "none")
    with pytest.raises(ValueError, match="start at 0"):
        tamis.stability([[-1]], n_features=3)
