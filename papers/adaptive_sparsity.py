"""Raykar & Zhao, Nonparametric prior for adaptive sparsity, AISTATS 2010: figures 1 to 4."""

import tempfile
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import tamis
from sklearn.metrics import roc_auc_score, roc_curve

from study import program

TITLE = "Adaptive sparsity: V. C. Raykar & L. H. Zhao, *Nonparametric prior for adaptive sparsity*, AISTATS 2010"

PAPER, PLAIN, NORMAL, LAPLACE = "kde, their h", "kde, their h, no mixing", "normal", "laplace"
NOISE, AUTO = "kde, h = 1.06", "auto"
PRIORS = {
    PAPER: {"prior": "kde", "bandwidth": "paper"},
    NORMAL: {"prior": "normal"},
    LAPLACE: {"prior": "laplace"},
    PLAIN: {"prior": "kde", "bandwidth": "paper", "mixing": False},
    NOISE: {"prior": "kde", "bandwidth": "noise"},
    AUTO: {"prior": "auto"},
}
OURS = [NOISE, AUTO]
COLOURS = {
    PAPER: "tab:blue", NORMAL: "tab:orange", LAPLACE: "tab:red", PLAIN: "tab:grey",
    NOISE: "tab:cyan", AUTO: "tab:green",
}  # fmt: skip
SHAPES = ["constant", "gaussian", "uniform", "laplace", "bimodal-constant", "bimodal-gaussian", "bimodal-uniform"]
SIGNALS = ["constant", "bimodal-gaussian"]
SPARSITIES = [0.1, 0.3, 0.5, 0.7, 0.9]
DLDA, DEFAULT = "DLDA", "ShrunkenDLDA()"


def draw(shape, zeros, strength, seed, features=500):
    """The simulation of §5: observations z and the means β behind them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        settings = {"features": features, "zeros": zeros, "strength": strength, "shape": shape}
        given = [f"--set={key}={value}" for key, value in settings.items()]
        program("simulate", "sparse-means", "--out", path, "--seed", seed, *given)
        files = [path, path.with_suffix(".truth.csv")]
        return [np.genfromtxt(file, delimiter=",", skip_header=1, usecols=1) for file in files]


def estimates(shape, zeros, strength, seed):
    """ŵ, the mean squared error and whether the fit converged, with every prior."""
    z, beta = draw(shape, zeros, strength, seed)
    found = {name: tamis.shrink(z, n_jobs=1, **options) for name, options in PRIORS.items()}
    return {name: (s.fraction_irrelevant, np.mean((s.effects - beta) ** 2), s.converged) for name, s in found.items()}


def discriminants(X, y, name, left_out):
    """Discriminants of these rows, each by a model of all the others (§6)."""
    values = []
    for row in left_out:
        rest = np.arange(len(y)) != row
        if name == DEFAULT:
            model = tamis.ShrunkenDLDA(n_jobs=1).fit(X[rest], y[rest])
            values.append(model.predict_proba(X[row : row + 1])[0, 1])
            continue
        some, others = X[rest & (y == 1)], X[rest & (y == 0)]
        c = np.sqrt(len(some) * len(others) / (len(y) - 1))
        middle = (some.mean(axis=0) + others.mean(axis=0)) / 2
        z = tamis.scores(X[rest], y[rest], statistic="pooled", scale="raw", n_jobs=1)
        sd = c * (some.mean(axis=0) - others.mean(axis=0)) / z
        effects = z
        if name != DLDA:
            shrunk = tamis.shrink(z, n_jobs=1, **PRIORS[name])
            effects = np.where(shrunk.support, shrunk.effects, 0) if name == AUTO else shrunk.effects
        values.append(np.nansum(effects / c * (X[row] - middle) / sd))
    return values


def run(study):
    study.say("""
The paper gives its bandwidth as O(p^(−1/5)). *Their h* is the normal reference rule, 1.06 · sd(z) · p^(−1/5); h = 1.06
is our default for that prior. `auto`, our default, is not of the paper; what it calls irrelevant are means within ±1,
not only those at 0.
""")
    shapes(study)
    example(study)
    simulations(study)
    prostate(study)


def shapes(study):
    figure, axes = plt.subplots(1, len(SHAPES), figsize=(15, 2.8), layout="constrained", sharey=True)
    for ax, shape in zip(axes, SHAPES, strict=True):
        beta = draw(shape, 0, 6, 0, features=5000)[1]
        ax.hist(beta, bins=np.linspace(-20, 20, 81), color="tab:blue", weights=np.full(len(beta), 1 / len(beta)))
        ax.set(title=shape, xlabel="β", ylim=(0, 0.3))
    axes[0].set_ylabel("share of draws")
    text = "Figure 1. Means that are not zero, V = 6: 5000 draws of each shape that the program simulates."
    study.figure("fig1", figure, text + " Constants are cut off at the top.")


def example(study):
    z, beta = draw("bimodal-gaussian", 0.9, 6, 0)
    shrunk = {name: tamis.shrink(z, n_jobs=1, **PRIORS[name]) for name in [PAPER, NOISE, AUTO]}
    figure, axes = plt.subplots(2, 4, figsize=(15, 7), layout="constrained")
    signals = {"means β": beta, "observations z": z, f"estimate, {PAPER}": shrunk[PAPER].effects}
    for ax, (title, values) in zip(axes[0], signals.items(), strict=False):
        ax.vlines(np.arange(1, 501), 0, values, color="tab:blue", lw=1)
        ax.set(title=title, xlabel="position", ylim=(-10, 10))
    for name, s in shrunk.items():
        curve = s.detail["fit"]["curve"]
        label = f"{name}, ŵ = {s.fraction_irrelevant:.2f}"
        axes[0, 3].plot(curve["z"], curve["effect"], color=COLOURS[name], label=label)
    axes[0, 3].set(title="estimate by observation", xlabel="z", ylabel="estimate of β", ylim=(-10, 14))
    axes[0, 3].legend(loc="upper left", fontsize="small")
    for ax, steps in zip(axes[1], [0, 5, 20, None], strict=True):
        for name in [PAPER, NOISE]:
            stop = {"mixing": False} if steps == 0 else {} if steps is None else {"max_iter": steps}
            s = tamis.shrink(z, n_jobs=1, **PRIORS[name] | stop)
            curve, w = s.detail["fit"]["curve"], s.fraction_irrelevant
            density = np.array(curve["relevant_density"]) / max(1e-9, 1 - w)
            ax.plot(curve["z"], density, color=COLOURS[name], label=f"{name}, ŵ = {w:.2f}")
        when = "at the start" if steps == 0 else "at the end" if steps is None else f"after {steps} iterations"
        ax.set(title=f"marginal {when}", xlabel="z", ylim=(0, 0.5))
        ax.legend(loc="upper right", fontsize="small")
    study.figure("fig2", figure, "Figure 2. 50 of 500 means not zero, bimodal Gaussian, V = 6: the first of our draws.")


def simulations(study):
    repeats = study.repeats(100, 2)
    settings = [(shape, w, 6) for shape in SIGNALS for w in SPARSITIES]
    found = measured(study, settings, repeats, "figure 3, sparsity")
    table = study.table(
        "fig2",
        "Figure 2: ŵ where w = 0.9",
        about=f"The paper's in one draw (its caption says 5 % not zero, its text w = 0.9), ours in {repeats}.",
        tolerance=0.01,
    )
    for name in PRIORS:
        if name != PLAIN:
            values = found["bimodal-gaussian", 0.9, 6][name][:, 0]
            table.cell("ŵ", name, values, paper=0.89 if name == PAPER else None)

    what = ["ŵ", "mean squared error"]
    for at, kind in enumerate(what):
        table = study.table(
            ["fig3_w", "fig3_mse"][at],
            f"Figure 3: {kind} by sparsity",
            about=f"500 scores, V = 6, {repeats} draws each. The paper prints no numbers; z itself has error 1.",
        )
        for shape, w, strength in settings:
            for name in PRIORS:
                if at == 1 or name != PLAIN:
                    table.cell(f"{shape}, w = {w}", name, found[shape, w, strength][name][:, at])
    failed = {name: sum(repeats - sum(runs[name][:, 2]) for runs in found.values()) for name in PRIORS}
    failed = [f"{name} {number:.0f}" for name, number in failed.items() if number]
    if failed:
        study.say(f"Fits that did not converge, of {repeats * len(settings)} for each prior: {', '.join(failed)}.")
    claims(study, found, settings)

    strengths, some = [2, 3, 4, 6, 8], [0.5, 0.9]
    repeats = study.repeats(30, 1)
    others = [("bimodal-gaussian", w, strength) for w in some for strength in strengths]
    by_strength = measured(study, others, repeats, "figure 3, strength")
    table = study.table(
        "fig3_strength",
        "Figure 3: ŵ by strength of the signal",
        about=f"Bimodal Gaussian, {repeats} draws each. The paper prints no numbers.",
    )
    for shape, w, strength in others:
        for name in PRIORS:
            if name != PLAIN:
                table.cell(f"w = {w}, V = {strength}", name, by_strength[shape, w, strength][name][:, 0])
    figure, axes = plt.subplots(2, 4, figsize=(16, 8), layout="constrained")
    for column, (title, x, keys) in enumerate(
        [(shape, SPARSITIES, [(shape, w, 6) for w in SPARSITIES]) for shape in SIGNALS]
        + [(f"bimodal-gaussian, w = {w}", strengths, [("bimodal-gaussian", w, v) for v in strengths]) for w in some]
    ):
        source = found if column < 2 else by_strength
        for at, kind in enumerate(what):
            ax = axes[at, column]
            for name in PRIORS:
                if at == 1 or name != PLAIN:
                    means = [source[key][name][:, at].mean() for key in keys]
                    style = "--" if name in OURS else "-"
                    ax.plot(x, means, style, color=COLOURS[name], marker="o", ms=3, label=name)
            if at == 0:
                truth = x if column < 2 else [keys[0][1]] * len(x)
                ax.plot(x, truth, color="black", lw=0.8, ls=":", label="truth")
            ax.set(title=title, xlabel="w" if column < 2 else "V", ylabel=kind)
    handles, labels = axes[1, 0].get_legend_handles_labels()
    truth = axes[0, 0].get_legend_handles_labels()
    figure.legend([*handles, truth[0][-1]], [*labels, truth[1][-1]], loc="outside lower center", ncols=8)
    study.figure("fig3", figure, "Figure 3. Means over draws; dashed lines are not of the paper.")

    repeats = study.repeats(20, 1)
    settings = [(shape, 0.5, 6) for shape in SHAPES]
    found = measured(study, settings, repeats, "other signals")
    table = study.table(
        "shapes",
        "Other signals: mean squared error",
        about=f"w = 0.5, V = 6, {repeats} draws each. The paper says that they give similar results, and shows none.",
    )
    for shape, w, strength in settings:
        for name in PRIORS:
            table.cell(shape, name, found[shape, w, strength][name][:, 1])


def measured(study, settings, repeats, label):
    """By setting and prior: repeats × (ŵ, error, converged)."""
    tasks = [(*setting, seed) for setting in settings for seed in range(repeats)]
    done = study.each(estimates, tasks, label)
    found = {}
    for i, setting in enumerate(settings):
        runs = done[i * repeats : (i + 1) * repeats]
        found[setting] = {name: np.array([run[name] for run in runs]) for name in PRIORS}
    return found


def claims(study, found, settings):
    table = study.table(
        "fig3_claims",
        "Figure 3: what the paper says of it",
        about=f"In what share of the {len(settings)} settings of the two tables above it holds, by means over draws.",
        digits=2,
    )
    off = {key: {name: abs(runs[name][:, 0].mean() - key[1]) for name in PRIORS} for key, runs in found.items()}
    error = {key: {name: runs[name][:, 1].mean() for name in PRIORS} for key, runs in found.items()}

    def share(holds):
        return np.mean([holds(key) for key in settings])

    for name in [PAPER, *OURS]:
        theirs = 1 if name == PAPER else None
        nearer = share(lambda key, name=name: off[key][name] < min(off[key][NORMAL], off[key][LAPLACE]))
        table.cell("ŵ nearer to w than with both parametric priors", name, nearer, paper=theirs)
        parametric = share(lambda key, name=name: error[key][name] < min(error[key][NORMAL], error[key][LAPLACE]))
        table.cell("error below both parametric priors'", name, parametric, paper=theirs)
        mixing = share(lambda key, name=name: error[key][name] < error[key][PLAIN])
        table.cell("error below that without mixing", name, mixing, paper=theirs)
    pinned = "tested: up to w = 0.3 parametric priors give ŵ = 0 or nearly (table of ŵ), so there ŵ is off by w itself."
    close = "not tested: it may be that the two are too close to tell apart (table of ŵ)."
    nearer = share(lambda key: off[key][NORMAL] < off[key][LAPLACE])
    table.cell("ŵ nearer to w than with Laplace", NORMAL, nearer, paper=1, reason=pinned)
    smaller = share(lambda key: error[key][NORMAL] < error[key][LAPLACE])
    table.cell("error below Laplace's", NORMAL, smaller, paper=1)
    steps = [(one, next_one) for one, next_one in pairwise(settings) if one[0] == next_one[0]]
    for name in [PAPER, NORMAL, LAPLACE, *OURS]:
        sparser = np.mean([off[b][name] < off[a][name] for a, b in steps])
        theirs, reason = (None, "") if name in OURS else (1, close if name == PAPER else pinned)
        table.cell("ŵ nearer to w at the next larger w", name, sparser, paper=theirs, reason=reason)


def prostate(study):
    data = study.load("prostate")
    columns = [DLDA, LAPLACE, NORMAL, PAPER, NOISE, AUTO, DEFAULT]
    table = study.table(
        "fig4",
        "Figure 4: prostate",
        about="AUC of leaving out one patient at a time; ŵ is of all 102. The text prints no numbers.",
    )
    if data is None:
        for name in columns:
            table.cell("AUC", name, reason="the data set is not there.")
        return
    X, y, simulated = data.X, 1 - data.y, data.simulated  # cancer comes first in the alphabet
    chosen = np.arange(0, len(y), study.repeats(1, 16))
    stripes = [chosen[start::4] for start in range(4)]
    tasks = [(X, y, name, stripe) for name in columns for stripe in stripes]
    done = study.each(discriminants, tasks, "figure 4")
    values = {name: np.empty(len(y)) for name in columns}
    for (_, _, name, stripe), some in zip(tasks, done, strict=True):
        values[name][stripe] = some
    area = {name: roc_auc_score(y[chosen], values[name][chosen]) for name in columns}
    z = tamis.scores(X, y, statistic="pooled", scale="raw", n_jobs=1)
    shrunk = {name: tamis.shrink(z, n_jobs=1, **PRIORS[name]) for name in columns if name in PRIORS}
    for name in columns:
        table.cell("AUC", name, area[name], simulated=simulated)
    for name, s in shrunk.items():
        table.cell("ŵ", name, s.fraction_irrelevant, simulated=simulated)
    genes = study.table("fig4_genes", "Figure 4: genes selected, of 6033", digits=0)
    for name, s in shrunk.items():
        genes.cell("all 102 patients", name, s.n_selected, simulated=simulated)

    says = study.table("fig4_claims", "Figure 4: what the paper says of it", about="1 where it holds.", digits=0)
    for name in [LAPLACE, NORMAL, PAPER, NOISE, AUTO]:
        theirs = 1 if name in (LAPLACE, NORMAL, PAPER) else None
        better = area[name] > area[DLDA] + 0.05
        says.cell("AUC well above DLDA's (by 0.05)", name, better, paper=theirs, simulated=simulated)
        if name not in (LAPLACE, NORMAL):
            best = area[name] > max(area[LAPLACE], area[NORMAL])
            says.cell("AUC above both parametric priors'", name, best, paper=theirs, simulated=simulated)
            w = {other: s.fraction_irrelevant for other, s in shrunk.items()}
            sparsest = w[name] > max(w[LAPLACE], w[NORMAL])
            says.cell("sparser than both parametric priors", name, sparsest, paper=theirs, simulated=simulated)

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.6), layout="constrained")
    colours = COLOURS | {DLDA: "black", DEFAULT: "tab:olive"}
    for name in columns:
        false, true, _ = roc_curve(y[chosen], values[name][chosen])
        left.plot(false, true, color=colours[name], label=f"{name}: {area[name]:.3f}")
    left.set(title="ROC curves, AUC", xlabel="healthy patients called ill", ylabel="patients with cancer found")
    left.legend(loc="lower right")
    for name, s in shrunk.items():
        order = np.argsort(z)
        label = f"{name}: ŵ = {s.fraction_irrelevant:.3f}"
        right.plot(z[order], s.effects[order], color=colours[name], label=label)
    right.set(title="estimate by score, at the genes", xlabel="z", ylabel="estimate")
    right.legend(loc="upper left")
    study.figure(
        "fig4", figure, "Figure 4. Prostate: ROC curves of leave-one-out, and what each prior makes of a score."
    )
