"""Uses an installed wheel as its users do: select, predict, in a pipeline, pickled."""

import pickle

import numpy as np
import tamis
from sklearn.pipeline import make_pipeline

generator = np.random.default_rng(0)
y = np.arange(80) % 2
X = generator.normal(size=(80, 200))
X[:, :8] += 1.5 * y[:, None]

selector = tamis.SNBL().fit(X, y)
assert set(np.flatnonzero(selector.support_)) >= set(range(6)), selector.support_
again = pickle.loads(pickle.dumps(selector))
assert (again.probabilities_ == selector.probabilities_).all()
classifier = make_pipeline(tamis.SNBL(), tamis.ShrunkenDLDA()).fit(X, y)
assert classifier.score(X, y) > 0.9
print(f"tamis {tamis.__version__}: {selector.n_selected_} of 200 named")
