# The target `y` as the core takes it: classes, numbers, or survival times.

target <- function(y, event, rows, columns, name) {
  if (inherits(y, "Surv")) {
    if (!is.null(event)) refuse("`event` is part of `y`, which is a `Surv` object; leave it out")
    if (!identical(attr(y, "type"), "right"))
      refuse("`y` is a `Surv` object of type \"%s\"; only right-censored times can be used", attr(y, "type"))
    y <- unclass(y)
    one_per_sample(y[, "time"], name, rows, columns)
    return(list(times = as.double(y[, "time"]), events = as.double(y[, "status"])))
  }
  if (is.data.frame(y) || is.matrix(y)) {
    if (ncol(y) != 1)
      refuse("`%s` has %d columns; give one value per sample, survival times as `survival::Surv(time, status)`, or a formula such as ~ group + batch with `data`", name, ncol(y))
    y <- if (is.data.frame(y)) y[[1]] else y[, 1]
  }
  one_per_sample(y, name, rows, columns)
  if (!is.null(event)) return(survival_target(y, event, rows))
  if (is.factor(y)) return(list(labels = as.character(y), first = if (nlevels(droplevels(y)) == 2) levels(droplevels(y))[1]))
  if (is.character(y) || is.logical(y)) return(list(labels = as.character(y)))
  if (is.numeric(y)) return(list(numbers = as.double(y)))
  if (inherits(y, c("Date", "POSIXt"))) refuse("`%s` holds dates; give numbers, such as days since the first: as.numeric()", name)
  refuse("`%s` must be a factor, text, truth values, numbers or a `Surv` object, not %s", name, described(y))
}

survival_target <- function(y, event, rows) {
  if (!is.numeric(y)) refuse("with `event`, `y` must hold times, not %s", described(y))
  event <- only_column(event, "event")
  one_per_sample(event, "event", rows)
  if (!is.logical(event) && !all(event %in% c(0, 1, NA))) {
    held <- unique(as.character(event[!is.na(event)]))
    refuse("`event` must be TRUE or 1 where the event happened, and FALSE or 0 where the time is censored; it holds %s: compare it with the value that means the event, such as event = status == \"%s\"",
      first_names(stats::setNames(as.list(held), held)), held[length(held)])
  }
  list(times = as.double(y), events = as.double(event))
}

one_per_sample <- function(values, name, rows, columns = NULL) {
  found <- length(values)
  if (found == rows) return(invisible())
  if (!is.null(columns) && found == columns)
    refuse("`%s` has %s, and `x` has %s and %s: samples are rows; give `t(x)`", name, counted(found, "value"),
      counted(rows, "row"), counted(columns, "column"))
  refuse("`%s` must have one value per sample: it has %d, and `x` has %s", name, found, counted(rows, "row"))
}

# The target and the classes that are compared, for the core.
compared <- function(found, reference, contrast) {
  if (!is.null(contrast) && (length(contrast) != 2 || anyNA(contrast)))
    refuse("`contrast` must be two classes, the reference first")
  if (is.null(reference) && is.null(contrast)) reference <- found$first
  list(
    reference = if (!is.null(reference)) as.character(reference),
    contrast = if (!is.null(contrast)) as.character(contrast)
  )
}
