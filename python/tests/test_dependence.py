"""Relations of any kind: finds, their kinds and partners, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import tamis


def table(rows: int = 300, features: int = 40, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """The class is the sign of the product of columns 3 and 8; column 5 is wider in one class, column 0 higher."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    y = (X[:, 3] * X[:, 8] > 0).astype(int)
    X[:, 5] *= 1 + 2 * y
    X[:, 0] += y
    return X, y


def test_every_find_has_its_kind_and_its_partner() -> None:
    X, y = table()
    found = tamis.Dependence().fit(X, y)
    assert {0, 3, 5, 8} <= set(found.get_support(indices=True)) and found.n_selected_ <= 6
    assert found.kinds_[[0, 3, 5, 8]].tolist() == ["level", "together", "shape", "together"]
    assert found.partners_[[0, 3, 5, 8]].tolist() == [-1, 8, -1, 3]
    assert ((found.kinds_ != "") == found.support_).all()
    assert (found.q_values_[found.support_] <= 0.05).all()
    # the default does not see three of them
    assert tamis.SNBL().fit(X, y).get_support(indices=True).tolist() == [0]


def test_the_frame_has_kinds_and_the_names_of_partners() -> None:
    X, y = table()
    names = [f"g{j}" for j in range(X.shape[1])]
    result = tamis.Dependence().fit(pandas.DataFrame(X, columns=names), y).results_frame().set_index("feature")
    assert result.loc["g3", ["kind", "partner"]].tolist() == ["together", "g8"]
    assert result.loc["g5", ["kind", "partner"]].tolist() == ["shape", ""]
    assert result.loc["g3", "p_value"] <= result.loc["g3", "q_value"] <= 0.05
    assert result.loc[~result["selected"], "kind"].eq("").all()


def test_results_depend_on_the_seed_and_not_on_threads() -> None:
    X, y = table(120)
    one, two = (tamis.Dependence(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.p_values_, two.p_values_)
    other = tamis.Dependence(random_state=1).fit(X, y)
    assert (one.p_values_ != other.p_values_).any()
    np.testing.assert_array_equal(one.scores_, other.scores_)


def test_categories_missing_values_and_numeric_targets() -> None:
    X, y = table()
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    frame["city"] = np.where(np.random.default_rng(1).random(len(y)) < 0.2 + 0.6 * y, "Rome", "Oslo")
    frame.loc[y == 1, "g12"] = np.nan  # missing in one class only
    found = tamis.Dependence().fit(frame, y).results_frame().set_index("feature")
    assert found.loc["city", "kind"] == "shape" and found.loc["g12", "kind"] == "shape"
    ring = X[:, 1] ** 2 + 0.1 * X[:, 2]
    assert tamis.Dependence().fit(X, ring).kinds_[1] == "shape"


def test_what_cannot_be_used_is_refused() -> None:
    X, y = table(60)
    with pytest.raises(ValueError, match="permutations"):
        tamis.Dependence(permutations=3).fit(X, y)
    with pytest.raises(ValueError, match="fdr"):
        tamis.Dependence(fdr=1.5).fit(X, y)
