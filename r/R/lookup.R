# Variables by name: where the target, covariates, blocks and the rest are found when a formula or a text names them.

# The features and the variables themselves. Names are looked up in `data`, or in `x` where that is a data frame; columns of
# `x` that are used as variables are no features.
looked_up <- function(x, y, data, covariates, blocks, event, weights, groups, named, test = NULL) {
  about <- variables(x, data, named$data)
  rows <- NROW(x)
  found <- list(target_name = named$target, block_name = "blocks")
  if (inherits(y, "formula")) {
    if (!is.null(covariates) || !is.null(blocks))
      refuse("`covariates` and `blocks` are part of the formula; leave them out")
    design <- if (is.null(test)) read_formula(y, about) else read_model(y, one_text(test, "test"), about)
    found$formula <- design$formula
    used <- all.vars(y)
    found[c("y", "covariates", "blocks")] <- design[c("y", "covariates", "blocks")]
    found$target_name <- design$name
    if (!is.null(design$blocks)) found$block_name <- design$block_name
  } else {
    if (!is.null(test)) refuse("`test` says what is tested of a formula; give one as `y`, such as ~ group * time")
    used <- c(if (is_name(y, rows)) y, if (is_name(blocks, rows)) blocks)
    if (is_name(y, rows)) found$target_name <- y
    if (is_name(blocks, rows)) found$block_name <- blocks
    several <- is.character(covariates) && (length(covariates) != rows || all(covariates %in% names(about$list)))
    if (several) {
      used <- c(used, covariates)
      covariates <- stats::setNames(lapply(covariates, column_of, "covariates", about, rows), covariates)
    }
    found$y <- column_of(y, "y", about, rows)
    found$covariates <- covariates
    found$blocks <- column_of(blocks, "blocks", about, rows)
  }
  for (name in c("event", "weights", "groups")) {
    given <- get(name)
    if (is_name(given, rows)) used <- c(used, given)
    found[[name]] <- column_of(given, name, about, rows)
  }
  found$x <- without_used(x, used, data)
  if (!is.null(data)) found$unused <- unused_variables(about$list, used, found$y, rows)
  found
}

# Variables of the samples that nobody asked for, as text: the core looks whether they go together with the target.
unused_variables <- function(variables, used, y, rows) {
  if (is.null(dim(y)) && length(y) == rows) {
    rest <- variables[setdiff(names(variables), c(used, ""))]
    plain <- vapply(rest, function(values) is.atomic(values) && is.null(dim(values)) && length(values) == rows, logical(1))
    lapply(rest[plain], as.character)
  }
}

# The variables as a list, and what the user calls it.
variables <- function(x, data, name) {
  if (inherits(data, "DataFrame")) data <- as.list(data)
  if (!is.null(data) && !is.list(data)) refuse("`data` must be a data frame with a row per sample, not %s", described(data))
  if (is.null(data) && is.data.frame(x)) return(list(list = as.list(x), name = "x"))
  list(list = as.list(data), name = name)
}

# Whether an argument is the name of a variable, and not a value per sample.
is_name <- function(given, rows) is.character(given) && length(given) == 1 && is.null(dim(given)) && !is.na(given) && rows != 1

# The variable that an argument names, or the values that it holds.
column_of <- function(given, argument, about, rows) {
  if (!is_name(given, rows)) return(given)
  if (given %in% names(about$list)) return(about$list[[given]])
  if (length(about$list) == 0)
    refuse("`%s = \"%s\"` names a variable, and there is no `data` to find it in; give `data`, or the values themselves", argument, given)
  refuse("`%s = \"%s\"` is no column of `%s`, which has %s", argument, given, about$name, first_names(about$list))
}

first_names <- function(list) {
  names <- paste0("`", utils::head(names(list), 20), "`", collapse = ", ")
  if (length(list) > 20) sprintf("%s and %d more", names, length(list) - 20L) else names
}

# A data frame of features without the columns that serve as variables: those of `data` count only where they are the same.
without_used <- function(x, used, data) {
  if (!is.data.frame(x)) return(x)
  same <- function(name) is.null(data[[name]]) || identical(as.character(data[[name]]), as.character(x[[name]]))
  used <- Filter(same, intersect(used, names(x)))
  if (length(used) == 0) return(x)
  structure(as.list(x)[!names(x) %in% used], class = "data.frame", row.names = .set_row_names(nrow(x)))
}

# A variable that came as a data frame or matrix of one column.
only_column <- function(values, name) {
  if (is.null(dim(values)) || length(dim(values)) == 1) return(values)
  if (ncol(values) != 1) refuse("`%s` has %d columns; give one value per sample", name, ncol(values))
  if (is.data.frame(values)) values[[1]] else values[, 1]
}
