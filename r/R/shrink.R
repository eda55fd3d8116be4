#' How many scores are more than noise, and which
#'
#' The empirical Bayes step of [tamis()] alone, on statistics that exist already: scores, estimates with standard errors, or
#' p-values, such as those of limma, DESeq2 or edgeR.
#'
#' @param z Scores that are standard normal where a feature has no effect; or t statistics, with `df`.
#' @param beta,se Estimates and their standard errors, instead of `z`.
#' @param p Two-sided p-values, instead of `z`.
#' @param sign Numbers whose signs the effects have, such as log fold changes; with `p`.
#' @param df Degrees of freedom of t statistics: one number, or one per feature.
#' @param names Names of the features; by default those of the statistics.
#' @param ... Parameters, such as `fdr = 0.1` or `prior = "auto"`; see `tamis_methods("shrink")`.
#' @param seed,threads,progress As for [tamis()].
#'
#' @details Features are taken as independent, since their correlation cannot be seen from scores; with the table at hand use
#'   [tamis()].
#' @return An object of class `tamis`, as [tamis()] returns it.
#' @examples
#' set.seed(1)
#' z <- rnorm(1000)
#' z[1:30] <- z[1:30] + 5
#' shrink(z)
#'
#' # estimates with standard errors and degrees of freedom
#' shrink(beta = z * 0.2, se = rep(0.2, 1000), df = 40)
#' @export
shrink <- function(z, ..., beta = NULL, se = NULL, p = NULL, sign = NULL, df = NULL, names = NULL, seed = 0,
                   threads = NULL, progress = interactive()) {
  kinds <- c(z = !missing(z), beta = !is.null(beta), p = !is.null(p))
  if (sum(kinds) != 1) refuse("give one of `z`, `beta` with `se`, and `p`")
  if (kinds[["beta"]] != !is.null(se)) refuse("`beta` and `se` go together")
  if (!is.null(sign) && !kinds[["p"]]) refuse("`sign` goes with `p`; leave it out")
  if (!is.null(df) && kinds[["p"]]) refuse("`df` has no effect with `p`; leave it out")
  given <- list(z = if (kinds[["z"]]) z, beta = beta, se = se, p = p, sign = sign, df = df)
  given <- given[!vapply(given, is.null, logical(1))]
  if (is.list(given[[1]])) refuse("`%s` must be numbers, not %s%s", base::names(given)[1], described(given[[1]]), columns_for_shrink(given[[1]]))
  n <- length(given[[1]])
  for (name in base::names(given)) {
    value <- given[[name]]
    if (!is.numeric(value)) refuse("`%s` must be numbers, not %s", name, described(value))
    if (length(value) != n && !(name == "df" && length(value) == 1))
      refuse("`%s` must have one value per feature: it has %d, for %s", name, length(value), counted(n, "feature"))
  }
  if (is.null(names)) names <- base::names(given[[1]])
  if (!is.null(names) && length(names) != n) refuse("`names` must have one value per feature: it has %d, and there are %d", length(names), n)
  written <- expression_name(list(z = substitute(z), beta = substitute(beta), p = substitute(p))[[which(kinds)]])
  answer <- core_shrink(parameters(list(...)), feature_names(names, n), lapply(given, as.double), written, how(seed, threads, progress))
  new_tamis(asked(answer), match.call())
}

# What to give in place of a fit or a table.
columns_for_shrink <- function(x) {
  if (inherits(x, "MArrayLM")) return("; give one coefficient, shrink(fit$t[, 2], df = fit$df.total)")
  if (is.data.frame(x)) return("; give its columns, such as shrink(p = table$P.Value, sign = table$logFC, names = rownames(table))")
  ""
}
