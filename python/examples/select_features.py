"""Which features of a table matter, and how many: scores, probabilities and the fitted curve."""

import matplotlib.pyplot as plt
import numpy as np

import tamis

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 100)
X = rng.standard_normal((200, 2000))
X[:, :40] += rng.uniform(0.6, 1.2, 40) * y[:, None]

selector = tamis.SNBL().fit(X, y)
print(*selector.result_.answer, sep="\n")
print(f"of the 40 that differ, {selector.support_[:40].sum()} are named, and {selector.support_[40:].sum()} others")

curve = selector.detail_["fit"]["curve"]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.hist(selector.scores_, bins=80, density=True, color="lightgrey")
left.plot(curve["z"], curve["irrelevant_density"], label="irrelevant")
left.plot(curve["z"], curve["relevant_density"], label="relevant")
left.set(xlabel="score", ylabel="density")
left.legend()
right.scatter(selector.scores_, selector.probabilities_, s=4, c=selector.support_)
right.set(xlabel="score", ylabel="probability of an effect")
figure.savefig("select_features.png")
