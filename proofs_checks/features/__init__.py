"""Random features of any map: spectra of Gram matrices, ridge regression, lower bounds, margins.

Two files a statement: its page, and its checks. Shared drawing is in the
files that begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = ("gram-error", "uniform", "ridge", "nearest", "lower", "margin", "clipped-ridge")
