"""Deep maxout networks: what depth does to rows, weight variances, spectra.

One file a statement: what is claimed, its proof, the checks. Quantities that checks compare are in
the files that begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = (
    "alike",
    "critical-variance",
    "positive-definite",
    "spectrum",
)
