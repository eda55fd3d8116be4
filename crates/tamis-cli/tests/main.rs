//! The tests of the program `tamis`, linked once. Apart from them are those of the book, the fuzzers' cases and the browser
//! page, which read files that are not in the package of the crate.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod attack;
mod bad_input;
mod classifiers;
mod common;
mod comparisons;
mod counts;
mod decisions;
mod designs;
mod doors;
mod doors_that_train;
mod every_option;
mod feature_groups;
mod files_of_others;
mod first_contact;
mod formulas;
mod hostile_input;
mod hostile_spreadsheets;
mod hostile_words;
mod layouts;
mod machine_readable;
mod missing_donors;
mod needed;
mod old_files;
mod output_files;
mod program;
mod relations;
mod shards;
mod survival;
mod transcripts;
