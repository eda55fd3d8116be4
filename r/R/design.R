# Designs: covariates and blocks, from arguments or from a formula such as ~ group + batch + (1 | donor).

# The covariates as a named list of doubles and factors.
covariate_list <- function(covariates, rows) {
  if (is.null(covariates)) return(NULL)
  if (is.atomic(covariates) && is.null(dim(covariates))) {
    if (length(covariates) != rows)
      refuse("`covariates` must have one value per sample: it has %d, and `x` has %s", length(covariates), counted(rows, "row"))
    covariates <- list(covariate = covariates)
  }
  if (inherits(covariates, "DataFrame")) covariates <- as.data.frame(covariates, optional = TRUE)
  if (is.matrix(covariates)) covariates <- as.data.frame(covariates)
  if (!is.list(covariates)) refuse("`covariates` must be a data frame with one row per sample, not %s", described(covariates))
  if (is.data.frame(covariates) && nrow(covariates) != rows)
    refuse("`covariates` must have one row per sample: it has %d, and `x` has %d", nrow(covariates), rows)
  if (length(covariates) > 0 && is.null(names(covariates))) names(covariates) <- paste("covariate", seq_along(covariates))
  unlist(unname(Map(covariate_columns, covariates, names(covariates), rows)), recursive = FALSE)
}

# One variable, or the columns of a basis such as poly(age, 2).
covariate_columns <- function(values, name, rows) {
  if (is.matrix(values)) {
    columns <- lapply(seq_len(ncol(values)), function(j) covariate(values[, j], name, rows))
    return(stats::setNames(columns, paste0(name, " ", if (is.null(colnames(values))) seq_len(ncol(values)) else colnames(values))))
  }
  stats::setNames(list(covariate(values, name, rows)), name)
}

covariate <- function(values, name, rows) {
  if (length(values) != rows)
    refuse("`covariates` must have one row per sample: `%s` has %s, and `x` has %s", name,
      counted(length(values), "value"), counted(rows, "row"))
  if (inherits(values, c("Date", "POSIXt"))) return(as.double(values))
  if (is.numeric(values) || is.logical(values)) as.double(values) else plain_factor(values)
}

block_factor <- function(blocks, rows, name = "blocks") {
  if (is.null(blocks)) return(NULL)
  blocks <- only_column(blocks, name)
  one_per_sample(blocks, name, rows)
  plain_factor(blocks)
}

# What a formula says: the target, the covariates and the blocks, evaluated in the variables of `about` and where the formula
# was written.
read_formula <- function(formula, about) {
  where <- environment(formula)
  right <- formula[[length(formula)]]
  terms <- added(right)
  random <- vapply(terms, is_random, logical(1))
  if (sum(random) > 1) refuse("a design has one random intercept at most: `%s`", deparse1(formula))
  fixed <- terms[!random]
  fixed <- fixed[!vapply(fixed, identical, logical(1), 1)]
  lapply(fixed, check_term)
  if (length(formula) == 3) {
    response <- formula[[2]]
  } else {
    if (length(fixed) == 0) refuse("the formula names no target; write it first: ~ group + batch")
    response <- fixed[[1]]
    fixed <- fixed[-1]
  }
  names <- vapply(fixed, deparse1, character(1))
  block <- if (any(random)) block_term(terms[random][[1]])
  list(
    y = value_of(response, about, where),
    name = deparse1(response),
    covariates = if (length(fixed) > 0) stats::setNames(lapply(fixed, value_of, about, where), names),
    blocks = if (!is.null(block)) value_of(block, about, where),
    block_name = if (!is.null(block)) deparse1(block)
  )
}

# A linear model: its formula as text, without the random intercept, and its variables. The core understands the formula.
read_model <- function(formula, test, about) {
  where <- environment(formula)
  if (length(formula) == 3) refuse("`%s` has a left side; the features are what is explained: write ~ group * time", deparse1(formula))
  terms <- added(formula[[2]])
  random <- vapply(terms, is_random, logical(1))
  if (sum(random) > 1) refuse("a design has one random intercept at most: `%s`", deparse1(formula))
  text <- if (any(random)) paste(vapply(terms[!random], deparse1, character(1)), collapse = " + ") else deparse1(formula[[2]])
  variables <- asked(core_model(paste("~", text), test))
  block <- if (any(random)) block_term(terms[random][[1]])
  value <- function(name) value_of(as.name(name), about, where)
  list(
    y = value(variables$target),
    name = variables$target,
    covariates = if (length(variables$others) > 0) stats::setNames(lapply(variables$others, value), variables$others),
    blocks = if (!is.null(block)) value_of(block, about, where),
    block_name = if (!is.null(block)) deparse1(block),
    formula = paste("~", text)
  )
}

# The terms of a sum.
added <- function(expression) {
  if (is.call(expression) && identical(expression[[1]], as.name("+")) && length(expression) == 3)
    return(c(added(expression[[2]]), added(expression[[3]])))
  list(expression)
}

is_random <- function(term) {
  is.call(term) && identical(term[[1]], as.name("(")) && is.call(term[[2]]) && identical(term[[2]][[1]], as.name("|"))
}

# The blocks of (1 | donor).
block_term <- function(term) {
  inside <- term[[2]]
  nested <- is.call(inside[[3]]) && as.character(inside[[3]][[1]])[1] %in% c("/", ":", "*")
  if (!identical(inside[[2]], 1) || nested)
    refuse("`%s` cannot be used: blocks are a random intercept of one variable, (1 | donor)", deparse1(term))
  inside[[3]]
}

check_term <- function(term) {
  if (!is.call(term)) {
    if (identical(term, as.name("."))) refuse("`.` cannot be used in a design; name the variables")
    if (is.numeric(term)) refuse("`%s` cannot be used in a design; there is always an intercept", deparse1(term))
    return(invisible())
  }
  called <- as.character(term[[1]])[1]
  if (called == "-") refuse("`%s` cannot be used in a design: nothing is taken away, and there is always an intercept", deparse1(term))
  if (called == "offset") refuse("`%s` cannot be used in a design", deparse1(term))
  if (sub(".*::", "", deparse1(term[[1]])) %in% c("strata", "cluster", "frailty"))
    refuse("`%s` cannot be used in a design; write (1 | %s): blocks of several patients are strata, and samples of one patient are averaged",
      deparse1(term), deparse1(term[[2]]))
  if (called %in% c("*", ":", "^", "%in%", "/"))
    refuse("`%s` cannot be used in a design, which is a sum of variables; for an interaction make a variable, such as interaction(a, b)", deparse1(term))
}

value_of <- function(expression, about, where) {
  tryCatch(eval(expression, about$list, where), error = function(e) {
    known <- if (length(about$list) > 0) sprintf("; `%s` has %s", about$name, first_names(about$list)) else "; give the table of samples as `data`"
    refuse("`%s` in the formula cannot be evaluated: %s%s", deparse1(expression), conditionMessage(e), known)
  })
}
