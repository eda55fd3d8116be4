"""Layouts, types and bad input."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import tamis

SELECTORS = [
    tamis.SNBL(),
    tamis.MutualInformation(k=5),
    tamis.Dependence(),
    tamis.Needed(draws=200),
    tamis.NPFS(k=5, n_bootstraps=10, random_state=0),
    tamis.PFCVM(random_state=0),
    tamis.JCFO(random_state=0),
    tamis.ShrunkenDLDA(),
    tamis.Pairs(permutations=5),
]
CLASSIFIERS = [
    tamis.PFCVM(random_state=0),
    tamis.JCFO(random_state=0),
    tamis.PCVM(random_state=0),
    tamis.RVM(random_state=0),
    tamis.ShrunkenDLDA(),
]


@pytest.mark.parametrize("estimator", SELECTORS, ids=lambda e: type(e).__name__)
def test_any_layout_gives_the_same_bits(estimator, two_groups):
    X, y = two_groups
    X = X.astype(np.float32).astype(np.float64)
    wanted = clone(estimator).fit(X, y).scores_
    strided = np.zeros((240, 180))
    strided[::2, 1::3] = X
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    frozen = X.copy()
    frozen.flags.writeable = False
    layouts = [np.asfortranarray(X), X.astype(np.float32), strided[::2, 1::3], backwards, frozen]
    layouts += [np.asfortranarray(X.astype(np.float32)), sparse.csr_matrix(X), sparse.csc_array(X)]
    for layout in layouts:
        np.testing.assert_array_equal(clone(estimator).fit(layout, y).scores_, wanted)


@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_sparse_matrices_have_the_scores_of_dense_ones(indices):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 90)) * (rng.random((300, 90)) < 0.1)
    X[:, 3], X[:, 4], X[7, 5] = 0.0, 2.5, np.nan
    y = rng.integers(0, 2, 300)
    wanted = tamis.scores(X, y)
    for layout in [sparse.csr_array(X), sparse.csc_array(X)]:
        layout.indices, layout.indptr = layout.indices.astype(indices), layout.indptr.astype(indices)
        found = [tamis.scores(layout, y, n_jobs=n) for n in (1, 2)]
        np.testing.assert_allclose(found[0], wanted, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(found[0], found[1])


def test_sparse_entries_given_twice_are_summed():
    rng = np.random.default_rng(5)
    rows, columns, values = rng.integers(0, 50, 400), rng.integers(0, 40, 400), rng.standard_normal(400)
    twice = sparse.csc_array((50, 40))
    order = np.lexsort((rng.random(400), columns))
    twice.data, twice.indices = values[order], rows[order].astype(np.int32)
    twice.indptr = np.searchsorted(columns[order], np.arange(41)).astype(np.int32)
    dense = np.zeros((50, 40))
    np.add.at(dense, (rows, columns), values)
    y = np.arange(50) % 2
    np.testing.assert_allclose(tamis.scores(twice, y), tamis.scores(dense, y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_predictions_do_not_depend_on_the_layout(estimator, two_groups):
    X, y = two_groups
    X = X.astype(np.float32).astype(np.float64)
    model = clone(estimator).fit(X, y)
    wanted = model.predict_proba(X)
    for layout in [np.asfortranarray(X), X.astype(np.float32), sparse.csr_matrix(X)]:
        np.testing.assert_array_equal(model.predict_proba(layout), wanted)


@pytest.mark.parametrize("estimator", SELECTORS, ids=lambda e: type(e).__name__)
def test_the_number_of_threads_does_not_matter(estimator, two_groups):
    one, two = (clone(estimator).set_params(n_jobs=n).fit(*two_groups) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.support_, two.support_)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: type(e).__name__)
def test_a_pickle_predicts_the_same_bits_and_is_text_inside(estimator, two_groups):
    X, y = two_groups
    model = clone(estimator).fit(X, y)
    saved = pickle.dumps(model)
    assert b"format_version" in saved
    np.testing.assert_array_equal(pickle.loads(saved).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("estimator", [*SELECTORS, *CLASSIFIERS[1:3]], ids=lambda e: type(e).__name__)
def test_missing_values_are_allowed_and_infinities_are_not(estimator, two_groups):
    X, y = two_groups
    X = X.copy()
    X[3, 2] = np.nan
    clone(estimator).fit(X, y)
    X[5, 4] = np.inf
    with pytest.raises(ValueError, match=r"contains infinity.*row 6, column `x4`"):
        clone(estimator).fit(X, y)


def test_infinities_in_new_rows_are_refused(two_groups):
    X, y = two_groups
    model = tamis.PCVM(random_state=0).fit(X, y)
    X = X.copy()
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.predict(X)


@pytest.mark.parametrize("estimator", [*SELECTORS, *CLASSIFIERS[1:3]], ids=lambda e: type(e).__name__)
def test_bad_input_has_scikit_learns_exceptions(estimator, two_groups):
    X, y = two_groups
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(estimator).fit(X, y[:-1])
    with pytest.raises(ValueError, match=r"one value only|class"):
        clone(estimator).fit(X, np.zeros(len(y), dtype=int))
    with pytest.raises(ValueError, match="could not convert string to float"):
        clone(estimator).fit(X.astype(str) + "a", y)
    with pytest.raises(ValueError, match="requires y"):
        clone(estimator).fit(X, None)
    with pytest.raises(NotFittedError):
        clone(estimator).transform(X) if hasattr(estimator, "transform") else clone(estimator).predict(X)


def test_other_columns_than_in_training_are_refused(two_groups):
    pandas = pytest.importorskip("pandas")
    X, y = two_groups
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    for estimator in [tamis.SNBL(), tamis.PFCVM(random_state=0)]:
        estimator.fit(frame, y)
        assert list(estimator.feature_names_in_[:2]) == ["g0", "g1"]
        assert "g0" in estimator.get_feature_names_out()
        with pytest.raises(ValueError, match="feature names"):
            estimator.transform(frame.rename(columns={"g0": "other"}))


def test_wrong_parameters_say_what_is_right(two_groups):
    with pytest.raises(ValueError, match="it takes auto, kde, normal"):
        tamis.SNBL(prior="normall").fit(*two_groups)
    with pytest.raises(ValueError, match="`decide`"):
        tamis.SNBL(decide="fdr:x").fit(*two_groups)
    with pytest.raises(ValueError, match="n_jobs"):
        tamis.SNBL(n_jobs=0).fit(*two_groups)
    with pytest.raises(ValueError, match="criterion"):
        tamis.MutualInformation("nothing").fit(*two_groups)
    with pytest.raises(ValueError, match="inference"):
        tamis.PFCVM("nothing").fit(*two_groups)
    with pytest.raises(ValueError, match="finite"):
        tamis.SNBL(tol=float("nan")).fit(*two_groups)
    with pytest.raises(ValueError, match="random_state"):
        tamis.NPFS(random_state=-1).fit(*two_groups)


def test_text_targets_and_several_classes(two_groups):
    X, y = two_groups
    np.testing.assert_array_equal(
        tamis.SNBL().fit(X, np.where(y == 1, "tumor", "normal")).scores_, tamis.SNBL().fit(X, y).scores_
    )
    three = np.array(["a", "b", "c"], dtype=object)[np.arange(len(y)) % 3]
    assert tamis.SNBL().fit(X, three).scores_.shape == (60,)
    assert tamis.ShrunkenDLDA(prior="none").fit(X, three).predict_proba(X).shape == (120, 3)


def test_a_number_is_told_from_classes_as_in_files(two_groups):
    X, _ = two_groups
    y = X[:, 0] + 0.1 * X[:, 1]
    found = tamis.SNBL().fit(X, y)
    assert found.support_[0]
    whole = np.arange(len(y)) % 5
    assert not np.array_equal(
        tamis.SNBL(task="real").fit(X, whole).scores_, tamis.SNBL(task="classes").fit(X, whole).scores_
    )
    np.testing.assert_array_equal(tamis.SNBL().fit(X, whole).scores_, tamis.SNBL(task="classes").fit(X, whole).scores_)


@pytest.mark.parametrize(
    "estimator",
    [
        tamis.SNBL(weights="frequency"),
        tamis.MutualInformation(k=5, weights="frequency"),
        tamis.ShrunkenDLDA(weights="frequency"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_copies_are_as_good_as_repeated_rows(estimator, two_groups):
    X, y = two_groups
    weights = np.arange(len(y)) * 7 % 4
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    # what has no weight teaches nothing, whatever it is
    spoiled = X.copy()
    spoiled[weights == 0] = 1e9
    np.testing.assert_array_equal(clone(estimator).fit(spoiled, y, sample_weight=weights).scores_, weighted.scores_)


@pytest.mark.parametrize(
    "estimator",
    [tamis.SNBL(), tamis.MutualInformation(k=5), tamis.MutualInformation(k="auto"), tamis.ShrunkenDLDA()],
    ids=lambda e: type(e).__name__,
)
def test_only_the_ratios_of_importance_matter(estimator, two_groups):
    X, y = two_groups
    plain = clone(estimator).fit(X, y)
    same = clone(estimator).fit(X, y, sample_weight=np.full(len(y), 10.0))
    np.testing.assert_array_equal(same.scores_, plain.scores_)
    np.testing.assert_array_equal(same.support_, plain.support_)
    weights = 1.0 + np.arange(len(y)) * 7 % 4
    one = clone(estimator).fit(X, y, sample_weight=weights)
    ten = clone(estimator).fit(X, y, sample_weight=10 * weights)
    np.testing.assert_array_equal(ten.scores_, one.scores_)
    np.testing.assert_array_equal(ten.support_, one.support_)
    assert not np.array_equal(one.scores_, plain.scores_)


def test_a_weight_that_is_no_number_of_rows_and_an_unknown_kind_are_refused(two_groups):
    X, y = two_groups
    with pytest.raises(ValueError, match=r"no number of rows.*weights=.importance"):
        tamis.SNBL(weights="frequency").fit(X, y, sample_weight=np.full(len(y), 1.5))
    with pytest.raises(ValueError, match=r"importance.*frequency"):
        tamis.SNBL(weights="counts").fit(X, y, sample_weight=np.full(len(y), 2.0))


def test_bootstraps_of_a_base_are_copies(two_groups):
    X, y = two_groups

    def scores(base):
        return tamis.NPFS(base, n_bootstraps=5, permutations=2, random_state=0).fit(X, y).scores_

    copies = tamis.MutualInformation("mim", k=5, weights="frequency")
    np.testing.assert_array_equal(scores(tamis.MutualInformation("mim", k=5)), scores(copies))


def test_distinct_whole_numbers_with_copies_are_as_repeated():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((15, 4)), np.arange(15)
    weighted = tamis.SNBL(weights="frequency").fit(X, y, sample_weight=np.full(15, 2))
    repeated = tamis.SNBL().fit(X.repeat(2, axis=0), y.repeat(2))
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)


@pytest.mark.parametrize("statistic", ["welch", "pooled", "mann-whitney", "f", "kruskal", "pearson", "spearman"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("bad", [[np.inf], [-np.inf], [np.inf, -np.inf], [np.inf, np.nan]])
def test_no_statistic_overlooks_an_infinite_value(statistic, order, bad, two_groups):
    X, y = two_groups
    X = np.array(X, order=order)
    X[5 : 5 + len(bad), 4] = bad
    task = "real" if statistic in ("pearson", "spearman") else "classes"
    with pytest.raises(ValueError, match=r"row [67], column `x4`"):
        tamis.scores(X, y, statistic=statistic, task=task)


@pytest.mark.parametrize("estimator", SELECTORS[:3], ids=lambda e: type(e).__name__)
def test_classes_are_kept_where_the_target_is_classes(estimator, two_groups):
    X, y = two_groups
    fitted = clone(estimator).fit(X, np.where(y == 1, "tumor", "normal"))
    assert fitted.classes_.tolist() == ["normal", "tumor"]
    assert not hasattr(fitted.fit(X, X[:, 0]), "classes_")
    assert tamis.SNBL().fit(X, y + 1).classes_.tolist() == [1, 2]


def test_a_task_is_understood_whatever_the_target(two_groups):
    X, y = two_groups
    text = np.where(y == 1, "tumor", "normal")
    for target in [y, text]:
        with pytest.raises(ValueError, match="`task` cannot be number: it takes auto, classes or real"):
            tamis.SNBL(task="number").fit(X, target)
    with pytest.raises(ValueError, match="not numeric"):
        tamis.SNBL(task="real").fit(X, text)


def test_messages_use_pythons_names(two_groups):
    X, _ = two_groups
    numbers = X[:, 0]
    with pytest.raises(ValueError, match=r"`statistic` cannot be welch.*`statistic='auto'`"):
        tamis.SNBL(statistic="welch").fit(X, numbers)
    with pytest.raises(ValueError, match=r"`n_bootstraps` cannot be 0"):
        tamis.NPFS(n_bootstraps=0).fit(X, numbers > 0)
    with pytest.raises(ValueError, match=r"`task='real'`"):
        tamis.SNBL(task="classes").fit(X, numbers)
