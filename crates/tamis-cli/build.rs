//! Tells the program which commit it is built from: `TAMIS_COMMIT` if it is set, what cargo noted in a packaged crate, or
//! git's answer for release builds. Without any of these the program is built all the same. Other builds do not ask git,
//! since every commit would build them again.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TAMIS_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    let given = std::env::var("TAMIS_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    if let Some(commit) = given.or_else(packaged).or_else(git) {
        println!("cargo:rustc-env=TAMIS_BUILD_COMMIT={}", commit.trim().chars().take(10).collect::<String>());
    }
}

/// The commit in the file that `cargo package` adds.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    Some(rest.split('"').nth(1)?.to_string())
}

fn git() -> Option<String> {
    if std::env::var("PROFILE").ok()? != "release" {
        return None;
    }
    let ask = |arguments: &[&str]| -> Option<String> {
        let answer = Command::new("git").args(arguments).output().ok().filter(|answer| answer.status.success())?;
        String::from_utf8(answer.stdout).ok().map(|text| text.trim().to_string())
    };
    // A checkout of something else may surround an unpacked archive: only the project's own counts.
    ask(&["ls-files", "--error-unmatch", "build.rs"])?;
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = ask(&["rev-parse", "--git-path", file]).filter(|path| std::path::Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    ask(&["rev-parse", "HEAD"])
}
