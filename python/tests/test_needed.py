"""Which features are needed: findings, what `transform` keeps, designs, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import tamis


def table(rows: int = 160, features: int = 120, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Columns 0 and 1 are copies of one signal; the target needs one of them, and column 7."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(rows)
    y = X[:, 0] - X[:, 7] + 0.7 * rng.standard_normal(rows)
    return X, y


def test_findings_are_sets_of_interchangeable_features():
    X, y = table()
    found = tamis.Needed().fit(X, y)
    assert sorted(sorted(finding["members"].tolist()) for finding in found.findings_) == [[0, 1], [7]]
    leads = sorted(finding["lead"] for finding in found.findings_)
    assert found.get_support(indices=True).tolist() == leads
    assert all(finding["lead"] == finding["members"][0] for finding in found.findings_)
    assert all(0.9 < finding["probability"] <= 1 for finding in found.findings_)
    copies = next(finding for finding in found.findings_ if len(finding["members"]) == 2)
    assert copies["correlation"] == pytest.approx(abs(np.corrcoef(X[:, 0], X[:, 1])[0, 1]), abs=1e-9)
    inclusion = found.inclusion_probabilities_
    assert inclusion[7] > 0.9 and inclusion[[0, 1]].sum() > 0.9 and np.delete(inclusion, [0, 1, 7]).max() < 0.5
    assert 0 <= found.background_ <= 1 and ((found.factors_ >= 0) & (found.factors_ <= 1)).all()
    assert {0, 1, 7} >= set(found.working_set_) >= {7} and len(found.working_set_) >= 2
    assert "finding" in found.result_.sentence


def test_transform_keeps_what_is_asked_for():
    X, y = table()
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    found = tamis.Needed().set_output(transform="pandas").fit(frame, y)
    assert found.transform(frame).shape[1] == 2
    assert found.transform(frame, which="members").columns.tolist() == ["g0", "g1", "g7"]
    working = sorted(found.working_set_)
    assert found.transform(frame, which="working").columns.tolist() == [f"g{j}" for j in working]
    kept = tamis.Needed(keep="members").fit(frame, y)
    assert kept.get_feature_names_out().tolist() == ["g0", "g1", "g7"]
    with pytest.raises(ValueError, match="findings, working, members"):
        found.transform(frame, which="best")
    with pytest.raises(ValueError, match="keep"):
        tamis.Needed(keep="best").fit(X, y)


def test_the_frame_tells_the_set_of_every_feature():
    X, y = table()
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    found = tamis.Needed().fit(frame, y)
    rows = found.results_frame().set_index("feature")
    assert rows.loc["g0", "set"] == rows.loc["g1", "set"] != rows.loc["g7", "set"]
    assert rows.loc["g1", "lead"] in ("g0", "g1")
    assert np.isnan(rows.loc["g20", "set"])
    np.testing.assert_array_equal(rows["inclusion_probability"], found.inclusion_probabilities_)


def test_classes_survival_and_designs():
    X, y = table(200)
    assert 7 in tamis.Needed().fit(X, y > 0).get_support(indices=True)
    assert 7 in tamis.Needed().fit(X, np.digitize(y, [-1, 1])).get_support(indices=True)
    rng = np.random.default_rng(1)
    times = np.exp(-y + 0.3 * rng.standard_normal(len(y)))
    events = (rng.random(len(y)) < 0.8).astype(float)
    assert 7 in tamis.Needed().fit(X, np.column_stack([times, events])).get_support(indices=True)
    adjusted = tamis.Needed().fit(X, y, covariates={"known": X[:, 7]})
    assert 7 not in adjusted.get_support(indices=True) and adjusted.n_selected_ == 1
    rows = np.repeat(np.arange(len(y)), 3)
    repeated = tamis.Needed().fit(X[rows], y[rows], blocks=rows)
    np.testing.assert_array_equal(repeated.support_, tamis.Needed().fit(X, y).support_)


def test_results_depend_on_the_seed_and_not_on_threads():
    X, y = table()
    one, two = (tamis.Needed(n_jobs=n, draws=300).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.inclusion_probabilities_, two.inclusion_probabilities_)
    other = tamis.Needed(random_state=1, draws=300).fit(X, y)
    assert (one.inclusion_probabilities_ != other.inclusion_probabilities_).any()


def test_it_serves_in_pipelines():
    X, y = table(200)
    pipeline = make_pipeline(tamis.Needed(keep="working", draws=200), LogisticRegression())
    assert cross_val_score(pipeline, X, y > 0, cv=3).mean() > 0.8


def test_what_cannot_be_used_is_refused():
    X, y = table()
    with pytest.raises(ValueError, match="fdr"):
        tamis.Needed(fdr=0.0).fit(X, y)
    with pytest.raises(ValueError, match="rows"):
        tamis.Needed().fit(X[:8], y[:8])
    with pytest.raises(ValueError):
        tamis.Needed().fit(X, np.ones(len(y)))
    noise = tamis.Needed().fit(X, np.random.default_rng(9).standard_normal(len(y)))
    assert noise.n_selected_ == 0 and noise.findings_ == []
    assert noise.transform(X, which="findings").shape == (len(y), 0)
