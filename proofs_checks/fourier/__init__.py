"""Random Fourier features (Rahimi, Recht 2007): the kernel, which form varies less, projections."""

# Order of the statements in reports; others follow by name.
ORDER = ("kernel", "pairs-variance", "orthogonal", "structured", "softmax-variance")
