# Everything about the samples that the core needs: features, target, covariates, blocks, weights.

study_rows <- function(x, y, data = NULL, covariates = NULL, blocks = NULL, event = NULL, weights = NULL, reference = NULL,
                       contrast = NULL, normalize = NULL, min_count = NULL, task = "auto", file = "x", target_name = "y") {
  if (missing(y)) refuse("`y` is missing: give the target, one value per sample, or a formula such as ~ group + batch")
  features <- features(x)
  block_name <- "blocks"
  if (inherits(y, "formula")) {
    if (!is.null(covariates) || !is.null(blocks))
      refuse("`covariates` and `blocks` are part of the formula; leave them out")
    design <- read_formula(y, data)
    y <- design$y
    target_name <- design$name
    covariates <- design$covariates
    blocks <- design$blocks
    if (!is.null(blocks)) block_name <- design$block_name
  }
  rows <- features$rows
  found <- target(y, event, rows, length(features$names), if (nchar(target_name) > 40) "y" else target_name)
  if (!is.null(min_count) && (is.null(normalize) || identical(normalize, "none")))
    refuse("`min_count` has no effect without `normalize`; give normalize = \"tmm\", or leave it out")
  c(
    list(x = features, file = file, target_name = target_name),
    found[setdiff(names(found), "first")],
    compared(found, reference, contrast),
    list(
      task = task,
      weights = weight_vector(weights, rows),
      covariates = covariate_list(covariates, rows),
      blocks = block_factor(blocks, rows),
      block_name = block_name,
      normalize = if (!is.null(normalize)) one_text(normalize, "normalize"),
      min_count = if (!is.null(min_count)) as.double(min_count)
    )
  )
}

weight_vector <- function(weights, rows) {
  if (is.null(weights)) return(NULL)
  one_per_sample(weights, "weights", rows)
  if (!is.numeric(weights)) refuse("`weights` must be numbers, not %s", described(weights))
  as.double(weights)
}

# Groups of features as positions, from names or positions.
group_positions <- function(groups, names) {
  if (is.null(groups)) return(NULL)
  if (!is.list(groups) || is.null(names(groups)))
    refuse("`feature_groups` must be a named list of feature names or positions")
  Map(function(members, group) {
    at <- if (is.numeric(members)) as.integer(members) else match(as.character(members), names)
    wrong <- is.na(at) | at < 1 | at > length(names)
    if (any(wrong))
      refuse("`feature_groups` names `%s` in `%s`, which is no feature", as.character(members[wrong][1]), group)
    at
  }, groups, names(groups))
}

# Parameters of a method: all have names.
parameters <- function(given) {
  if (length(given) > 0 && (is.null(names(given)) || any(names(given) == "")))
    refuse("parameters of the method must have names, such as fdr = 0.05")
  given
}

one_text <- function(x, name) {
  if (!is.character(x) || length(x) != 1 || is.na(x)) refuse("`%s` must be one text", name)
  x
}

# How the user wrote an argument, if that is short.
expression_name <- function(expression) {
  text <- paste(deparse(expression), collapse = " ")
  if (nchar(text) > 60) "x" else text
}
