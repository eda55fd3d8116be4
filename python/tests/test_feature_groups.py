"""Features that count together, and sparse matrices in both orders."""

import numpy as np
import pytest
from scipy import sparse

import tamis

pd = pytest.importorskip("pandas")


def frame(n=80):
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], n // 2)
    city = np.where(rng.random(n) < 0.8, y, 2)
    table = pd.DataFrame(rng.normal(size=(n, 30)), columns=[f"n{j}" for j in range(30)])
    for code, name in enumerate(["Rome", "Oslo", "New_York"]):
        table[f"city_{name}"] = (city == code).astype(float)
    return table, y


def test_one_hot_columns_share_a_decision():
    X, y = frame()
    found = tamis.SNBL().fit(X, y)
    city = [name.startswith("city_") for name in X.columns]
    assert found.support_.shape == (33,)
    assert found.support_[city].all()
    assert len(set(found.ranking_[city])) == 1
    assert len(set(found.probabilities_[city])) == 1
    assert found.n_selected_ == 1
    assert list(found.get_feature_names_out()) == [name for name in X.columns if name.startswith("city_")]
    assert any("one-hot" in note for note in found.notes_)


def test_groups_by_name_by_position_and_by_label():
    X, y = frame()
    named = {"first": ["n0", "n1"], "city": list(X.columns[30:])}
    labels = ["first", "first"] + [None] * 28 + ["city"] * 3
    by_name = tamis.SNBL().fit(X, y, feature_groups=named)
    by_position = tamis.SNBL().fit(X.to_numpy(), y, feature_groups={"first": [0, 1], "city": [30, 31, 32]})
    by_label = tamis.SNBL().fit(X.to_numpy(), y, feature_groups=labels)
    for other in [by_position, by_label]:
        np.testing.assert_array_equal(by_name.support_, other.support_)
    with pytest.raises(ValueError, match="no feature"):
        tamis.SNBL().fit(X, y, feature_groups={"a": ["nothing"]})
    with pytest.raises(ValueError, match="has no feature in 'a'"):
        tamis.SNBL().fit(X, y, feature_groups={"a": []})
    with pytest.raises(ValueError, match="one label per feature"):
        tamis.SNBL().fit(X, y, feature_groups=["a", "b"])


def test_groups_are_tested_as_sets():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 20)
    X = rng.standard_normal((40, 100))
    X[:, :8] += y[:, None]
    found = tamis.SNBL().fit(X, y, feature_groups={"planted": range(10), "others": range(50, 70)})
    first, second = found.feature_groups_
    assert (first["name"], first["size"], first["direction"]) == ("planted", 10, "up")
    assert max(first["p_direction"], first["p_competitive_direction"]) < 0.01
    assert first["q_direction"] >= first["p_direction"] and set(first["leading"]) <= {f"x{j}" for j in range(10)}
    assert second["p_competitive_mixed"] > 0.01
    assert tamis.SNBL().fit(X, y).feature_groups_ == []


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_sparse_rows_columns_and_dense_arrays_agree(share):
    rng = np.random.default_rng(5)
    X = sparse.random(120, 60, share, "csr", rng=rng, data_rvs=rng.standard_normal)
    y = np.tile([0, 1, 1], 40)
    dense = tamis.scores(X.toarray(), y)
    for other in [X, X.tocsc(), X.tocoo(), sparse.csr_array(X)]:
        np.testing.assert_allclose(tamis.scores(other, y), dense, rtol=1e-9, atol=1e-9)
    selected = [tamis.SNBL().fit(matrix, y).probabilities_ for matrix in [X.toarray(), X, X.tocsc()]]
    np.testing.assert_allclose(selected[1], selected[0], atol=1e-9)
    np.testing.assert_allclose(selected[2], selected[0], atol=1e-9)


def test_entries_given_twice_are_summed():
    data, rows, columns = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 3], [1, 1, 0, 0]
    twice = sparse.csr_matrix((data, columns, [0, 2, 3, 3, 4]), shape=(4, 2))
    assert not twice.has_canonical_format
    dense = np.zeros((4, 2))
    np.add.at(dense, (rows, columns), data)
    y = [0, 1, 0, 1]
    np.testing.assert_allclose(tamis.scores(twice, y), tamis.scores(dense, y))
    assert not twice.has_canonical_format  # the user's matrix is left alone
