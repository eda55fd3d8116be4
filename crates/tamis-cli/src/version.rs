//! The version with the build's commit and features.

/// The version as `--version` prints it after the program's name: `0.2.0 (0123456789; parquet, spreadsheet)`.
pub fn version() -> &'static str {
    static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| {
        let commit = option_env!("TAMIS_BUILD_COMMIT").unwrap_or("unknown commit");
        let features = features().join(", ");
        let features = if features.is_empty() { "no features".into() } else { features };
        format!("{} ({commit}; {features})", env!("CARGO_PKG_VERSION"))
    })
}

/// The optional parts that are built in.
fn features() -> Vec<&'static str> {
    let all = [("parquet", cfg!(feature = "parquet")), ("spreadsheet", cfg!(feature = "spreadsheet"))];
    all.into_iter().filter(|(_, built_in)| *built_in).map(|(name, _)| name).collect()
}
