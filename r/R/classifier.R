#' Sparse classifiers
#'
#' Trains a classifier that selects features as it learns, or one behind a selector. `pfcvm` is a vector machine that prunes
#' features and samples, `pcvm` and `rvm` prune samples only.
#'
#' @param x,y,data,covariates,weights,weight_kind,normalize,seed,threads,progress As for [tamis()]; `y` is classes, or a formula without
#'   blocks.
#' @param method The classifier: `"pfcvm-lp"`, `"pfcvm-em"`, `"jcfo"`, `"ard"`, `"pcvm"`, `"rvm"`, `"dlda"`, `"lda"`, `"slda"`,
#'   `"logistic"`, `"naive-bayes"`, `"cart"` or `"ensemble"`.
#' @param selector A method that chooses the features first, such as `"snbl"`.
#' @param selector_settings A named list with parameters of the selector.
#' @param calibrate `"platt"` or `"isotonic"` corrects probabilities by rows that were held out.
#' @param ... Parameters of the classifier, such as `kernel = "linear"`; [tamis_methods()] lists all.
#' @return An object of class `tamis_model`. [predict()] applies it, [selected()] names its features, [write_result()] saves
#'   it.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60, dimnames = list(NULL, paste0("g", 1:20)))
#' y <- ifelse(x[, 3] + x[, 8] + rnorm(60) / 3 > 0, "high", "low")
#' model <- classifier(x, y, method = "ard")
#' model
#' predict(model, x[1:3, ])
#' predict(model, x[1:3, ], type = "prob")
#' @export
classifier <- function(x, y, method = "pfcvm-lp", ..., selector = NULL, selector_settings = list(), calibrate = NULL,
                       data = NULL, covariates = NULL, weights = NULL, weight_kind = c("importance", "frequency"),
                       normalize = NULL, seed = 0, threads = NULL,
                       progress = interactive()) {
  rows <- study_rows(x, y, data = data, covariates = covariates, weights = weights,
    weight_kind = match.arg(weight_kind), normalize = normalize,
    task = "classes",
    named = list(file = expression_name(substitute(x)), target = expression_name(substitute(y)), data = "data"))
  method <- one_text(method, "method")
  settings <- stats::setNames(list(parameters(list(...))), method)
  if (!is.null(selector)) {
    settings[[one_text(selector, "selector")]] <- parameters(selector_settings)
  } else if (length(selector_settings) > 0) refuse("`selector_settings` has no effect without `selector`; leave it out")
  answer <- core_fit(method, if (is.null(selector)) "" else selector, settings, rows,
    if (is.null(calibrate)) "" else one_text(calibrate, "calibrate"), how(seed, threads, progress))
  new_model(asked(answer), match.call())
}

#' @rdname classifier
#' @export
pfcvm <- function(x, y, ...) passed_on(match.call(), "classifier", "pfcvm-lp", parent.frame())

#' @rdname classifier
#' @export
pcvm <- function(x, y, ...) passed_on(match.call(), "classifier", "pcvm", parent.frame())

#' @rdname classifier
#' @export
rvm <- function(x, y, ...) passed_on(match.call(), "classifier", "rvm", parent.frame())

new_model <- function(answer, call) structure(class = "tamis_model", c(answer, list(call = call)))

#' @export
selected.tamis_model <- function(object) as.character(object$features)

#' @export
print.tamis_model <- function(x, ...) {
  kept <- if (is.null(x$n_features)) counted(length(x$features), "feature") else {
    sprintf("%d of %s", length(x$features), counted(x$n_features, "feature"))
  }
  cat(sprintf("a classifier for `%s` from %s: %s kept\n\n", x$target, counted(x$rows, "sample"), kept))
  shown <- utils::head(as.character(x$features), 20)
  more <- length(x$features) - length(shown)
  cat("  features  ", if (length(shown) == 0) "none" else paste(shown, collapse = ", "),
    if (more > 0) sprintf(" and %d more", more), "\n", sep = "")
  cat("  classes   ", paste(x$classes, collapse = ", "), "\n", sep = "")
  cat("  method    ", x$label, "\n", sep = "")
  if (length(x$notes) > 0) cat("\n", paste0(strwrap(paste("note:", x$notes), exdent = 6), "\n"), sep = "")
  invisible(x)
}

#' @export
summary.tamis_model <- function(object, ...) object

#' Predict the classes of new samples
#'
#' @param object A [classifier()].
#' @param newdata A matrix, sparse matrix or data frame with the columns that the classifier needs, by name; others are not
#'   looked at.
#' @param type `"class"` for the likeliest class, `"prob"` for the probability of each.
#' @param covariates The covariates of the new samples, if the classifier was trained with any and `newdata` is not a data
#'   frame that holds them.
#' @param threads As for [tamis()].
#' @param ... Not used.
#' @return A factor, or a matrix with a row per sample and a column per class.
#' @export
predict.tamis_model <- function(object, newdata, type = c("class", "prob"), covariates = NULL, threads = NULL, ...) {
  type <- match.arg(type)
  if (missing(newdata)) refuse("`newdata` is missing: give the features of the samples to predict")
  needed <- as.character(object$columns)
  given <- newdata
  if (is.data.frame(newdata)) newdata <- newdata[intersect(needed, names(newdata))]
  x <- features(newdata)
  wanted <- as.character(object$covariates)
  if (is.null(covariates) && is.data.frame(given)) covariates <- as.list(given)[intersect(wanted, names(given))]
  found <- covariate_list(covariates, x$rows)
  absent <- setdiff(wanted, names(found))
  if (length(absent) > 0) refuse("the classifier needs the covariate `%s`; give it in `covariates`", absent[1])
  answer <- asked(core_predict(object$document, list(x = x, covariates = found[wanted]), how(0, threads, FALSE)))
  tell(answer$notes)
  if (type == "class") return(factor(answer$classes[answer$predicted], levels = answer$classes))
  matrix(answer$probabilities, x$rows, dimnames = list(sample_names(given), answer$classes))
}

# The names of samples, where they are more than numbers of rows.
sample_names <- function(x) {
  if (is.data.frame(x) && .row_names_info(x) <= 0) NULL else rownames(x)
}
