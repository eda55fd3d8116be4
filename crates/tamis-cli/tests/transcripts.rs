//! Transcripts of the program, as people see it (rewrite them with TRYCMD=overwrite). Those of the book are in book.rs.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[test]
fn transcripts_are_what_the_program_prints() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
