//! Starts the program.

fn main() -> std::process::ExitCode {
    tamis_cli::run(std::env::args_os()).into()
}
