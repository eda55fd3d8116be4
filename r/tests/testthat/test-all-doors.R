# One analysis through the door of R and that of the program: the same document, whatever the table.

rows <- 40

table_of <- function(effect, seed = 11) {
  set.seed(seed)
  x <- matrix(rnorm(rows * 60), rows, dimnames = list(NULL, paste0("g", 0:59)))
  x[, 1:6] <- x[, 1:6] + effect
  x
}

# Without times, memory, names of files, and the words of notes, which name options as each door does.
timeless <- function(document) {
  document[c("seconds", "peak_bytes")] <- NULL
  document$input[c("file", "event")] <- NULL
  document$notes <- lapply(document$notes, function(note) note[setdiff(names(note), "message")])
  document
}

parsed <- function(text) jsonlite::fromJSON(text, simplifyVector = FALSE, digits = NA)

program_document <- function(frame, ..., command = "select") {
  path <- Sys.getenv("TAMIS_PROGRAM")
  if (path == "") skip("TAMIS_PROGRAM does not name the program to compare with")
  skip_if_not_installed("jsonlite")
  file <- tempfile(fileext = ".csv")
  out <- tempfile(fileext = ".json")
  on.exit(unlink(c(file, out)))
  write_exactly(frame, file)
  said <- suppressWarnings(system2(path, c(command, file, "--target", "y", ..., "--json", out, "--quiet"), stdout = TRUE, stderr = TRUE))
  if (!file.exists(out)) stop(paste(said, collapse = "\n"))
  timeless(parsed(paste(readLines(out, warn = FALSE), collapse = "")))
}

ours <- function(found) timeless(parsed(rawToChar(found$document)))

two <- rep(c("a", "b"), rows / 2)
shift <- 2 * (two == "b")

test_that("classes, numbers and missing values give what the program gives", {
  gaps <- table_of(shift)
  for (j in 0:59) gaps[(7 * j) %% rows + 1, j + 1] <- NA
  set.seed(5)
  numbers <- rnorm(rows)
  cases <- list(
    list(x = table_of(shift), y = two),
    list(x = table_of((seq_len(rows) - 1) %% 3), y = rep_len(c("a", "b", "c"), rows)),
    list(x = table_of(numbers), y = numbers),
    list(x = gaps, y = two)
  )
  for (case in cases) {
    y <- case$y
    found <- tamis(case$x, y)
    theirs <- program_document(cbind(data.frame(y = case$y), as.data.frame(case$x)))
    expect_equal(ours(found), theirs)
    expect_gt(found$n_selected, 0)
  }
})

test_that("survival times and covariates give what the program gives", {
  set.seed(6)
  x <- table_of(shift)
  time <- 0.1 + runif(rows) * (1 + shift)
  died <- as.integer(runif(rows) < 0.7)
  theirs <- program_document(cbind(data.frame(y = time, died = died), as.data.frame(x)), "--event", "died")
  theirs$input$target <- "time"
  expect_equal(ours(tamis(x, time, event = died)), theirs)
  about <- data.frame(y = two, age = 30 + 40 * runif(rows), batch = sample(c("p", "q"), rows, TRUE))
  theirs <- program_document(cbind(about, as.data.frame(x)), "--covariate", "age", "--covariate", "batch")
  expect_equal(ours(tamis(x, ~ y + age + batch, data = about)), theirs)
})

test_that("one-hot columns and counts give what the program gives", {
  set.seed(7)
  city <- ifelse(runif(rows) < 0.8, two == "b", 2)
  x <- cbind(table_of(0), city_Rome = city == 0, city_Oslo = city == 1, city_New_York = city == 2)
  expect_equal(ours(tamis(x, two))$features, program_document(cbind(data.frame(y = two), as.data.frame(x)))$features)
  donor <- (seq_len(rows) - 1) %/% 5
  treated <- ifelse(donor %% 2 == 1, "b", "a")
  rates <- outer(1 + 3 * runif(rows), 5 + 40 * runif(60)) * ifelse(outer(donor %% 2 == 1, 1:60 <= 6), 4, 1)
  counts <- matrix(as.double(rpois(rows * 60, rates)), rows, dimnames = list(NULL, paste0("g", 0:59)))
  about <- data.frame(y = treated, donor = paste0("d", donor))
  frame <- cbind(about, as.data.frame(counts))
  theirs <- program_document(frame[-2], "--normalize", "tmm")
  theirs$input$target <- "treated"
  expect_equal(ours(tamis(counts, treated, normalize = "tmm")), theirs)
  found <- tamis(counts, ~ y + (1 | donor), data = about, normalize = "tmm")
  expect_equal(ours(found), program_document(frame, "--normalize", "tmm", "--block", "donor"))
  expect_true(found$method$trend)

  # groups are given by the columns of x, whether their counts are used or not
  counts[, 1] <- 0
  grouped <- tamis(counts, treated, normalize = "tmm", feature_groups = list(first = paste0("g", 0:5), last = paste0("g", 50:59)))
  sizes <- vapply(grouped$feature_groups, function(group) group$size, numeric(1))
  names(sizes) <- vapply(grouped$feature_groups, function(group) group$name, character(1))
  expect_equal(sizes[["first"]], 5)
  expect_equal(sizes[["last"]], 10)
})

test_that("an evaluation gives what the program gives", {
  x <- table_of(shift)
  found <- evaluate(x, two, methods = c("snbl", "f"), folds = 4)
  theirs <- program_document(cbind(data.frame(y = two), as.data.frame(x)), "--method", "snbl", "--method", "f", "--folds", "4", command = "evaluate")
  untimed <- function(runs) lapply(runs, function(run) {
    run$folds <- lapply(run$folds, function(fold) fold[setdiff(names(fold), "seconds")])
    run$summary$seconds <- NULL
    run
  })
  expect_equal(untimed(ours(found)$runs), untimed(theirs$runs))
})

test_that("what is needed is part of the answer, and can be left out", {
  asked <- tamis(table_of(shift), two)
  without <- tamis(table_of(shift), two, needed = FALSE)
  expect_false(is.null(asked$findings))
  expect_null(without$findings)
  expect_identical(asked$features$probability, without$features$probability)
  expect_identical(asked$findings, tamis_needed(table_of(shift), two)$findings)
})

test_that("a report has values, a second look and a note on the target", {
  found <- tamis(table_of(shift), two)
  expect_false(is.null(found$second_look))
  page <- function(object) {
    file <- tempfile(fileext = ".html")
    on.exit(unlink(file))
    report(object, file, browse = FALSE)
    paste(readLines(file, warn = FALSE), collapse = "\n")
  }
  with_values <- page(found)
  expect_match(with_values, "treated as classes, since it is text", fixed = TRUE)
  without <- found
  without$values <- NULL
  expect_gt(nchar(with_values), nchar(page(without)))
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(found, file)
  expect_identical(page(readRDS(file)), with_values)
})
