# Calls of the compiled core: how it runs, and what becomes of its errors and of interrupts.

#' @useDynLib tamis, .registration = TRUE
NULL

# Threads, seed and progress as the core takes them.
how <- function(seed, threads, progress) {
  list(threads = thread_count(threads), seed = whole(seed, "seed", 0), progress = isTRUE(progress))
}

thread_count <- function(threads) {
  if (is.null(threads)) threads <- getOption("tamis.threads", 2)
  whole(threads, "threads", 0)
}

# A whole number of at least `least`, as a double.
whole <- function(x, name, least) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x != round(x) || x < least || x > 2^53)
    refuse("`%s` must be a whole number of at least %d", name, least)
  as.double(x)
}

# The answer of the core, or its error, or the interrupt that ended it.
asked <- function(answer) {
  if (isTRUE(answer$interrupted)) {
    interrupt <- structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL))
    signalCondition(interrupt)
    invokeRestart("abort")
  }
  if (!is.null(answer$error)) refuse("%s", answer$error)
  answer
}

# An error without the call of an internal function.
refuse <- function(text, ...) {
  stop(structure(class = c("tamis_error", "error", "condition"), list(message = sprintf(text, ...), call = NULL)))
}

needs <- function(package, purpose) {
  if (!requireNamespace(package, quietly = TRUE))
    refuse("%s needs the package `%s`; install it first", purpose, package)
}

# A number and its noun: "1 feature", "3 features".
counted <- function(number, noun) sprintf("%d %s%s", as.integer(number), noun, if (number == 1) "" else "s")

# Shows the notes of a result as messages.
tell <- function(notes) for (note in notes) message("note: ", note)
