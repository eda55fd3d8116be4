//! Transcripts of the program, as people see it (rewrite them with TRYCMD=overwrite). Those of the book are in book.rs.

#[test]
fn transcripts_are_what_the_program_prints() {
    trycmd::TestCases::new().env("COLUMNS", "80").case("tests/cmd/*.trycmd");
}
