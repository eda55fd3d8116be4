drawn <- two_groups(rows = 40, features = 60, relevant = 6)
x <- drawn$x
group <- drawn$group
found <- tamis(x, group)

test_that("a volcano plot says which class is compared with which", {
  expect_identical(difference_label(found), "difference (treated minus control)")
  expect_identical(difference_label(tamis(x, x[, 1])), "difference")
})

test_that("a result prints its answer first, and lists features", {
  lines <- capture.output(print(found, n = 2))
  expect_match(lines[1], "of 60 features differ between treated and control")
  expect_true(any(grepl("... and", lines, fixed = TRUE)))
  none <- capture.output(print(tamis(x[, 20:60], group)))
  expect_true(any(grepl("none of them selected", none)))
  counts <- summary(found)$counts
  expect_identical(counts[["selected"]], as.double(found$n_selected))
  expect_output(print(summary(found)), "affected, about")
})

test_that("a data frame has every feature, or the selected ones by rank", {
  all <- as.data.frame(found)
  expect_identical(all$feature, colnames(x))
  best <- as.data.frame(found, selected = TRUE)
  expect_identical(best$feature, selected(found))
  expect_true(all(diff(best$rank) > 0))
  expect_true(all(c("mean_control", "mean_treated", "difference", "p_value", "probability", "q_value") %in% names(all)))
  expect_equal(all$mean_treated - all$mean_control, all$difference)
})

test_that("saved results and classifiers are read again", {
  file <- tempfile(fileext = ".json")
  write_result(found, file)
  expect_identical(read_result(file)$features, found$features)
  rds <- tempfile()
  saveRDS(found, rds)
  expect_identical(readRDS(rds)$features, found$features)
  page <- tempfile(fileext = ".html")
  report(readRDS(rds), page, browse = FALSE)
  expect_match(readLines(page, 1, warn = FALSE), "<!doctype html>")
  compared <- evaluate(x, group, methods = c("f", "dlda"), folds = 4)
  write_result(compared, file)
  expect_equal(as.data.frame(read_result(file)), as.data.frame(compared))
  report(compared, page, browse = FALSE)
  expect_gt(file.size(page), 10000)
  writeLines("{}", file)
  expect_error(read_result(file), "cannot be read")
})

test_that("pictures are drawn, and those that a method lacks refused", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (kind in c("auto", "fit", "volcano", "scores")) expect_identical(plot(found, kind), found)
  expect_silent(plot(npfs(x, group, bootstraps = 10)))
  expect_error(plot(found, "stability"), "no picture of kind")
  expect_silent(plot(evaluate(x, group, methods = c("f", "dlda"), folds = 3)))
  expect_silent(pairs(x[, 1:3]))
  skip_if_not_installed("ggplot2")
  for (kind in c("fit", "volcano", "scores")) expect_s3_class(print(ggplot2::autoplot(found, kind)), "ggplot")
})

test_that("classifiers predict what they learned", {
  model <- classifier(x, group, method = "dlda")
  expect_gt(mean(predict(model, x) == group), 0.9)
  probabilities <- predict(model, as.data.frame(x), type = "prob")
  expect_equal(rowSums(probabilities), rep(1, 40))
  expect_identical(colnames(probabilities), c("control", "treated"))
  expect_error(predict(model, x[, 1:2]), "lacks")
  behind <- classifier(x, group, method = "logistic", selector = "snbl", selector_settings = list(fdr = 0.2))
  expect_true(all(selected(behind) %in% colnames(x)))
  expect_error(classifier(x, group, method = "dlda", selector_settings = list(k = 1)), "no effect")
  batch <- data.frame(batch = rep(c("a", "b"), each = 20))
  adjusted <- classifier(x, group, method = "dlda", covariates = batch)
  expect_error(predict(adjusted, x), "covariate `batch`")
  expect_length(predict(adjusted, x, covariates = batch), 40)
  for (machine in list(pfcvm, pcvm, rvm)) expect_s3_class(machine(x[, 1:8], group), "tamis_model")
  expect_identical(pfcvm(x[, 1:8], group)$target, "group")
})

test_that("methods are compared on the same folds", {
  compared <- evaluate(x, group, methods = c("snbl", "none"), classifiers = c("lda", "dlda"), folds = 4, settings = list(snbl = list(fdr = 0.2)))
  expect_setequal(as.data.frame(compared)$method, c("snbl + lda", "snbl + dlda", "lda", "dlda"))
  expect_output(print(compared), "4 stratified folds")
  kept <- evaluate(x, group, methods = "f", folds = 4, groups = rep(1:10, each = 4))
  expect_match(kept$plan, "keep groups together")
  expect_match(evaluate(x, group, methods = "dlda", folds = "loo")$plan, "one row left out")
  expect_error(evaluate(x, group, methods = "f", settings = list(jmi = list(k = 2))), "not compared")
})

test_that("methods are described", {
  expect_true(all(c("snbl", "npfs", "pairs", "pfcvm-lp") %in% tamis_methods()$method))
  expect_true("fdr" %in% tamis_methods("snbl")$parameter)
  expect_error(tamis_methods("nothing"), "there is no method")
})

test_that("what is needed is told as sets with their leads", {
  set.seed(1)
  rows <- 150
  values <- matrix(stats::rnorm(rows * 40), rows, dimnames = list(NULL, paste0("g", 1:40)))
  values[, 2] <- values[, 1] + 0.1 * values[, 3]
  needed <- tamis_needed(values, values[, 1] - values[, 7] + 0.7 * values[, 9], draws = 300)
  sets <- lapply(needed$findings, function(finding) sort(unlist(finding$members)))
  expect_true(any(vapply(sets, function(set) "g7" %in% set, logical(1))))
  expect_identical(sort(selected(needed)), sort(vapply(needed$findings, function(finding) finding$lead, character(1))))
  expect_true(all(c("inclusion_probability", "set", "lead") %in% names(as.data.frame(needed))))
  expect_identical(as.character(needed$call[[1]]), "tamis")
})
