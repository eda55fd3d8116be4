# The R package beside limma and qvalue: Rscript r_package.R speed CSV, or Rscript r_package.R KIND FOLDER.
# `speed` prints CPU seconds of one thread on a table of the file CSV: tamis, then lmFit, eBayes and qvalue. A kind names genes
# in every table N.csv of the folder: those of tamis go to N.tamis, those of limma + qvalue to N.limma, seconds to `seconds`.
suppressPackageStartupMessages({ library(limma); library(tamis) })
arguments <- commandArgs(trailingOnly = TRUE)
kind <- arguments[1]
has_qvalue <- requireNamespace("qvalue", quietly = TRUE)

cpu <- function(work) {
  start <- proc.time()
  force(work)
  sum((proc.time() - start)[1:2])
}

# q-values, or Benjamini and Hochberg's where qvalue is not installed or cannot fit the share of noise.
q_values <- function(p) {
  if (!has_qvalue) return(p.adjust(p, "BH"))
  tryCatch(qvalue::qvalue(p)$qvalues, error = function(e) p.adjust(p, "BH"))
}

by_limma <- function(x, design) q_values(eBayes(lmFit(t(x), design))$p.value[, 2])

if (kind == "speed") {
  table <- read.csv(arguments[2], check.names = FALSE)
  x <- as.matrix(table[-1])
  design <- model.matrix(~y, table)
  ours <- min(sapply(1:3, function(i) cpu(tamis(x, table$y, threads = 1))))
  theirs <- min(sapply(1:3, function(i) cpu(by_limma(x, design))))
  cat(ours, theirs, has_qvalue, "\n")
  quit()
}

formulas <- list(batch = ~ y + batch, age = ~ y + age, pairs = ~ y + (1 | block))
designs <- list(batch = ~ factor(y) + factor(batch), age = ~ factor(y) + age, pairs = ~ factor(y) + factor(block))
seconds <- c(0, 0)
for (file in list.files(arguments[2], pattern = "[.]csv$", full.names = TRUE)) {
  table <- read.csv(file, check.names = FALSE)
  x <- as.matrix(table[grep("^g[0-9]+$", colnames(table))])
  formula <- if (is.null(formulas[[kind]])) ~y else formulas[[kind]]
  design <- model.matrix(if (is.null(designs[[kind]])) ~ factor(y) else designs[[kind]], table)
  seconds[1] <- seconds[1] + cpu(found <- tamis(x, formula, data = table, fdr = 0.05, threads = 1))
  seconds[2] <- seconds[2] + cpu(q <- by_limma(x, design))
  writeLines(selected(found), sub("[.]csv$", ".tamis", file))
  writeLines(colnames(x)[which(q <= 0.05)], sub("[.]csv$", ".limma", file))
}
writeLines(as.character(seconds), file.path(arguments[2], "seconds"))
