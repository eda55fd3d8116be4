# Tables that tests share, the fixtures of the library, and the program to compare with.

two_groups <- function(rows = 50, features = 300, relevant = 10, by = 1.6, seed = 1) {
  set.seed(seed)
  group <- rep(c("control", "treated"), length.out = rows)
  x <- matrix(rnorm(rows * features), rows, dimnames = list(NULL, paste0("g", seq_len(features))))
  x[group == "treated", seq_len(relevant)] <- x[group == "treated", seq_len(relevant)] + by
  list(x = x, group = group)
}

# The numbers of a result, without names of the input and times.
numbers_of <- function(found) found$features

# The folder of fixtures: TAMIS_ROOT is the repository.
fixture <- function(...) {
  skip_if_not_installed("jsonlite")
  root <- Sys.getenv("TAMIS_ROOT")
  if (root == "") skip("TAMIS_ROOT does not name a clone of tamis, which has the fixtures")
  file.path(root, "crates", "tamis", "tests", "fixtures", "oracle", ...)
}

read_fixture <- function(...) jsonlite::fromJSON(fixture(...))

# The program's table of features for a table or scores, as a data frame.
program <- function(command, frame, ...) {
  path <- Sys.getenv("TAMIS_PROGRAM")
  if (path == "") skip("TAMIS_PROGRAM does not name the program to compare with")
  file <- tempfile(fileext = ".csv")
  out <- tempfile(fileext = ".csv")
  on.exit(unlink(c(file, out)))
  write_exactly(frame, file)
  said <- suppressWarnings(system2(path, c(command, file, ..., "--csv", out, "--quiet"), stdout = TRUE, stderr = TRUE))
  if (!file.exists(out)) stop(paste(said, collapse = "\n"))
  read.csv(out, check.names = FALSE, na.strings = c("", "NA", "NaN"))
}

# Numbers so that they read back to the same bits.
write_exactly <- function(frame, file) {
  exact <- function(column) {
    if (is.numeric(column)) ifelse(is.na(column), "", formatC(column, digits = 17, format = "g", width = 1)) else as.character(column)
  }
  write.csv(as.data.frame(lapply(frame, exact), optional = TRUE), file, row.names = FALSE, quote = FALSE, na = "")
}

# Selection and ranks are the same, and every number agrees to `tolerance` of its size, or of 1 where it is smaller.
expect_same_answer <- function(found, theirs, tolerance = 1e-12) {
  ours <- found$features
  theirs <- theirs[match(ours$feature, theirs$name), ]
  expect_identical(ours$selected, theirs$selected)
  expect_identical(as.integer(ours$rank), as.integer(theirs$rank))
  numbers <- setdiff(intersect(names(ours)[vapply(ours, is.numeric, NA)], names(theirs)), "rank")
  expect_true("score" %in% numbers)
  for (name in numbers) {
    a <- ours[[name]]
    b <- as.numeric(theirs[[name]])
    expect_identical(is.na(a), is.na(b), label = name)
    expect_lte(max(0, abs(a - b) / pmax(1, abs(b)), na.rm = TRUE), tolerance, label = name)
  }
}
