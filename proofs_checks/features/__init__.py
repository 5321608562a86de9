"""Random features of any map: spectra of Gram matrices, ridge regression, lower bounds, margins.

One file a statement: what is claimed, its proof, the checks. Shared drawing and worlds are in the
files that begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = (
    "gram-error",
    "uniform",
    "ridge",
    "nearest",
    "lower",
    "margin",
    "clipped-ridge",
)
