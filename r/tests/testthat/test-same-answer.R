# The same selection and the same numbers as the program, for every table of the fixtures.

named <- function(x) {
  colnames(x) <- paste0("g", seq_len(ncol(x)))
  x
}

designs <- list(
  two_classes_3v3 = list(about = "group", options = c("--target", "group"), y = ~group),
  equal_variances = list(about = "group", options = c("--target", "group"), y = ~group),
  missing_5v5 = list(about = "group", options = c("--target", "group"), y = ~group),
  batch_and_age = list(about = c("group", "batch", "age"),
    options = c("--target", "group", "--covariate", "batch", "--covariate", "age"), y = ~ group + batch + age),
  number_batch = list(about = c("y", "batch"), options = c("--target", "y", "--covariate", "batch"), y = ~ y + batch),
  paired = list(about = c("group", "block"), options = c("--target", "group", "--block", "block"), y = ~ group + (1 | block)),
  three_classes_age = list(about = c("group", "age"), options = c("--target", "group", "--covariate", "age"), y = ~ group + age)
)

for (design in names(designs)) local({
  name <- design
  how <- designs[[name]]
  test_that(paste("the design", name, "gives what the program and limma give"), {
    given <- read_fixture("designs", paste0(name, ".json"))
    x <- named(t(given$x))
    about <- as.data.frame(given[how$about])
    found <- tamis(x, how$y, data = about, score = "moderated", robust = FALSE, trend = FALSE)
    plain <- c("--set", "score=moderated", "--set", "robust=false", "--set", "trend=false")
    expect_same_answer(found, program("select", cbind(about, as.data.frame(x)), how$options, plain))
    if (is.null(given$F)) expect_equal(found$features$statistic, as.numeric(given$moderated_t), tolerance = 1e-9)
  })
})

test_that("survival times give what the program and survival give", {
  given <- read_fixture("designs", "survival.json")
  x <- named(t(given$x))
  about <- data.frame(time = given$time, event = given$event, age = given$age)
  options <- c("--target", "time", "--event", "event")
  found <- tamis(x, about$time, event = about$event)
  expect_same_answer(found, program("select", cbind(about[1:2], as.data.frame(x)), options))
  adjusted <- tamis(x, about$time, event = about$event, covariates = about["age"])
  expect_same_answer(adjusted, program("select", cbind(about, as.data.frame(x)), options, "--covariate", "age"))
})

test_that("counts give what the program gives", {
  given <- read_fixture("designs", "counts_trend.json")
  x <- named(t(given$counts))
  frame <- cbind(data.frame(group = given$group), as.data.frame(x))
  for (way in c("tmm", "logcpm")) {
    found <- tamis(x, given$group, normalize = way)
    expect_same_answer(found, program("select", frame, "--target", "group", "--normalize", way))
  }
})

test_that("scores give what the program gives", {
  files <- list.files(fixture("sparse_means"), "[.]json$", full.names = TRUE)
  expect_gt(length(files), 30)
  compared <- 0
  for (file in files) {
    given <- jsonlite::fromJSON(file)
    z <- as.numeric(given$z)
    refused <- FALSE
    theirs <- tryCatch(program("shrink", data.frame(name = paste0("s", seq_along(z)), z = z), "--column", "z", "--id", "name"),
      error = function(e) refused <<- conditionMessage(e))
    if (is.character(theirs)) {
      expect_error(shrink(z), class = "tamis_error")
    } else {
      expect_same_answer(shrink(z, names = paste0("s", seq_along(z))), theirs)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 30)
})

test_that("relations of other kinds give what the program gives", {
  for (name in c("two_classes", "three_classes", "uneven")) {
    given <- read_fixture("dependence", paste0(name, ".json"))
    x <- named(if (given$layout == "columns") t(given$X) else given$X)
    frame <- cbind(data.frame(y = given$y), as.data.frame(x))
    found <- dependence(x, given$y, permutations = 40, seed = 3)
    expect_same_answer(found, program("select", frame, "--target", "y", "--method", "dependence", "--permutations", "40", "--seed", "3"))
    found <- pairs(x, given$y, permutations = 8)
    expect_same_answer(found, program("select", frame, "--target", "y", "--method", "pairs", "--permutations", "8"))
  }
})

test_that("filters and bootstraps give what the program gives", {
  for (name in c("02_uniform25", "10_npfs_end_to_end", "11_ties_degenerate")) {
    given <- read_fixture("information", paste0(name, ".json"))
    digits <- function(text) if (is.character(text)) sapply(strsplit(text, ""), as.integer) else text
    x <- named(if (is.character(given$X)) t(digits(given$X)) else given$X)
    given$y <- as.vector(digits(given$y))
    frame <- cbind(data.frame(y = given$y), as.data.frame(x))
    for (method in c("jmi", "mrmr", "cmim", "mim", "disr", "jmim")) {
      found <- tamis(x, given$y, method = method, k = 3)
      expect_same_answer(found, program("select", frame, "--target", "y", "--method", method, "--set", "k=3"))
    }
    found <- npfs(x, given$y, bootstraps = 20)
    expect_same_answer(found, program("select", frame, "--target", "y", "--method", "npfs", "--set", "bootstraps=20"))
  }
})

test_that("vector machines predict what the program predicts", {
  path <- Sys.getenv("TAMIS_PROGRAM")
  skip_if(path == "", "TAMIS_PROGRAM does not name the program to compare with")
  for (name in c("synthetic_linear", "wide_linear_woodbury", "xor_rbf")) {
    given <- read_fixture("vector_machine", paste0(name, ".json"))
    x <- named(given$X)
    frame <- cbind(data.frame(y = given$y), as.data.frame(x))
    file <- tempfile(fileext = ".csv")
    write_exactly(frame, file)
    for (method in c("pfcvm-lp", "pcvm", "dlda")) {
      model <- tempfile(fileext = ".json")
      out <- tempfile(fileext = ".csv")
      system2(path, c("fit", file, "--target", "y", "--method", method, "--model", model, "--quiet"), stdout = FALSE)
      system2(path, c("predict", file, "--model", model, "--out", out, "--quiet"), stdout = FALSE)
      theirs <- as.matrix(read.csv(out, check.names = FALSE)[-1])
      ours <- predict(classifier(x, given$y, method = method), x, type = "prob")
      expect_equal(unname(ours), unname(theirs), tolerance = 1e-12)
      # a model that the program has trained
      expect_equal(unname(predict(read_result(model), x, type = "prob")), unname(theirs), tolerance = 1e-12)
    }
  }
})

test_that("data sets beside the repository give what the program gives", {
  folder <- file.path(Sys.getenv("TAMIS_DATA", file.path(Sys.getenv("TAMIS_ROOT"), "..", "shared", "data")))
  files <- list.files(folder, "[.]csv[.]gz$", full.names = TRUE)
  skip_if(length(files) == 0, "there is no folder ../shared/data with the data sets")
  for (file in files) {
    # the program is given what R has read, to the last digit
    table <- utils::read.csv(file, check.names = FALSE)
    y <- table$label
    table$label <- NULL
    theirs <- program("select", cbind(table, data.frame(label = y)), "--target", "label")
    expect_same_answer(tamis(table, y), theirs)
  }
})
