drawn <- two_groups()
x <- drawn$x
group <- drawn$group
usual <- tamis(x, group)

test_that("what was planted is found", {
  expect_gte(sum(selected(usual) %in% paste0("g", 1:10)), 9)
  expect_lte(usual$n_selected, 12)
  expect_true(usual$n_expected_95[1] <= 10 && usual$n_expected_95[2] >= 10)
})

test_that("a matrix, a data frame and a sparse matrix give the same answer", {
  expect_identical(numbers_of(tamis(as.data.frame(x), group)), numbers_of(usual))
  skip_if_not_installed("Matrix")
  holes <- x
  holes[abs(holes) < 0.7] <- 0
  dense <- tamis(holes, group)
  expect_equal(numbers_of(tamis(Matrix::Matrix(holes, sparse = TRUE), group)), numbers_of(dense), tolerance = 1e-9)
  triplets <- methods::as(methods::as(Matrix::Matrix(holes, sparse = TRUE), "generalMatrix"), "TsparseMatrix")
  expect_equal(numbers_of(tamis(triplets, group)), numbers_of(dense), tolerance = 1e-9)
  expect_identical(selected(dependence(Matrix::Matrix(holes, sparse = TRUE), group, permutations = 20)),
    selected(dependence(holes, group, permutations = 20)))
})

test_that("whole numbers, truth values and data frames with text are taken", {
  counts <- matrix(rpois(40 * 30, rep(2^(1:30 / 3), each = 40)), 40)
  found <- tamis(counts, rep(0:1, 20))
  expect_match(found$words$notes[1], "normalize = \"tmm\"", fixed = TRUE)
  expect_length(tamis(counts, rep(0:1, 20), normalize = "none")$words$notes, length(found$words$notes) - 1)
  frame <- data.frame(a = rnorm(60), city = sample(c("Rome", "Oslo"), 60, TRUE), flag = rep(c(TRUE, FALSE), 30), f = gl(3, 20))
  found <- tamis(frame, frame$a > 0)
  expect_identical(found$features$feature, names(frame))
  expect_error(tamis(data.frame(id = paste(1:100), v = rnorm(100)), rep(0:1, 50)), "column `id` of `x` has another text in every row")
  expect_error(tamis(data.frame(id = paste(c(1:99, 1)), v = rnorm(100)), rep(0:1, 50)), "column `id` of `x` is text with 99 values")
  expect_error(tamis(data.frame(d = as.Date("2020-01-01") + 0:9, v = 1:10), rep(0:1, 5)), "column `d`")
})

test_that("a factor's first level is the reference, text has usual names", {
  flipped <- tamis(x, factor(group, levels = c("treated", "control")))
  expect_equal(flipped$features$difference, -usual$features$difference)
  expect_identical(usual$input$positive, "treated")
  expect_equal(tamis(x, ifelse(group == "control", "normal", "cancer"))$features$difference, usual$features$difference)
  expect_equal(tamis(x, group, reference = "treated")$features$difference, -usual$features$difference)
})

test_that("samples without a target or a covariate are left out, and a note says so", {
  with_na <- group
  with_na[c(3, 8)] <- NA
  found <- tamis(x, with_na)
  expect_equal(numbers_of(found), numbers_of(tamis(x[-c(3, 8), ], group[-c(3, 8)])))
  expect_match(found$words$notes, "2 of 50 rows have no target and are set aside", fixed = TRUE, all = FALSE)
  age <- c(NA, 2:50)
  found <- tamis(x, group, covariates = data.frame(age))
  expect_equal(numbers_of(found), numbers_of(tamis(x[-1, ], group[-1], covariates = data.frame(age = 2:50))))
  expect_match(found$words$notes, "1 of 50 rows has no value of a covariate and is set aside", fixed = TRUE, all = FALSE)
  expect_match(classifier(x, with_na, "dlda")$notes, "2 of 50 rows have no target", fixed = TRUE, all = FALSE)
})

test_that("a table is explained by one of its columns, which is no feature then", {
  table <- data.frame(group, age = seq_len(50), x)
  by_values <- numbers_of(tamis(table[-1], group))
  expect_identical(numbers_of(tamis(table, "group")), by_values)
  expect_identical(numbers_of(tamis(table, ~group)), by_values)
  expect_identical(numbers_of(tamis(table, ~group, data = table)), by_values)
  adjusted <- numbers_of(tamis(x, group, covariates = table["age"]))
  expect_identical(numbers_of(tamis(table, ~ group + age)), adjusted)
  expect_identical(numbers_of(tamis(table, "group", covariates = "age")), adjusted)
  # a column of another content is a feature, whatever its name
  expect_identical(nrow(tamis(table[-1], ~group, data = data.frame(group, age = 50:1))$features), 301L)
  expect_error(tamis(table, table$group), "column `group` of `x` is the target itself")
  expect_error(tamis(table, "grop"), "is no column of `x`, which has `group`, `age`")
  model <- classifier(table, ~ group + age, method = "dlda")
  expect_true(all(selected(model) %in% colnames(x)))
  expect_identical(predict(model, table), predict(model, x, covariates = table["age"]))
})

test_that("the number of threads does not matter, the seed is not R's", {
  set.seed(7)
  before <- .Random.seed
  expect_identical(numbers_of(tamis(x, group, threads = 1)), numbers_of(usual))
  expect_identical(.Random.seed, before)
})

test_that("numbers are classes or not by the rule, or as asked", {
  y <- rep(1:2, 25)
  expect_false(is.null(tamis(x, y)$input$classes))
  expect_null(tamis(x, y, task = "real")$input$classes)
})

test_that("gene sets count together", {
  found <- tamis(x, group, feature_groups = list(planted = paste0("g", 1:10), others = 11:20))
  expect_identical(found$feature_groups[[1]]$name, "planted")
  expect_error(tamis(x, group, feature_groups = list(a = "nope")), "names `nope` in `a`")
  expect_error(tamis(x, group, feature_groups = list(a = character(0))), "no feature in `a`")
  sets <- feature_groups(found)
  expect_identical(sets$name, c("planted", "others"))
  expect_lt(sets$p_mixed[1], sets$p_mixed[2])
  expect_true(all(unlist(sets$leading[1]) %in% paste0("g", 1:10)))
})
