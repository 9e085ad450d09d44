# A persistent R: what a block defines in the global environment stays.
local({
  marks <- file.path(Sys.getenv("REPLOOP_DIRECTORY"), "marks")
  Sys.unsetenv("REPLOOP_DIRECTORY")
  orders <- file("stdin", "r")
  options(device = function(...) grDevices::pdf(NULL), warn = 1)
  quit_block <- function(save = "no", status = 0, runLast = FALSE) {
    stop(structure(class = c("reploop_exit", "error", "condition"),
                   list(message = "quit", call = NULL, status = status)))
  }
  assign("q", quit_block, envir = globalenv())
  assign("quit", quit_block, envir = globalenv())

  evaluate <- function(file) {
    for (expression in parse(file, encoding = "UTF-8", keep.source = FALSE)) {
      result <- withVisible(eval(expression, globalenv()))
      if (result$visible) print(result$value)
    }
    0L
  }
  run <- function(file) tryCatch(
    evaluate(file),
    reploop_exit = function(e) as.integer(e$status),
    interrupt = function(e) 130L,
    error = function(e) {
      message("Error", if (!is.null(e$call)) paste0(" in ", deparse(e$call)[1]), ": ",
              conditionMessage(e))
      1L
    })
  repeat {
    order <- tryCatch(readLines(orders, n = 1L), interrupt = function(e) NULL)
    if (is.null(order)) next
    if (length(order) == 0L) break
    words <- strsplit(order, "\t", fixed = TRUE)[[1]]
    status <- run(words[1])
    while (sink.number() > 0) sink()
    flush(stdout()); flush(stderr())
    mark <- base::file(marks, "r+", raw = TRUE)  # "w" would wait for a host that is gone
    cat(words[4], " ", status, "\n", sep = "", file = mark)
    close(mark)
  }
})
