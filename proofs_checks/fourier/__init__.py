"""Random Fourier features (Rahimi, Recht 2007): the kernel, which form varies less, projections.

One file a statement: what is claimed, its proof, the checks. Shared measuring is in the files that
begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = (
    "kernel",
    "pairs-variance",
    "orthogonal",
    "structured",
)
