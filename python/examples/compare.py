"""Methods side by side on data with known truth: what they find, and how stable that is from sample to sample."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import SelectFdr, SelectKBest

import tamis


def draw(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(150) % 2
    X = rng.standard_normal((150, 300))
    X[:, :15] += 0.8 * y[:, None]
    return X, y


methods = {
    "SNBL": tamis.SNBL(),
    "NPFS(jmi)": tamis.NPFS(k=20, random_state=0),
    "NPFS(SelectKBest)": tamis.NPFS(SelectKBest(k=20), n_bootstraps=30, random_state=0),
    "ShrunkenDLDA": tamis.ShrunkenDLDA(),
    "SelectFdr": SelectFdr(),
}
found = {name: [method.fit(*draw(seed)).get_support() for seed in range(5)] for name, method in methods.items()}
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, masks in found.items():
    true = np.mean([mask[:15].sum() for mask in masks])
    false = np.mean([mask[15:].sum() for mask in masks])
    print(f"{name:18} {true:4.1f} of 15 found, {false:4.1f} others, stability {tamis.stability(masks):.2f}")
    axes.scatter(false, true)
    axes.annotate(name, (false, true), textcoords="offset points", xytext=(4, 4))
axes.set(xlabel="others", ylabel="of the 15 that matter")
figure.savefig("compare.png")
