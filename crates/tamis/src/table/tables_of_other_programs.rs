//! Tables of statistics that other programs write, known by their headers.

/// The columns of numbers that make scores.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatisticColumns {
    /// Scores that are z, with p-values that are missing where a score is not to be trusted.
    Scores {
        /// Their column.
        column: String,
        /// The column of p-values.
        p: String,
    },
    /// t statistics, with p-values that tell their degrees of freedom.
    StudentT {
        /// The column of t.
        t: String,
        /// The column of two-sided p-values.
        p: String,
    },
    /// Two-sided p-values with numbers that have their signs.
    PValues {
        /// Their column.
        p: String,
        /// The column of signs.
        sign: String,
    },
    /// p-values of tests that have no direction.
    Unsigned {
        /// Their column.
        p: String,
    },
}

/// A table that a program writes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownTable {
    /// The program and its function: "limma's topTable".
    pub written_by: &'static str,
    /// The columns to use.
    pub columns: StatisticColumns,
    /// The column of estimates that the statistics are of: estimate over statistic is the standard error.
    pub estimate: Option<&'static str>,
}

impl StatisticColumns {
    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        match self {
            StatisticColumns::Scores { column, p } => vec![column.clone(), p.clone()],
            StatisticColumns::StudentT { t, p } => vec![t.clone(), p.clone()],
            StatisticColumns::PValues { p, sign } => vec![p.clone(), sign.clone()],
            StatisticColumns::Unsigned { p } => vec![p.clone()],
        }
    }

    /// The columns in words.
    pub fn words(&self) -> String {
        match self {
            StatisticColumns::Scores { column, .. } => format!("`{column}`"),
            StatisticColumns::StudentT { t, .. } => format!("`{t}`"),
            StatisticColumns::PValues { p, sign } => format!("`{p}` with the signs of `{sign}`"),
            StatisticColumns::Unsigned { p } => format!("`{p}`, without directions"),
        }
    }
}

/// Recognises the header of a table that limma, DESeq2, edgeR, MAST or scanpy writes.
pub fn recognise(names: &[String]) -> Option<KnownTable> {
    let has = |wanted: &[&str]| wanted.iter().all(|name| names.iter().any(|own| own == name));
    let p_values = |p: &str, sign: &str| StatisticColumns::PValues { p: p.into(), sign: sign.into() };
    let known = |written_by, columns| Some(KnownTable { written_by, columns, estimate: None });
    if has(&["logFC", "AveExpr", "t", "P.Value"]) {
        let columns = StatisticColumns::StudentT { t: "t".into(), p: "P.Value".into() };
        return Some(KnownTable { written_by: "limma's topTable", columns, estimate: Some("logFC") });
    }
    if has(&["AveExpr", "F", "P.Value"]) {
        return known("limma's topTable of F tests", StatisticColumns::Unsigned { p: "P.Value".into() });
    }
    if has(&["baseMean", "log2FoldChange", "lfcSE", "stat", "pvalue"]) {
        let columns = StatisticColumns::Scores { column: "stat".into(), p: "pvalue".into() };
        return Some(KnownTable { written_by: "DESeq2's results", columns, estimate: Some("log2FoldChange") });
    }
    if has(&["baseMean", "log2FoldChange", "lfcSE", "pvalue"]) {
        return known("DESeq2's lfcShrink", p_values("pvalue", "log2FoldChange"));
    }
    if has(&["logFC", "logCPM", "PValue"]) {
        return known("edgeR's topTags", p_values("PValue", "logFC"));
    }
    if has(&["Pr(>Chisq)", "coef"]) {
        return known("MAST's summary", p_values("Pr(>Chisq)", "coef"));
    }
    if has(&["scores", "pvals", "logfoldchanges"]) {
        return known("scanpy's rank_genes_groups", p_values("pvals", "scores"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_other_programs_are_known() {
        let recognised = |header: &str| {
            let names: Vec<String> = header.split(',').map(String::from).collect();
            recognise(&names).map(|known| (known.written_by, known.columns.names().join("+")))
        };
        let found = |header| recognised(header).map(|(_, columns)| columns);
        assert_eq!(found("logFC,AveExpr,t,P.Value,adj.P.Val,B").as_deref(), Some("t+P.Value"));
        assert_eq!(found(",baseMean,log2FoldChange,lfcSE,stat,pvalue,padj").as_deref(), Some("stat+pvalue"));
        assert_eq!(found("A.B,A.C,AveExpr,F,P.Value,adj.P.Val").as_deref(), Some("P.Value"));
        assert_eq!(found("gene,logFC,logCPM,F,PValue,FDR").as_deref(), Some("PValue+logFC"));
        assert_eq!(found("primerid,Pr(>Chisq),coef,ci.hi,ci.lo,fdr").as_deref(), Some("Pr(>Chisq)+coef"));
        assert_eq!(found("names,scores,logfoldchanges,pvals,pvals_adj").as_deref(), Some("pvals+scores"));
        assert_eq!(recognised("gene,z"), None);
    }
}
