"""Deep maxout networks: what depth does to rows, weight variances, spectra."""

# Order of the statements in reports; others follow by name.
ORDER = ("alike", "critical-variance", "positive-definite", "spectrum")
