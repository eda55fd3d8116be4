# What limma, edgeR and survival name in the tables of a folder: Rscript designs.R KIND FOLDER.
# Every table N.csv has a column per gene and the columns y (or time and event), and batch, age, block or other factors where its kind
# has them; the names go to N.named, one a line. Seconds of the fits alone go to seconds.
suppressPackageStartupMessages({ library(limma); library(edgeR); library(survival) })
arguments <- commandArgs(trailingOnly = TRUE)
kind <- arguments[1]
if (kind == "speed") { # the least of three fits of noise, in CPU seconds: Rscript designs.R speed ROWS GENES COVARIATES
  n <- as.integer(arguments[2:4])
  x <- matrix(rnorm(n[1] * n[2]), n[2])
  design <- cbind(1, rep(0:1, length.out = n[1]), matrix(rnorm(n[1] * n[3]), n[1]))
  one <- function(i) { start <- proc.time(); eBayes(lmFit(x, design)); sum((proc.time() - start)[1:2]) }
  cat(min(sapply(1:3, one)))
  quit()
}
folder <- arguments[2]
seconds <- 0

adjusted <- function(p) names(p)[which(p.adjust(p, "BH") <= 0.05)]

linear <- function(x, design, coefficient) {
  fit <- eBayes(lmFit(x, design))
  p <- fit$p.value[, coefficient]
  names(p) <- rownames(x)
  adjusted(p)
}

counts <- function(x, group) {
  d <- DGEList(x, group = group)
  d <- d[filterByExpr(d), , keep.lib.sizes = FALSE]
  d <- calcNormFactors(d)
  design <- model.matrix(~group)
  d <- estimateDisp(d, design)
  test <- glmQLFTest(glmQLFit(d, design), coef = 2)
  p <- test$table$PValue
  names(p) <- rownames(test$table)
  adjusted(p)
}

correlated <- function(x, design, block) {
  rho <- duplicateCorrelation(x, design, block = block)$consensus
  fit <- eBayes(lmFit(x, design, block = block, correlation = rho))
  adjusted(setNames(fit$p.value[, 2], rownames(x)))
}

weighted <- function(x, design) {
  fit <- eBayes(lmFit(x, design, weights = arrayWeights(x, design)))
  adjusted(setNames(fit$p.value[, 2], rownames(x)))
}

by_voom <- function(x, group) {
  d <- DGEList(x, group = group)
  d <- calcNormFactors(d[filterByExpr(d), , keep.lib.sizes = FALSE])
  design <- model.matrix(~group)
  fit <- eBayes(lmFit(voom(d, design), design))
  adjusted(setNames(fit$p.value[, 2], rownames(fit)))
}

cox <- function(x, time, event) {
  score <- function(gene) summary(coxph(Surv(time, event) ~ gene))$sctest["pvalue"]
  p <- apply(x, 1, score)
  names(p) <- rownames(x)
  adjusted(p)
}

for (file in list.files(folder, pattern = "[.]csv$", full.names = TRUE)) {
  table <- read.csv(file, check.names = FALSE)
  x <- t(as.matrix(table[, grep("^g[0-9]+$", colnames(table))]))
  start <- proc.time()[["user.self"]]
  named <- switch(kind,
    batch = linear(x, model.matrix(~ factor(y) + factor(batch), table), 2),
    age = linear(x, model.matrix(~ factor(y) + age, table), 2),
    pairs = linear(x, model.matrix(~ factor(y) + factor(block), table), 2),
    counts = counts(x, factor(table$y)),
    survival = cox(x, table$time, table$event),
    interaction = linear(x, model.matrix(~ factor(a) * factor(b), table), 4),
    correlated = correlated(x, model.matrix(~ factor(y), table), table$block),
    weights = weighted(x, model.matrix(~ factor(y), table)),
    voom = by_voom(x, factor(table$y)),
    linear(x, model.matrix(~ factor(y), table), 2))
  seconds <- seconds + proc.time()[["user.self"]] - start
  writeLines(named, sub("[.]csv$", ".named", file))
}
writeLines(as.character(seconds), file.path(folder, "seconds"))
