#' Compare methods honestly
#'
#' Cross-validates selectors with classifiers behind them, and classifiers alone, on the same folds. Everything, selection
#' included, is learned from the training samples of each fold.
#'
#' @param x,y,data,covariates,weights,weight_kind,normalize,seed,threads,progress As for [tamis()]; `y` is classes.
#' @param methods Names of methods; `"none"` stands for all features. By default quick ones, one of each kind.
#' @param classifiers Names of classifiers behind selectors; by default `"logistic"`, or `"naive-bayes"` if `x` has
#'   categories.
#' @param folds The number of folds, or `"loo"` to leave out one sample (or group) at a time.
#' @param repeats How often folds are drawn.
#' @param groups Samples that stay together in a fold, such as those of a patient; one value per sample.
#' @param settings Parameters by method: `list(jmi = list(k = 5))`.
#' @return An object of class `tamis_evaluation`: a list with the fields of the program's evaluation files. [as.data.frame()]
#'   gives a row per method, [report()] a page.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 40), 60, dimnames = list(NULL, paste0("g", 1:40)))
#' y <- ifelse(x[, 3] + x[, 8] + rnorm(60) / 2 > 0, "high", "low")
#' found <- evaluate(x, y, methods = c("snbl", "dlda"), folds = 5)
#' found
#' as.data.frame(found)
#' @export
evaluate <- function(x, y, methods = NULL, classifiers = NULL, folds = 10, repeats = 1, groups = NULL, settings = list(),
                     data = NULL, covariates = NULL, weights = NULL, weight_kind = c("importance", "frequency"),
                     normalize = NULL, seed = 0, threads = NULL,
                     progress = interactive()) {
  rows <- study_rows(x, y, data = data, covariates = covariates, weights = weights,
    weight_kind = match.arg(weight_kind), normalize = normalize,
    task = "classes", groups = groups,
    named = list(file = expression_name(substitute(x)), target = expression_name(substitute(y)), data = "data"))
  loo <- identical(folds, "loo")
  if (loo && !identical(as.double(repeats), 1)) refuse("`repeats` has no effect with folds = \"loo\"; leave it out")
  used <- c(methods, classifiers)
  unknown <- setdiff(names(settings), if (is.null(methods)) names(settings) else c(used, "logistic", "naive-bayes"))
  if (length(unknown) > 0) refuse("`settings` names the method `%s`, which is not compared", unknown[1])
  answer <- core_evaluate(as.character(methods), as.character(classifiers), as.list(settings), rows,
    if (loo) 0 else whole(folds, "folds", 2), whole(repeats, "repeats", 1), how(seed, threads, progress))
  new_evaluation(asked(answer), match.call())
}

new_evaluation <- function(answer, call) {
  structure(class = "tamis_evaluation", c(answer$fields, list(document = answer$document, call = call)))
}

#' @export
as.data.frame.tamis_evaluation <- function(x, row.names = NULL, optional = FALSE, ...) {
  number <- function(value) if (is.null(value) || !is.numeric(value)) NA_real_ else value[1]
  row <- function(run) {
    s <- run$summary
    interval <- if (is.null(s$auc_95)) c(NA, NA) else unlist(s$auc_95)
    data.frame(method = run$label, error = number(s$error), error_se = number(s$error_se), auc = number(s$auc),
      auc_low = interval[1], auc_high = interval[2], kappa = number(s$kappa), brier = number(s$brier),
      log_loss = number(s$log_loss), n_selected = number(s$n_selected), stability = number(s$stability$nogueira$stability),
      seconds = number(s$seconds), failed = if (is.null(run$failed)) NA_character_ else run$failed)
  }
  frame <- do.call(rbind, lapply(x$runs, row))
  frame <- frame[order(is.na(frame$error), -ifelse(is.na(frame$auc), 0, frame$auc), frame$error), ]
  rownames(frame) <- NULL
  frame
}

#' @export
print.tamis_evaluation <- function(x, ...) {
  best <- x$recommendation
  cat(if (is.null(best)) "no method can be recommended: too few of them could be used on these data" else best$text, "\n\n", sep = "")
  cat(sprintf("  folds  %s; everything is learned from the training samples\n  seed   %.0f; %.1f s\n\n", x$plan, x$seed, x$seconds))
  frame <- as.data.frame(x)
  failed <- frame[!is.na(frame$failed), ]
  shown <- c("method", "error", "auc", "auc_low", "auc_high", "brier", "n_selected", "stability", "seconds")
  rounded <- lapply(frame[is.na(frame$failed), shown], function(column) if (is.numeric(column)) round(column, 3) else column)
  print(as.data.frame(rounded), row.names = FALSE)
  for (at in seq_len(nrow(failed))) cat("  ", failed$method[at], " could not be used: ", failed$failed[at], "\n", sep = "")
  notes <- vapply(x$notes, function(note) note$message, character(1))
  if (length(notes) > 0) cat("\n", paste0(strwrap(paste("note:", notes), exdent = 6), "\n"), sep = "")
  invisible(x)
}
