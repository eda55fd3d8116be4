#' @keywords internal
"_PACKAGE"

#' @importFrom methods is
#' @importFrom stats predict setNames
NULL
