# The class `tamis`: a selection.

new_tamis <- function(answer, call) {
  frame <- as.data.frame(answer$features, stringsAsFactors = FALSE, optional = TRUE)
  names(frame)[names(frame) == "name"] <- "feature"
  first <- c("feature", "rank", "selected")
  frame <- frame[c(first, setdiff(names(frame), first))]
  fields <- answer$fields
  fields$features <- frame
  structure(class = "tamis", c(fields,
    list(words = answer$words, brief = as.character(answer$brief), document = answer$document, values = answer$values,
      call = call)))
}

#' The names of the selected features
#'
#' @param object A result of [tamis()] or [shrink()], or a classifier.
#' @return A character vector, the best feature first.
#' @examples
#' z <- c(rnorm(200), 6, -7)
#' selected(shrink(z))
#' @export
selected <- function(object) UseMethod("selected")

#' @export
selected.tamis <- function(object) {
  chosen <- object$features[object$features$selected, ]
  chosen$feature[order(chosen$rank)]
}

#' Everything that is known about every feature
#'
#' @param x A result of [tamis()] or [shrink()].
#' @param row.names,optional As for [as.data.frame()]; not used.
#' @param selected Whether only the selected features are wanted, the best first.
#' @param ... Not used.
#' @return A data frame with a row per feature, in the order of the input: `feature`, `rank`, `selected`, and what the method
#'   computes. For `snbl` that is `n` (samples), the mean of each class, `score`, `statistic`, `df`, `p_value`, `difference`
#'   with its 95 % interval, `shrunken_difference`, `effect` (the shrunken score), `lfsr` (the probability of the wrong
#'   sign), `probability` (of an effect in the direction shown), `q_value` and `cluster` (selected features that move together). With
#'   covariates or blocks `difference` is adjusted for them; the means of the classes are not, so that their difference is
#'   another. Take the features with `selected`: a small `q_value` alone is not enough, since a named feature must also be
#'   more likely than not to differ.
#' @examples
#' found <- shrink(c(rnorm(200), 6, -7))
#' as.data.frame(found, selected = TRUE)
#' @export
as.data.frame.tamis <- function(x, row.names = NULL, optional = FALSE, selected = FALSE, ...) {
  frame <- x$features
  if (selected) {
    frame <- frame[frame$selected, ]
    frame <- frame[order(frame$rank), ]
    rownames(frame) <- NULL
  }
  frame
}

#' Groups of features and their tests as sets
#'
#' The p-values come from the scores of null targets, which hold the real correlation between features.
#'
#' @param object A result of [tamis()] with `feature_groups`.
#' @return A data frame with a row per group, the smallest p-value first: `name`, `size`, how many features are `selected` and
#'   `expected` to matter, how many were `tested`, the `direction` of most, `mean_score`, `mean_difference`, and four p-values
#'   with q-values adjusted for the number of groups. `p_direction` and `p_mixed` (self-contained) ask whether any feature
#'   of the group differs, mostly one way or either way. `p_competitive_direction` and `p_competitive_mixed` ask whether
#'   its features differ more than those outside it. `leading` is a list of the features that speak most for each.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40, dimnames = list(NULL, paste0("g", 1:100)))
#' y <- rep(c("a", "b"), 20)
#' x[y == "b", 1:5] <- x[y == "b", 1:5] + 1
#' feature_groups(tamis(x, y, feature_groups = list(first = 1:10, last = 91:100)))
#' @export
feature_groups <- function(object) {
  groups <- object$feature_groups
  value <- function(name) function(group) if (is.null(group[[name]])) NA else group[[name]]
  columns <- c("name", "size", "selected", "expected", "tested", "direction", "mean_score", "mean_difference",
    paste0("p_", questions_of_sets), paste0("q_", questions_of_sets))
  frame <- lapply(stats::setNames(columns, columns), function(name) unlist(lapply(groups, value(name))))
  frame <- as.data.frame(if (length(groups) > 0) frame else lapply(frame, function(none) logical(0)))
  frame$leading <- lapply(groups, function(group) as.character(unlist(group$leading)))
  frame
}

# The questions that a group is asked as a set.
questions_of_sets <- c("direction", "mixed", "competitive_direction", "competitive_mixed")

#' Show a result
#'
#' @param x,object A result of [tamis()] or [shrink()].
#' @param n How many features are listed.
#' @param ... Not used.
#' @return `print` returns `x`, invisibly. `summary` returns the counts, with the intervals for how many features matter.
#' @examples
#' found <- shrink(c(rnorm(200), 6, -7))
#' print(found, n = 5)
#' summary(found)
#' @export
print.tamis <- function(x, n = 20, ...) {
  words <- x$words
  cat(wrapped(words$answer), "\n\n", sep = "")
  cat("  data    ", words$data, "\n", sep = "")
  if (!is.null(words$design)) cat("  design  ", words$design, "\n", sep = "")
  cat(sprintf("  method  %s; seed %.0f; %.2f s\n\n", words$method, x$seed, x$seconds))
  table <- brief_table(x, n)
  print(table$frame, row.names = FALSE, digits = 3)
  if (table$more > 0) cat(sprintf("  ... and %d more: as.data.frame(x, selected = TRUE)\n", table$more))
  if (length(words$notes) > 0) cat("\n", paste0(strwrap(paste("note:", words$notes), exdent = 6), "\n"), sep = "")
  invisible(x)
}

# Text in lines that fit the console.
wrapped <- function(text) paste(strwrap(strsplit(text, "\n")[[1]], getOption("width")), collapse = "\n")

# The best features with the columns that a terminal has room for; of an empty selection the five highest ranks.
brief_table <- function(x, n) {
  frame <- x$features
  some <- any(frame$selected)
  frame <- frame[if (some) frame$selected else !is.na(frame$score), ]
  frame <- frame[order(frame$rank), ]
  if (!some) {
    cat("  the highest ranks, none of them selected:\n")
    n <- min(n, 5)
  }
  more <- if (some) max(nrow(frame) - n, 0) else 0
  frame <- utils::head(frame[c("rank", "feature", intersect(x$brief, names(frame)))], n)
  list(frame = frame, more = more)
}

#' @rdname print.tamis
#' @export
summary.tamis <- function(object, ...) {
  interval <- function(ends) if (is.null(ends)) c(NA, NA) else unlist(ends)
  matter <- interval(object$n_expected_95)
  strong <- interval(object$n_strong_95)
  or_na <- function(value) if (is.null(value)) NA else value
  counts <- c(features = nrow(object$features), selected = object$n_selected,
    expected_false = or_na(object$expected_false), expected_to_matter = or_na(object$n_expected),
    at_least = or_na(object$at_least_95), at_least_named = or_na(object$at_least_named_95),
    matter_low = matter[1], matter_high = matter[2], strong_low = strong[1], strong_high = strong[2])
  structure(class = "summary.tamis", list(sentence = object$words$answer, counts = counts, method = object$words$method,
    data = object$words$data, design = object$words$design, selected = selected(object), notes = object$words$notes))
}

#' @export
print.summary.tamis <- function(x, ...) {
  cat(wrapped(x$sentence), "\n\n", sep = "")
  show <- function(name, value) if (!all(is.na(value))) cat(sprintf("  %-30s %s\n", name, paste(signif(value, 4), collapse = " to ")))
  counts <- x$counts
  show("features", counts[["features"]])
  show("selected", counts[["selected"]])
  show("of these expected to be false", counts[["expected_false"]])
  show("of these true, at least (95 %)", counts[["at_least_named"]])
  show("affected, at least (95 %)", counts[["at_least"]])
  show("affected, about", counts[["expected_to_matter"]])
  show("affected (95 %)", counts[c("matter_low", "matter_high")])
  show("clearly affected (95 %)", counts[c("strong_low", "strong_high")])
  cat("\n  data    ", x$data, "\n", sep = "")
  if (!is.null(x$design)) cat("  design  ", x$design, "\n", sep = "")
  cat("  method  ", x$method, "\n", sep = "")
  if (length(x$notes) > 0) cat("\n", paste0(strwrap(paste("note:", x$notes), exdent = 6), "\n"), sep = "")
  invisible(x)
}
