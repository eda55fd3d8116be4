#' Other kinds of relations and tests
#'
#' Shortcuts for [tamis()] with another method. `npfs` runs a filter on many bootstraps and tests which features are chosen
#' more often than by chance. `dependence` tests every feature for a relation of any kind: by level, by shape, or together
#' with another feature. `pairs` finds features that matter only together, such as an exclusive or.
#'
#' @param x,y,... As for [tamis()].
#' @details `pairs(x)` without a second unnamed argument and without `y` is [graphics::pairs()], the matrix of scatterplots.
#' @return An object of class `tamis`; see [tamis()].
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300 * 20), 300, dimnames = list(NULL, paste0("g", 1:20)))
#' y <- x[, 3] * x[, 8] > 0
#' selected(pairs(x, y))
#' selected(dependence(x, y))
#' selected(npfs(x, x[, 5] > 0, bootstraps = 30))
#' @export
npfs <- function(x, y, ...) passed_on(match.call(), "tamis", "npfs", parent.frame())

#' @rdname npfs
#' @export
dependence <- function(x, y, ...) passed_on(match.call(), "tamis", "dependence", parent.frame())

#' @rdname npfs
#' @export
pairs <- function(x, y, ...) {
  if (missing(y)) return(graphics::pairs(x, ...))
  passed_on(match.call(), "tamis", "pairs", parent.frame())
}

#' Which features are needed, given all the others
#'
#' A shortcut for `tamis(..., method = "needed")`. [tamis()] names every feature that is related to the target; of ten copies of one
#' signal all ten. `tamis_needed` asks which few explain the target: a finding is a set of interchangeable features of which at
#' least one is needed, with a probability. Needed means predictive given what was measured, not causal.
#'
#' @param x,y As for [tamis()].
#' @param ... As for [tamis()]; parameters are `fdr = 0.1`, `keep = "findings"` (or `"working"`, `"members"`: what is selected),
#'   `draws = 2000` and `permutations = 199`.
#' @return An object of class `tamis`; see [tamis()]. `findings` is a list of sets, each with its `lead`, its `members`, the
#'   `probability` that at least one of them is needed and the least `correlation` to the lead; `working_set` holds the names of
#'   features that predict together, `factors` the probability that the target follows each leading principal component, and
#'   `background` the share of what these leave that many tiny effects explain. `features` has the columns
#'   `inclusion_probability`, `set`, `set_probability` and `lead`.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(150 * 60), 150, dimnames = list(NULL, paste0("g", 1:60)))
#' x[, 2] <- x[, 1] + 0.1 * rnorm(150)
#' y <- x[, 1] - x[, 7] + 0.7 * rnorm(150)
#' found <- tamis_needed(x, y)
#' found
#' found$working_set
#' @export
tamis_needed <- function(x, y, ...) passed_on(match.call(), "tamis", "needed", parent.frame())

# The same call of another function, with a method: arguments keep the names that the user gave them.
passed_on <- function(call, to, method, where) {
  call[[1]] <- get(to)
  call$method <- method
  found <- eval(call, where)
  found$call[[1]] <- as.name(to)
  found
}

#' What methods there are
#'
#' @param name The name of a method; all are listed without it.
#' @return A data frame: of all methods with their summaries, or of one method's parameters with their defaults, ranges and
#'   purposes.
#' @examples
#' tamis_methods()
#' tamis_methods("snbl")
#' @export
tamis_methods <- function(name = NULL) {
  pages <- asked(core_methods())
  if (is.null(name)) {
    return(data.frame(method = names(pages), summary = vapply(pages, function(page) page$summary, character(1)),
      row.names = NULL))
  }
  page <- pages[[one_text(name, "name")]]
  if (is.null(page)) refuse("there is no method `%s`; there are %s", name, paste(names(pages), collapse = ", "))
  text <- function(value) if (is.null(value)) "" else paste(format(value, trim = TRUE), collapse = ", ")
  data.frame(parameter = names(page$parameters),
    default = vapply(page$parameters, function(p) text(p$default), character(1)),
    range = vapply(page$parameters, function(p) text(p$range), character(1)),
    purpose = vapply(page$parameters, function(p) text(p$purpose), character(1)), row.names = NULL)
}
