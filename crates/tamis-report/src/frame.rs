//! The page around its sections: head, policy, style, data, script.

use crate::escape::html;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The page's script: the plotting library and what draws with it.
const SCRIPT: &str = concat!(
    include_str!("../assets/uplot/uPlot.iife.min.js"),
    "\n(() => {\n\"use strict\";\n",
    include_str!("../assets/base.js"),
    include_str!("../assets/plot.js"),
    include_str!("../assets/decision.js"),
    include_str!("../assets/table.js"),
    include_str!("../assets/scatter.js"),
    include_str!("../assets/features.js"),
    include_str!("../assets/volcano.js"),
    include_str!("../assets/values.js"),
    include_str!("../assets/box_plot.js"),
    include_str!("../assets/relations.js"),
    include_str!("../assets/survival.js"),
    include_str!("../assets/fit.js"),
    include_str!("../assets/npfs.js"),
    include_str!("../assets/pairs.js"),
    include_str!("../assets/machines.js"),
    include_str!("../assets/needed.js"),
    include_str!("../assets/evaluate.js"),
    include_str!("../assets/start.js"),
    "})();\n"
);

/// The page's style.
const STYLE: &str = concat!(include_str!("../assets/uplot/uPlot.min.css"), "\n", include_str!("../assets/page.css"));

/// The licence of the plotting library.
const LICENCE: &str = include_str!("../assets/uplot/LICENSE");

/// A page of these sections (HTML already) over this data (JSON already).
pub(crate) fn page(title: &str, version: &str, body: &str, data: &str) -> String {
    let (script, style) = (hash(SCRIPT), hash(STYLE));
    let (title, version, licence) = (html(title), html(version), html(LICENCE));
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="tamis {version}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
<footer>
<p>Made by tamis {version}. This page is one file: it loads nothing and sends nothing.</p>
<details><summary>Plots are drawn by uPlot</summary><pre>{licence}</pre></details>
</footer>
<div id="hover" class="hover" role="status" hidden></div>
<script type="application/json" id="data">{data}</script>
<script>{SCRIPT}</script>
</body>
</html>
"#
    )
}

/// The hash by which the policy names a script or style.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_script_nor_style_ends_its_element() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style"));
    }

    #[test]
    fn nothing_is_fetched() {
        let page = page("t", "0", "", "{}");
        let own = page.replace(LICENCE, "");
        for word in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML =", "eval("] {
            let from = if word == "src=" { own.find("<body>").unwrap_or(0) } else { 0 };
            assert!(!own[from..].contains(word), "{word}");
        }
        assert!(page.len() < 200_000, "{}", page.len());
    }
}
