#' How many features matter, and which
#'
#' Every feature gets a score that is standard normal where the feature is unrelated to the target. Empirical Bayes on all
#' scores then says how many features differ, and gives each a probability. No count has to be chosen.
#'
#' @details
#' A matrix or data frame has a row per sample and a column per feature; if yours has genes in rows, give `t(x)`.
#' `SummarizedExperiment` and `Seurat` objects have features in rows, and are transposed for you.
#'
#' **Variables by name.** `y`, `covariates`, `blocks`, `event` and `weights` are values, one per sample, or names of columns:
#' `tamis(x, "group", covariates = c("batch", "age"), data = samples)`. They are columns of `data`; without it, of a data
#' frame `x`, of `colData(x)` or of `x[[]]`. A column of a data frame `x` that is used so is no feature, so that
#' `tamis(table, "group")` explains one column of a table by the others.
#'
#' **Target.** A factor, text or truth values are classes; of a factor with two levels the first is the reference, as
#' everywhere in R. Of text with two values the reference is one called control, normal, healthy, wt, untreated or 0, else
#' the first in sorted order. Numbers are classes if they have two distinct values, or at most 20 whole ones of which each
#' occurs at least twice; `task` says otherwise. Survival times are `survival::Surv(time, status)`, or `y = time` with
#' `event = status`.
#'
#' **Designs.** `y` may be a formula. `tamis(x, ~ group + batch + (1 | donor), data = samples)` asks which features differ by
#' `group`, adjusted for `batch`; a random intercept names blocks. The first variable is the target and all others are adjusted
#' for, so write `~ group + batch` where you would write `~ batch + group` for limma; or put the target on the left:
#' `group ~ batch`, `Surv(time, status) ~ age`. A batch coded 1, 2, 3 is a number; write `factor(batch)`.
#' With `test`, the formula is any linear model, and no variable is the target: `tamis(x, ~ group * time + batch, data =
#' samples, test = "group:time")` asks which features respond differently in time.
#' Where the target varies inside blocks (pairs), they are adjusted for; where it does not
#' (cells of a donor), or where each class has many rows (cells of a donor at rest and stimulated), rows are averaged, since
#' they are not independent samples.
#'
#' **The answer** has two counts: the features that *differ*, of which at most the share `fdr` is expected to be false,
#' and how many are *affected*, named or not, as a 95 % interval. A feature is affected if a study like this one, with as many samples and
#' the same design, would give it an expected score beyond 1 or -1, clearly if beyond 2 or -2. With more samples more features
#' are; `min_difference` asks for differences above a size in the feature's own unit.
#'
#' @param x Features: a numeric matrix, a sparse matrix of the package Matrix, a data frame (text, factors and truth values
#'   are categories), a `SummarizedExperiment` or a `Seurat` object. `NA` is a missing value: each feature is scored on its
#'   other rows.
#' @param y The target: one value per sample, the name of a column, or a formula. Samples where it is `NA` are left out, with
#'   a note.
#' @param ... Parameters of the method, such as `fdr = 0.1`, `permutations = "auto"`, `prior = "auto"`, `score = "auto"`,
#'   `min_difference = 0`, `factors = "none"`, `block_model = "auto"` (or `"correlated"`, as by limma's
#'   `duplicateCorrelation`, `"fixed"`, `"mean"`), `sample_weights = "none"` (or `"auto"`, as by limma's `arrayWeights`);
#'   [tamis_methods()] lists all.
#' @param data A data frame that holds the variables of a formula, and those that are given by name. Its rows are in the order
#'   of those of `x`; where both name the samples, another order is an error.
#' @param covariates Variables that features are adjusted for: a data frame or a named list with one row per sample.
#' @param blocks Which samples belong together, such as the patient or the donor; one value per sample.
#' @param event With survival times in `y`: whether the event happened, one value per sample.
#' @param weights A weight for each sample.
#' @param weight_kind What the weights mean. `"importance"`: how much a sample counts beside others; only ratios matter, and the
#'   samples count as their effective number \eqn{(\sum w)^2 / \sum w^2}{(sum w)^2 / sum w^2}. `"frequency"`: a sample of weight
#'   3 is three samples.
#' @param reference The class that others are compared with.
#' @param contrast Of several classes the two to compare: the second minus the first, with variances from all.
#' @param test With a formula in `y`: what is tested of it, a term (`"group:time"`, by F if it has several columns), a
#'   coefficient (`"timelate"`), or a sum of coefficients or levels (`"late - early"`). The formula may then hold
#'   interactions, `- 1` and natural splines `ns(age, 3)`; text and factors have their levels in sorted order.
#' @param feature_groups Features that count together, as a named list of names or positions, such as gene sets. One-hot
#'   columns of a group become one category. Every group is tested as a set: [feature_groups()].
#' @param normalize How counts are made comparable between samples: `"logcpm"`, `"tmm"`, `"voom"` (with a precision for every
#'   value) or `"none"`. A note says so where `x` looks like counts and nothing is given.
#' @param min_count With `normalize`: a feature is used if enough samples have at least this count (10).
#' @param task `"classes"` or `"real"`, where the rule for numbers in `y` is not what you want.
#' @param method The method; [tamis_methods()] lists all.
#' @param second_look Whether to look for relations that a difference of means does not show; they are reported, never
#'   selected.
#' @param needed Whether to ask which of the named features are needed, given all the others, as [tamis_needed()] does; only
#'   where that takes less time than the answer. It is reported, and selects nothing.
#' @param seed The seed of all random numbers. The random numbers of R are neither used nor changed.
#' @param threads How many threads to use, by default `getOption("tamis.threads", 2)`; 0 uses all cores. The result does not
#'   depend on it.
#' @param progress Whether a line shows progress.
#' @param assay For a `SummarizedExperiment` the name or number of the assay: by default `"logcounts"` if there is one, else
#'   the first. For a `Seurat` object the name of the assay; the default one if it is not given.
#' @param layer For a `Seurat` object the layer that holds the values.
#'
#' @return An object of class `tamis`: a list with every field of a result file, such as `n_selected`, `at_least_95`,
#'   `expected_false` and `notes`, and `features`, a data frame with a row per feature. See [as.data.frame.tamis()],
#'   [selected()], [plot.tamis()], [report()] and [write_result()].
#'
#' @examples
#' set.seed(1)
#' group <- rep(c("control", "treated"), each = 25)
#' x <- matrix(rnorm(50 * 400), 50, dimnames = list(NULL, paste0("g", 1:400)))
#' x[group == "treated", 1:10] <- x[group == "treated", 1:10] + 1.8
#' found <- tamis(x, group)
#' found
#' selected(found)
#' head(as.data.frame(found))
#'
#' # adjusted for a batch, with samples described by a data frame
#' samples <- data.frame(group, batch = rep(c("a", "b"), 25))
#' tamis(x, ~ group + batch, data = samples)
#' @export
tamis <- function(x, y, ...) UseMethod("tamis")

#' @rdname tamis
#' @export
tamis.default <- function(x, y, ..., data = NULL, covariates = NULL, blocks = NULL, event = NULL, weights = NULL,
                          weight_kind = c("importance", "frequency"), reference = NULL, contrast = NULL, test = NULL,
                          feature_groups = NULL, normalize = NULL, min_count = NULL,
                          task = c("auto", "classes", "real"), method = "snbl", second_look = TRUE, needed = TRUE, seed = 0,
                          threads = NULL, progress = interactive()) {
  named <- list(file = expression_name(substitute(x)), target = expression_name(substitute(y)), data = "data")
  found <- select_study(x, y, ..., data = data, covariates = covariates, blocks = blocks, event = event, weights = weights,
    weight_kind = match.arg(weight_kind), reference = reference, contrast = contrast, test = test, feature_groups = feature_groups,
    normalize = normalize, min_count = min_count, task = match.arg(task), method = method, second_look = second_look, needed = needed, seed = seed, threads = threads, progress = progress,
    named = named)
  new_tamis(found, called("tamis", match.call()))
}

#' @rdname tamis
#' @export
tamis.SummarizedExperiment <- function(x, y, ..., data = NULL, covariates = NULL, blocks = NULL, event = NULL,
                                       weights = NULL, assay = NULL) {
  needs("SummarizedExperiment", "a SummarizedExperiment")
  known <- SummarizedExperiment::assayNames(x)
  if (is.null(assay)) assay <- if ("logcounts" %in% known) "logcounts" else 1
  if (is.character(assay)) one_of(assay, known, "assay", "assay")
  named <- list(file = expression_name(substitute(x)), target = expression_name(substitute(y)), data = "colData(x)")
  found <- select_study(t_features(SummarizedExperiment::assay(x, assay)), y, ...,
    data = both(data, as.list(SummarizedExperiment::colData(x))), covariates = covariates, blocks = blocks, event = event,
    weights = weights, named = named)
  new_tamis(found, called("tamis", match.call()))
}

#' @rdname tamis
#' @export
tamis.Seurat <- function(x, y, ..., data = NULL, covariates = NULL, blocks = NULL, event = NULL, weights = NULL,
                         assay = NULL, layer = "data") {
  needs("SeuratObject", "a Seurat object")
  if (is.null(assay)) assay <- SeuratObject::DefaultAssay(x)
  one_of(assay, SeuratObject::Assays(x), "assay", "assay")
  # the argument was called `slot` before version 5
  new <- utils::packageVersion("SeuratObject") >= "5.0.0"
  layers <- if (new) getExportedValue("SeuratObject", "Layers")(x[[assay]]) else c("counts", "data", "scale.data")
  one_of(layer, layers, "layer", "layer")
  given <- stats::setNames(list(x, assay, layer), c("object", "assay", if (new) "layer" else "slot"))
  named <- list(file = expression_name(substitute(x)), target = expression_name(substitute(y)), data = "x[[]]")
  found <- select_study(t_features(do.call(SeuratObject::GetAssayData, given)), y, ..., data = both(data, as.list(x[[]])),
    covariates = covariates, blocks = blocks, event = event, weights = weights, named = named)
  new_tamis(found, called("tamis", match.call()))
}

# A selection by the core. `named` holds what the user calls the features, the target and the variables.
select_study <- function(x, y, ..., data = NULL, covariates = NULL, blocks = NULL, event = NULL, weights = NULL,
                         weight_kind = "importance", reference = NULL, contrast = NULL, test = NULL, feature_groups = NULL,
                         normalize = NULL, min_count = NULL, task = "auto", method = "snbl", second_look = TRUE, needed = TRUE, seed = 0, threads = NULL,
                         progress = interactive(), named) {
  settings <- parameters(list(...))
  rows <- study_rows(x, y, data = data, covariates = covariates, blocks = blocks, event = event, weights = weights,
    weight_kind = match.arg(weight_kind, c("importance", "frequency")), reference = reference, contrast = contrast, test = test, normalize = normalize, min_count = min_count,
    task = match.arg(task, c("auto", "classes", "real")), named = named)
  rows$feature_groups <- group_positions(feature_groups, rows$x$names)
  asked(core_select(one_text(method, "method"), settings, rows, isTRUE(second_look), isTRUE(needed), how(seed, threads, progress)))
}

# Features in rows as features in columns.
t_features <- function(values) {
  if (inherits(values, "sparseMatrix")) {
    needs("Matrix", "a sparse matrix")
    Matrix::t(values)
  } else t(as.matrix(values))
}

# The variables that the user gives before those of the object.
both <- function(data, about) c(as.list(data), about[setdiff(names(about), names(data))])

one_of <- function(given, known, argument, what) {
  if (!one_text(given, argument) %in% known)
    refuse("`%s = \"%s\"` is no %s of `x`, which has %s", argument, given, what, paste0("`", known, "`", collapse = ", "))
}

# A call of a method as the user wrote it.
called <- function(name, call) {
  call[[1]] <- as.name(name)
  call
}
