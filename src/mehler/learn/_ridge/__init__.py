"""Ridge regression: sums of rows or their inner products in, linear functions of features out."""
