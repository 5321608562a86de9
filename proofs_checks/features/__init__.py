"""Random features of any map: spectra of Gram matrices, ridge regression, lower bounds, margins."""

# Order of the statements in reports; others follow by name.
ORDER = ("gram-error", "uniform", "ridge", "nearest", "lower", "margin", "clipped-ridge")
