"""Estimators that an earlier version pickled predict what they predicted then.

A release adds a file: python python/tests/test_old_pickles.py python/tests/pickles/VERSION.pickle
"""

import pathlib
import pickle
import sys
import warnings

import numpy as np
import pytest

import tamis

SAVED = sorted((pathlib.Path(__file__).parent / "pickles").glob("*.pickle"))


def rows():
    """Rows that are the same on every machine."""
    X = (np.arange(40 * 6).reshape(40, 6) * 7919 % 1009) / 1009.0
    y = np.arange(40) % 2
    X[:, 1] += y
    return X, y


def test_there_are_pickles_of_earlier_versions():
    assert SAVED


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_pickle_of_an_earlier_version_predicts_the_same(path):
    X, _ = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, where it has another version
        saved = pickle.loads(path.read_bytes())
    assert len(saved) == 4
    for estimator, predicted in saved:
        if hasattr(estimator, "predict_proba"):
            np.testing.assert_allclose(estimator.predict_proba(X), predicted, rtol=0, atol=1e-12)
        else:
            np.testing.assert_array_equal(estimator.get_support(), predicted)


def save(path):
    X, y = rows()
    selectors = [tamis.SNBL().fit(X, y), tamis.MutualInformation(k=2).fit(X, y)]
    classifiers = [tamis.ShrunkenDLDA().fit(X, y), tamis.PCVM(random_state=0).fit(X, y)]
    saved = [(estimator, estimator.get_support()) for estimator in selectors]
    saved += [(estimator, estimator.predict_proba(X)) for estimator in classifiers]
    pathlib.Path(path).write_bytes(pickle.dumps(saved))


if __name__ == "__main__":
    save(sys.argv[1])
