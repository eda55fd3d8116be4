# Called by configure: checks Rust, and writes src/Makevars.
oldest <- "1.88"

stop_with <- function(...) {
  cat("--------------------------- cannot install tamis ---------------------------\n", ..., "\n", sep = "")
  quit(status = 1)
}

# Rust is often installed for a user without being on the path that R has.
home <- Sys.getenv("CARGO_HOME", file.path(Sys.getenv(if (.Platform$OS.type == "windows") "USERPROFILE" else "HOME"), ".cargo"))
Sys.setenv(PATH = paste(Sys.getenv("PATH"), file.path(home, "bin"), sep = .Platform$path.sep))
version <- tryCatch(system2("rustc", "--version", stdout = TRUE, stderr = FALSE), error = function(e) "", warning = function(w) "")
if (!nzchar(Sys.which("cargo")) || length(version) == 0 || !nzchar(version[1]))
  stop_with("tamis is compiled by Rust, and `cargo` or `rustc` is not here. Install Rust ", oldest, " or newer:\n",
    "  https://rustup.rs, or `apt install rustup`, `dnf install cargo`, `brew install rust`")
found <- sub("^rustc ([0-9.]+).*", "\\1", version[1])
if (numeric_version(found) < oldest)
  stop_with("tamis needs Rust ", oldest, " or newer, and this is ", found, ". Update it, for example by `rustup update`.")
cat("using", version[1], "\n")

vendored <- file.exists("src/rust/vendor.tar.xz")
if (!vendored && !dir.exists("../crates/tamis"))
  stop_with("The crates of tamis are neither in src/rust/vendor.tar.xz nor beside this folder.\n",
    "Install from a clone by `R CMD INSTALL r`, or from a source package, which `release/r` makes.")

windows <- .Platform$OS.type == "windows"
words <- c(
  SUBDIR = if (windows) "x86_64-pc-windows-gnu/release" else "release",
  # where the linker can, code that nothing calls and names of symbols are left out: this halves the library
  LIBS = switch(Sys.info()[["sysname"]], Windows = "-lws2_32 -ladvapi32 -luserenv -lbcrypt -lntdll -lole32",
    Linux = "-Wl,--gc-sections,--exclude-libs,ALL,-s", Darwin = "-Wl,-dead_strip", ""),
  # a source package is built without a network, and leaves nothing in the home folder
  ENVIRONMENT = paste0(if (vendored) 'CARGO_HOME="$$(pwd)/cargo-home" ', 'PATH="', Sys.getenv("PATH"), '"'),
  BEFORE = if (vendored) "cd rust && xz -dc vendor.tar.xz | tar -xf -\n\t" else "",
  CARGO_FLAGS = paste(c(if (vendored) "--offline", "--locked", if (windows) "--target=x86_64-pc-windows-gnu"), collapse = " "),
  AFTER = if (vendored) "rm -rf rust/target rust/vendor rust/cargo-home rust/.cargo rust/crates" else "true"
)
text <- readLines("src/Makevars.in")
for (word in names(words)) text <- gsub(paste0("@", word, "@"), words[[word]], text, fixed = TRUE)
writeLines(text, if (windows) "src/Makevars.win" else "src/Makevars")
