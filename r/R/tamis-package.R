#' How many features matter, and which
#'
#' Finds the columns of a wide table that are related to a target, and says how many there are, with a probability for each.
#' Start with [tamis()], or with `vignette("from-limma", "tamis")`.
#'
#' @name tamis-package
#' @keywords internal
NULL

#' @importFrom methods is
#' @importFrom stats predict setNames
NULL
