# Everything about the samples that the core needs: features, target, covariates, blocks, weights.

study_rows <- function(x, y, data = NULL, covariates = NULL, blocks = NULL, event = NULL, weights = NULL,
                       weight_kind = "importance", reference = NULL, contrast = NULL, normalize = NULL, min_count = NULL, task = "auto", groups = NULL, test = NULL,
                       named = list(file = "x", target = "y", data = "data")) {
  if (missing(y) && inherits(x, "formula"))
    refuse("`x` must be the features; a formula comes second: tamis(x, ~ group + batch, data = samples)")
  if (missing(y)) refuse("`y` is missing: give the target, one value per sample, or a formula such as ~ group + batch")
  refuse_own_target(x, y, named$target)
  refuse_other_order(x, data)
  found <- looked_up(x, y, data, covariates, blocks, event, weights, groups, named, test)
  features <- features(found$x)
  rows <- features$rows
  name <- if (nchar(found$target_name) > 40) "y" else found$target_name
  target <- target(found$y, found$event, rows, length(features$names), name)
  if (task == "classes") refuse_lone_numbers(target$numbers, name)
  if (!is.null(min_count) && (is.null(normalize) || identical(normalize, "none")))
    refuse("`min_count` has no effect without `normalize`; give normalize = \"tmm\", or leave it out")
  c(
    list(x = features, file = named$file, target_name = found$target_name),
    target[setdiff(names(target), "first")],
    compared(target, reference, contrast),
    list(
      task = task,
      weights = weight_vector(found$weights, rows),
      weight_kind = weight_kind,
      covariates = covariate_list(found$covariates, rows),
      blocks = block_factor(found$blocks, rows),
      block_name = found$block_name,
      groups = block_factor(found$groups, rows, "groups"),
      target_text = if (length(found$unused) > 0) as.character(found$y),
      unused = found$unused,
      formula = found$formula,
      test = if (!is.null(found$formula)) test,
      normalize = if (!is.null(normalize)) one_text(normalize, "normalize"),
      min_count = if (!is.null(min_count)) as.double(min_count)
    )
  )
}

# A classifier learns classes: of numbers, each must occur again.
refuse_lone_numbers <- function(numbers, name) {
  alone <- setdiff(numbers, c(numbers[duplicated(numbers)], NA))
  if (length(alone) > 0)
    refuse("`%s` holds numbers, and %s occurs only once; classes are needed: make them by factor() or cut()", name, format(alone[1]))
}

# A data frame that holds the target as a feature too.
refuse_own_target <- function(x, y, written) {
  name <- sub(".*[$]", "", written)
  if (!is.data.frame(x) || !grepl("$", written, fixed = TRUE) || !name %in% names(x)) return(invisible())
  if (identical(as.character(x[[name]]), as.character(y)))
    refuse("column `%s` of `x` is the target itself; name it, tamis(x, \"%s\"), or leave it out of `x`", name, name)
}

# Samples that `x` and `data` name alike, by row names or in a column, but in another order.
refuse_other_order <- function(x, data) {
  names <- sample_names(x)
  if (is.null(names) || anyDuplicated(names) > 0 || !is.data.frame(data) || nrow(data) != length(names)) return(invisible())
  texts <- Filter(function(column) is.character(column) || is.factor(column), as.list(data))
  named <- lapply(c(list(sample_names(data)), unname(texts)), as.character)
  if (any(vapply(named, identical, logical(1), as.character(names)))) return(invisible())
  for (other in named) {
    if (length(other) == length(names) && setequal(other, names))
      refuse("`data` has the samples in another order than `x`: the first is `%s`, and `%s` in `x`; sort its rows by match()",
        other[1], names[1])
  }
}

weight_vector <- function(weights, rows) {
  if (is.null(weights)) return(NULL)
  weights <- only_column(weights, "weights")
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
    if (length(at) == 0) refuse("`feature_groups` has no feature in `%s`: remove the group", group)
    at
  }, groups, names(groups))
}

# Parameters of a method: all have names.
parameters <- function(given) {
  unnamed <- if (is.null(names(given))) seq_along(given) else which(names(given) == "")
  if (length(unnamed) > 0 && is.data.frame(given[[unnamed[1]]]))
    refuse("a third argument without a name is a data frame; if it holds the variables of the formula, write data = ...")
  if (length(unnamed) > 0) refuse("parameters of the method must have names, such as fdr = 0.05")
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
