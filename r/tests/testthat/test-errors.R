drawn <- two_groups(rows = 30, features = 40)
x <- drawn$x
group <- drawn$group

test_that("errors say what is wrong in R's words and what to do", {
  refused <- function(code, words) expect_error(code, words, fixed = TRUE, class = "tamis_error")
  refused(tamis(t(x), group), "samples are rows; give `t(x)`")
  refused(tamis(x, group[1:7]), "`group[1:7]` must have one value per sample: it has 7, and `x` has 30 rows")
  refused(tamis(x, group, covariates = data.frame(a = 1:3)), "`covariates` must have one row per sample")
  refused(tamis(x, group, blocks = 1:3), "`blocks` must have one value per sample")
  refused(tamis(x, group, weights = rep("a", 30)), "`weights` must be numbers")
  refused(tamis(x, group, fdrr = 0.1), "did you mean `fdr`?")
  refused(tamis(x, group, prior = "normal", fdr = 0.05), "fdr")
  refused(tamis(x, group, 0.05), "must have names")
  refused(tamis(x, ~group, data.frame(group)), "write data = ...")
  refused(tamis(x, ~ group + strata(group)), "write (1 | group): blocks of several patients are strata")
  refused(tamis(x, 1:30, event = rep(c("alive", "dead"), 15)), "such as event = status == \"dead\"")
  refused(tamis(x), "`y` is missing")
  refused(tamis(1:10, group), "`x` must be a matrix")
  refused(tamis(matrix("a", 30, 2), group), "matrix of text, which as.matrix() makes of a data frame")
  refused(tamis(x[, 0], group), "no columns")
  refused(tamis(x[0, ], character(0)), "no rows")
  refused(tamis(group ~ ., data = data.frame(group, x)), "a formula comes second")
  refused(tamis(structure(list(counts = t(x)), class = "DGEList"), group), "t(x$counts)")
  refused(tamis("genes.csv", "group"), "read a file first")
  refused(tamis(x, group, covariates = 1:7), "`covariates` must have one value per sample: it has 7, and `x` has 30 rows")
  refused(tamis(-x, group, normalize = "tmm"), "leave out columns that are no counts with `x[, colnames(x) != \"g1\"]`")
  refused(classifier(x, c(1:29, 1)), "numbers, and 2 occurs only once; classes are needed")
  refused(shrink(data.frame(t = 1:3)), "give its columns")
  refused(tamis(x, rep("same", 30)), "one value only")
  refused(tamis(x, group, method = "snbll"), "did you mean `snbl`?")
  refused(tamis(x, group, threads = -1), "`threads` must be a whole number")
  refused(tamis(x, group, min_count = 5), "`min_count` has no effect")
  refused(tamis(x, group, contrast = "a"), "`contrast` must be two classes")
  refused(shrink(runif(50)), "`p`")
  refused(shrink(1:3, p = 1:3), "give one of `z`")
  refused(shrink(beta = 1:3, se = 1:2), "`se` must have one value per feature")
  infinite <- x
  infinite[3, 2] <- Inf
  refused(tamis(infinite, group), "infinite")
  refused(report(1), "must be a result")
  refused(report(shrink(rnorm(50)), "/nowhere/at/all.html", browse = FALSE), "cannot be written")
})

test_that("a fault inside is an error, and an interrupt ends the work", {
  expect_error(tamis:::asked(tamis:::core_trouble(1L, tamis:::how(0, 1, FALSE))), "please report it: on purpose")
  skip_on_cran()
  skip_on_os("windows")
  pid <- Sys.getpid()
  system(sprintf("(sleep 1; kill -INT %d) >/dev/null 2>&1 &", pid))
  caught <- tryCatch({
    tamis:::asked(tamis:::core_trouble(0L, tamis:::how(0, 1, FALSE)))
    "done"
  }, interrupt = function(e) "interrupted")
  expect_identical(caught, "interrupted")
  expect_identical(tamis(x, group)$n_selected, tamis(x, group)$n_selected)
})

test_that("samples in another order than the features' are told", {
  refused <- function(code, words) expect_error(code, words, fixed = TRUE, class = "tamis_error")
  named <- x
  rownames(named) <- paste0("s", seq_len(nrow(x)))
  samples <- data.frame(group, row.names = rownames(named))
  turned <- samples[rev(rownames(named)), , drop = FALSE]
  refused(tamis(named, ~ group, data = turned), "in another order than `x`")
  refused(tamis(named, ~ group, data = data.frame(sample = rev(rownames(named)), group = rev(group))), "another order")
  expect_s3_class(tamis(named, ~ group, data = samples), "tamis")
  # a column that names other samples is no order of its own
  partners <- data.frame(group, sample = rownames(named), partner = rev(rownames(named)))
  expect_s3_class(tamis(named, ~ group, data = partners), "tamis")
})
