"""Random Fourier features (Rahimi, Recht 2007): the kernel, which form varies less, projections.

Two files a statement: its page, and its checks. Shared measuring is in the files that
begin with an underscore.
"""

# Order of the statements in reports; others follow by name.
ORDER = ("kernel", "pairs-variance", "orthogonal", "structured")
