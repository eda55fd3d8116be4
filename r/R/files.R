#' A result as an HTML page
#'
#' Writes the same page as the program's `--report`: the answer, plots to zoom into, and a table of features in which the
#' decision can be moved. It is one file and works without a network.
#'
#' @param object A result of [tamis()], [shrink()] or [evaluate()].
#' @param file The file; an existing one is replaced.
#' @param browse Whether to open it in a browser.
#' @return `file`, invisibly.
#' @examples
#' found <- shrink(c(rnorm(200), 6, -7))
#' report(found, file.path(tempdir(), "report.html"), browse = FALSE)
#' @export
report <- function(object, file = "report.html", browse = interactive()) {
  if (!inherits(object, c("tamis", "tamis_evaluation")))
    refuse("`object` must be a result of tamis(), shrink() or evaluate(), not %s", described(object))
  page <- asked(core_page(object$document, object$values))$page
  write_whole(charToRaw(enc2utf8(page)), file)
  if (browse) utils::browseURL(paste0("file://", normalizePath(file)))
  invisible(file)
}

#' Save a result or a classifier, and read it again
#'
#' The files are those of the program `tamis`: results as by `--json`, models as by `tamis fit`. What the program has
#' written can be read here, and the other way round.
#'
#' @param object A result of [tamis()], [shrink()] or [evaluate()], or a [classifier()].
#' @param file The file; an existing one is replaced.
#' @return `write_result` returns `file`, invisibly; `read_result` the object.
#' @examples
#' file <- tempfile(fileext = ".json")
#' write_result(shrink(c(rnorm(200), 6, -7)), file)
#' read_result(file)
#' @export
write_result <- function(object, file) {
  if (!inherits(object, c("tamis", "tamis_evaluation", "tamis_model")))
    refuse("`object` must be a result or a classifier of tamis, not %s", described(object))
  write_whole(object$document, file)
  invisible(file)
}

#' @rdname write_result
#' @export
read_result <- function(file) {
  if (!file.exists(file)) refuse("there is no file `%s`", file)
  bytes <- readBin(file, "raw", file.size(file))
  answer <- core_read(bytes, "result")
  if (is.null(answer$error)) {
    return(if (is.null(answer$features)) new_evaluation(answer, NULL) else new_tamis(answer, NULL))
  }
  model <- core_read(bytes, "model")
  if (!is.null(model$error)) refuse("`%s` cannot be read: %s", file, answer$error)
  new_model(model, NULL)
}

# Writes a file whole or not at all.
write_whole <- function(bytes, file) {
  unfinished <- tempfile(".tamis-", dirname(file))
  on.exit(unlink(unfinished))
  opened <- tryCatch({
    writeBin(bytes, unfinished)
    file.rename(unfinished, file)
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (!isTRUE(opened)) refuse("`%s` cannot be written; is there a folder `%s`?", file, dirname(file))
}
