# The features `x` as the core reads them: matrices, sparse matrices and data frames, without a copy where that can be.

# Text with more values than this is not a category.
most_categories <- 64L

features <- function(x) {
  found <- feature_columns(x)
  if (length(found$names) == 0) refuse("`x` has no columns, and so no features")
  if (found$rows == 0) refuse("`x` has no rows, and so no samples")
  found
}

feature_columns <- function(x) {
  if (is.data.frame(x)) return(frame_features(x))
  if (inherits(x, "sparseMatrix")) return(sparse_features(x))
  if (methods::is(x, "Matrix") || inherits(x, "DelayedMatrix")) x <- as.matrix(x)
  if (!is.matrix(x) || is.list(x))
    refuse("`x` must be a matrix, a sparse matrix or a data frame with a row per sample, not %s%s", described(x), instead_of(x))
  if (is.character(x))
    refuse("`x` is a matrix of text, which as.matrix() makes of a data frame with one column of text; give the data frame without that column")
  if (!is.numeric(x) && !is.logical(x)) refuse("`x` is a matrix of %s; give numbers", typeof(x))
  if (!is.double(x)) storage.mode(x) <- "double"
  list(names = feature_names(colnames(x), ncol(x)), rows = nrow(x), matrix = x)
}

sparse_features <- function(x) {
  needs("Matrix", "a sparse matrix")
  if (!inherits(x, "dgCMatrix"))
    x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  list(names = feature_names(colnames(x), ncol(x)), rows = nrow(x), i = x@i, p = x@p, values = x@x)
}

frame_features <- function(x) {
  columns <- Map(frame_column, as.list(x), names(x))
  list(names = feature_names(names(x), length(x)), rows = nrow(x), frame = unname(columns))
}

# Numbers as doubles, everything else as a factor.
frame_column <- function(column, name) {
  if (is.factor(column)) return(plain_factor(column))
  if (is.logical(column)) return(plain_factor(as.character(column)))
  if (is.numeric(column) && is.null(dim(column)) && !inherits(column, "Date")) return(as.double(column))
  if (!is.character(column))
    refuse("column `%s` of `x` is %s; give numbers, text, factors or truth values", name, described(column))
  values <- length(unique(column[!is.na(column)]))
  if (values == length(column) && values > 2)
    refuse("column `%s` of `x` has another text in every row, so it names the samples; leave it out: x[names(x) != \"%s\"]", name, name)
  if (values > most_categories)
    refuse("column `%s` of `x` is text with %s; leave it out, or make it a factor if it is a category", name,
      counted(values, "value"))
  plain_factor(column)
}

# A factor without order or unused levels; its codes are integers.
plain_factor <- function(x) factor(as.character(x))

feature_names <- function(names, n) {
  if (is.null(names)) return(paste0("x", seq_len(n), recycle0 = TRUE))
  missing <- is.na(names) | names == ""
  names[missing] <- paste0("x", which(missing))
  make.unique(names)
}

described <- function(x) paste0("an object of class ", paste0("`", class(x)[1], "`"))

# What to give in place of an object that holds features.
instead_of <- function(x) {
  if (is.list(x) && !is.null(x$counts)) return("; give its counts, t(x$counts), with normalize = \"tmm\"")
  if (is.list(x) && !is.null(x$E)) return("; give its values, t(x$E)")
  if (inherits(x, "ExpressionSet")) return("; give its values, t(Biobase::exprs(x))")
  if (inherits(x, "formula")) return("; a formula comes second: tamis(x, ~ group + batch, data = samples)")
  if (is.character(x)) return("; read a file first, such as by read.csv()")
  ""
}
