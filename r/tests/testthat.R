library(testthat)
library(tamis)

test_check("tamis")
