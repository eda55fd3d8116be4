"""Selection inside a pipeline, its parameters chosen by cross-validation: nothing leaks from the test folds."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis

X, y = load_breast_cancer(return_X_y=True)
X = np.hstack([X, np.random.default_rng(0).standard_normal((len(y), 300))])

pipeline = make_pipeline(StandardScaler(), tamis.SNBL(), LogisticRegression(max_iter=1000))
grid = {"snbl__prior": ["auto", "normal", "laplace"], "snbl__decide": ["prob:0.5", "fdr:0.01", "fdr:0.1"]}
search = GridSearchCV(pipeline, grid, n_jobs=2).fit(X, y)
print(search.best_params_, f"accuracy {search.best_score_:.3f}")

results = search.cv_results_
labels = [f"{p['snbl__prior']}, {p['snbl__decide']}" for p in results["params"]]
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.errorbar(results["mean_test_score"], labels, xerr=results["std_test_score"], fmt="o")
axes.set(xlabel="accuracy in the test folds")
figure.savefig("grid_search.png")
