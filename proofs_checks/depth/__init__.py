"""Deep maxout networks: what depth does to rows, weight variances, spectra.

Two files a statement: its page, and its checks. Quantities that checks compare are in
the files that begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = ("alike", "critical-variance", "positive-definite", "spectrum")
