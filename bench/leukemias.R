# Writes the expression of Bioconductor's package ALL (Debian: r-bioc-all) with the kind of cell, B or T, as the last column.
# usage: Rscript leukemias.R OUT.csv
out <- commandArgs(trailingOnly = TRUE)[1]
if (!suppressMessages(require(ALL, quietly = TRUE))) quit(status = 1)
data(ALL)
table <- data.frame(t(Biobase::exprs(ALL)), check.names = FALSE)
table$label <- substr(as.character(ALL$BT), 1, 1)
write.csv(table, out, row.names = FALSE)
