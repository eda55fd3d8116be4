drawn <- two_groups(rows = 40)
x <- drawn$x
samples <- data.frame(group = drawn$group, batch = rep(c("a", "b", "c", "d"), each = 10), age = rnorm(40, 50, 9), donor = rep(1:20, each = 2))

test_that("variables of the samples that nobody asked for are told where they go together with the target", {
  drawn <- two_groups(rows = 40, features = 60)
  group <- sort(drawn$group)
  samples <- data.frame(group, donor = rep(1:8, each = 5), batch = ifelse(1:40 %% 9 == 0, "b", substr(group, 1, 1)), age = 1:40)
  notes <- function(...) paste(tamis(drawn$x, ..., data = samples)$words$notes, collapse = "\n")
  expect_match(notes(~group), "`donor` is not used: it has 8 values for 40 samples, each with one `group` only", fixed = TRUE)
  expect_match(notes(~group), "give it as `blocks`", fixed = TRUE)
  expect_match(notes(~group), "`batch` is not used, and goes together with `group`", fixed = TRUE)
  expect_no_match(notes(~ group + (1 | donor)), "`donor` is not used", fixed = TRUE)
  expect_no_match(notes(~ group + batch), "`batch` is not used", fixed = TRUE)
  expect_no_match(notes(~group), "`age`", fixed = TRUE)
  wide <- cbind(as.data.frame(drawn$x), age = samples$age)
  found <- paste(tamis(wide, group)$words$notes, collapse = "\n")
  expect_match(found, "`age` is read as a feature; if it describes the samples, pass `covariates = \"age\"` to adjust for it", fixed = TRUE)
})

test_that("a formula says what arguments say", {
  by_formula <- tamis(x, ~ group + batch + age, data = samples)
  by_arguments <- tamis(x, samples$group, covariates = samples[c("batch", "age")])
  expect_identical(numbers_of(by_formula), numbers_of(by_arguments))
  expect_identical(numbers_of(tamis(x, group ~ batch + age, data = samples)), numbers_of(by_arguments))
  expect_identical(numbers_of(tamis(x, ~ group + (1 | donor), data = samples)), numbers_of(tamis(x, samples$group, blocks = samples$donor)))
  expect_identical(by_formula$input$target, "group")
  expect_identical(by_formula$design$covariates, c("batch", "age"))
})

test_that("variables are given by name, or as a data frame of one column", {
  by_values <- tamis(x, samples$group, covariates = samples[c("batch", "age")])
  by_name <- tamis(x, "group", covariates = c("batch", "age"), data = samples)
  expect_identical(numbers_of(by_name), numbers_of(by_values))
  expect_match(by_name$words$data, "`group`: control (20)", fixed = TRUE)
  paired <- tamis(x, "group", blocks = "donor", data = samples)
  expect_identical(numbers_of(paired), numbers_of(tamis(x, samples["group"], blocks = samples["donor"])))
  expect_match(paired$words$design, "blocks of `donor`", fixed = TRUE)
  weighted <- transform(samples, w = rep(1:2, 20))
  expect_identical(numbers_of(tamis(x, "group", weights = "w", data = weighted)), numbers_of(tamis(x, samples$group, weights = weighted["w"])))
  expect_error(tamis(x, "group"), "there is no `data` to find it in")
  expect_error(tamis(x, "grop", data = samples), "is no column of `data`, which has `group`, `batch`")
  expect_error(tamis(x, ~group, data = as.matrix(samples)), "`data` must be a data frame")
})

test_that("moderated t statistics are limma's", {
  skip_if_not_installed("limma")
  found <- tamis(x, ~ group + batch + poly(age, 2), data = samples, score = "moderated")
  fit <- limma::eBayes(limma::lmFit(t(x), model.matrix(~ group + batch + poly(age, 2), samples)))
  expect_equal(found$features$statistic, unname(fit$t[, 2]), tolerance = 1e-10)
  expect_equal(found$features$p_value, unname(fit$p.value[, 2]), tolerance = 1e-9)
})

test_that("cells of a donor are averaged", {
  nested <- data.frame(group = rep(c("a", "b"), each = 20), donor = rep(1:8, each = 5))
  found <- tamis(x, ~ group + (1 | donor), data = nested)
  means <- rowsum(x, nested$donor) / 5
  expect_equal(found$features$difference, unname(colMeans(means[5:8, ]) - colMeans(means[1:4, ])))
})

test_that("survival objects are taken", {
  skip_if_not_installed("survival")
  time <- rexp(40)
  status <- rep(c(1, 1, 0, 1), 10)
  found <- tamis(x, survival::Surv(time, status))
  expect_identical(numbers_of(found), numbers_of(tamis(x, time, event = status)))
  with_age <- tamis(x, survival::Surv(time, status) ~ age, data = samples)
  expect_identical(numbers_of(with_age), numbers_of(tamis(x, time, event = status, covariates = samples["age"])))
  z <- summary(survival::coxph(survival::Surv(time, status) ~ x[, 1]))$sctest[["test"]]
  expect_equal(found$features$score[1]^2, z, tolerance = 1e-9)
  expect_error(tamis(x, survival::Surv(time, time + 1, status)), "right-censored")
})

test_that("terms that a design cannot have are refused with a remedy", {
  refused <- function(formula, words) expect_error(tamis(x, formula, data = samples), words, fixed = TRUE)
  refused(~ group * batch, "interaction(a, b)")
  refused(~ group + (age | donor), "random intercept of one variable")
  refused(~ group + (1 | donor / batch), "random intercept of one variable")
  refused(~ group + (1 | donor) + (1 | batch), "one random intercept")
  refused(~ group + ., "name the variables")
  refused(~ group + nowhere, "`nowhere` in the formula cannot be evaluated")
  expect_error(tamis(x, ~ nowhere + group), "give the table of samples as `data`", fixed = TRUE)
  expect_error(tamis(x, model.matrix(~ batch, samples)), "a formula such as ~ group + batch", fixed = TRUE)
  refused(~1, "names no target")
  refused(~ 0 + group, "there is always an intercept")
  refused(~ group - 1, "there is always an intercept")
  refused(~ group + offset(age), "`offset(age)` cannot be used")
  expect_error(tamis(x, ~group, data = samples, blocks = samples$donor), "part of the formula")
})

test_that("containers of samples are transposed, and name their columns", {
  skip_if_not_installed("SummarizedExperiment")
  object <- SummarizedExperiment::SummarizedExperiment(list(values = t(x)), colData = samples)
  plain <- tamis(x, samples$group)
  expect_identical(numbers_of(tamis(object, "group")), numbers_of(plain))
  adjusted <- tamis(x, samples$group, covariates = samples["batch"])
  expect_identical(numbers_of(tamis(object, "group", covariates = "batch")), numbers_of(adjusted))
  expect_identical(numbers_of(tamis(object, ~ group + batch)), numbers_of(adjusted))
  expect_match(tamis(object, "group", blocks = "donor")$words$data, "object: 40 rows, 300 features; `group`", fixed = TRUE)
  expect_error(tamis(object, "grop"), "no column of `colData(x)`, which has `group`", fixed = TRUE)
  expect_error(tamis(object, "group", assay = "counts"), "`assay = \"counts\"` is no assay of `x`, which has `values`", fixed = TRUE)
  skip_if_not_installed("SingleCellExperiment")
  sparse <- methods::as(t(pmax(x, 0)), "dgCMatrix")
  cells <- SingleCellExperiment::SingleCellExperiment(list(counts = sparse, logcounts = sparse), colData = samples)
  expect_equal(numbers_of(tamis(cells, ~ group + (1 | donor))), numbers_of(tamis(pmax(x, 0), samples$group, blocks = samples$donor)), tolerance = 1e-9)
})

test_that("Seurat objects are transposed, and name their columns", {
  skip_if_not_installed("SeuratObject")
  values <- methods::as(t(pmax(x, 0)), "dgCMatrix")
  dimnames(values) <- list(colnames(x), paste0("cell", 1:40))
  about <- samples
  rownames(about) <- colnames(values)
  object <- SeuratObject::CreateSeuratObject(values, meta.data = about)
  # without logarithms the layer holds what was given
  expect_equal(numbers_of(suppressWarnings(tamis(object, "group", blocks = "donor"))),
    numbers_of(tamis(pmax(x, 0), samples$group, blocks = samples$donor)), tolerance = 1e-9)
  expect_error(tamis(object, "group", layer = "nothing"), "is no layer of `x`")
  expect_error(tamis(object, "group", assay = "nothing"), "is no assay of `x`")
})
