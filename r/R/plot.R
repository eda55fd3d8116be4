# Pictures of a selection: with base graphics, and with ggplot2 where it is installed.

dark <- "#1b6ca8"
pale <- "#bbbbbb"

#' Draw a result
#'
#' @param x,object A result of [tamis()] or [shrink()].
#' @param kind `"fit"`: the scores with the fitted model; `"volcano"`: differences against p-values; `"scores"`: scores by
#'   rank; `"stability"`: how often bootstraps chose each feature (`npfs`). `"auto"` takes the first of stability, fit and
#'   scores that the method has.
#' @param ... Passed on to the plot.
#' @return `plot` returns `x`, invisibly; `autoplot`, which needs ggplot2, a plot.
#' @examples
#' found <- shrink(c(rnorm(500), rnorm(20, 5)))
#' plot(found)
#' plot(found, "scores")
#' @export
plot.tamis <- function(x, kind = c("auto", "fit", "volcano", "scores", "stability"), ...) {
  switch(plot_kind(x, match.arg(kind)),
    fit = plot_fit(x, ...), volcano = plot_volcano(x, ...), scores = plot_scores(x, ...), stability = plot_stability(x, ...))
  invisible(x)
}

# The picture that there is; one that the method does not have is refused.
plot_kind <- function(x, kind) {
  frame <- x$features
  has <- c(stability = !is.null(x$detail$npfs), fit = !is.null(x$detail$fit$curve$z), scores = TRUE,
    volcano = all(c("difference", "p_value") %in% names(frame)))
  if (kind == "auto") return(names(which(has))[1])
  if (!has[[kind]])
    refuse("this result has no picture of kind \"%s\"; it has %s", kind, paste0("\"", names(which(has)), "\"", collapse = ", "))
  kind
}

# The curves of the fitted model.
fitted_curves <- function(x) {
  curve <- x$detail$fit$curve
  noise <- as.numeric(curve$irrelevant_density)
  data.frame(z = as.numeric(curve$z), noise = noise, all = noise + as.numeric(curve$relevant_density))
}

# What a difference is: of which class from which, or of what kind.
difference_label <- function(x) {
  classes <- names(x$input$classes)
  if (!is.null(x$input$events)) return("log hazard ratio")
  if (length(classes) != 2 || is.null(x$input$positive)) return("difference")
  sprintf("difference (%s minus %s)", x$input$positive, setdiff(classes, x$input$positive))
}

volcano_points <- function(x) {
  frame <- x$features[!is.na(x$features$difference), ]
  data.frame(difference = frame$difference, minus_log10_p = -log10(pmax(frame$p_value, 1e-300)), selected = frame$selected)
}

stability_points <- function(x) {
  frequency <- as.numeric(x$detail$npfs$frequency)
  order <- order(-frequency)
  data.frame(place = seq_along(order), frequency = frequency[order], selected = x$features$selected[order])
}

plot_fit <- function(x, ...) {
  curves <- fitted_curves(x)
  graphics::hist(x$features$score, breaks = 80, freq = FALSE, col = "#dddddd", border = NA, xlab = "score", main = "", ...)
  graphics::lines(curves$z, curves$all, col = dark, lwd = 2)
  graphics::lines(curves$z, curves$noise, col = "#d1495b", lwd = 2)
  graphics::legend("topright", c("fitted", "features without an effect"), col = c(dark, "#d1495b"), lwd = 2, bty = "n")
}

plot_volcano <- function(x, ...) {
  points <- volcano_points(x)
  points <- points[order(points$selected), ]
  graphics::plot(points$difference, points$minus_log10_p, pch = 20, col = ifelse(points$selected, dark, pale),
    xlab = difference_label(x), ylab = expression(-log[10](p)), ...)
}

plot_scores <- function(x, ...) {
  frame <- x$features
  graphics::plot(frame$rank, frame$score, pch = 20, col = ifelse(frame$selected, dark, pale), xlab = "rank", ylab = "score", ...)
  graphics::legend("topright", c("selected", "others"), col = c(dark, pale), pch = 20, bty = "n")
}

plot_stability <- function(x, ...) {
  points <- stability_points(x)
  graphics::plot(points$place, points$frequency, type = "h", col = ifelse(points$selected, dark, pale),
    xlab = "features, the most frequent first", ylab = "share of the bootstraps that chose it", ...)
}

#' @rdname plot.tamis
#' @exportS3Method ggplot2::autoplot
autoplot.tamis <- function(object, kind = c("auto", "fit", "volcano", "scores", "stability"), ...) {
  kind <- plot_kind(object, match.arg(kind))
  colours <- ggplot2::scale_colour_manual(values = c(`TRUE` = dark, `FALSE` = pale), name = "selected")
  var <- function(name) as.name(name)
  aes <- function(...) do.call(ggplot2::aes, lapply(list(...), var))
  switch(kind,
    fit = {
      curves <- fitted_curves(object)
      scores <- data.frame(score = object$features$score[!is.na(object$features$score)])
      density <- quote(ggplot2::after_stat(density))
      ggplot2::ggplot(scores, aes(x = "score")) +
        ggplot2::geom_histogram(do.call(ggplot2::aes, list(y = density)), bins = 80, fill = "#dddddd") +
        ggplot2::geom_line(data = curves, mapping = aes(x = "z", y = "all"), colour = dark) +
        ggplot2::geom_line(data = curves, mapping = aes(x = "z", y = "noise"), colour = "#d1495b") +
        ggplot2::labs(y = "density")
    },
    volcano = ggplot2::ggplot(volcano_points(object), aes(x = "difference", y = "minus_log10_p", colour = "selected")) +
      ggplot2::geom_point(...) + colours + ggplot2::labs(x = difference_label(object), y = "-log10(p)"),
    scores = ggplot2::ggplot(object$features[!is.na(object$features$score), ], aes(x = "rank", y = "score", colour = "selected")) +
      ggplot2::geom_point(...) + colours,
    stability = ggplot2::ggplot(stability_points(object), aes(x = "place", y = "frequency", colour = "selected")) +
      ggplot2::geom_point(...) + colours +
      ggplot2::labs(x = "features, the most frequent first", y = "share of the bootstraps that chose it")
  )
}

#' @export
plot.tamis_evaluation <- function(x, ...) {
  frame <- as.data.frame(x)
  frame <- frame[is.na(frame$failed), ]
  frame <- frame[order(-frame$error), ]
  at <- seq_len(nrow(frame))
  ends <- frame$error + outer(frame$error_se, c(-1, 1))
  old <- graphics::par(mar = c(5, 10, 1, 1))
  on.exit(graphics::par(old))
  graphics::plot(frame$error, at, xlim = range(0, ends), yaxt = "n", ylab = "", xlab = "error (with one standard error)", pch = 19, col = dark, ...)
  graphics::segments(ends[, 1], at, ends[, 2], at, col = dark)
  graphics::axis(2, at, frame$method, las = 1)
  invisible(x)
}
