//! The tests of the report, linked once.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod browser;
mod chromium;
mod common;
mod pages;
