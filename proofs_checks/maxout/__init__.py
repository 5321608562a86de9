"""Random maxout features (Mroueh, Rennie, Goel 2015): all numbered statements, and repairs."""

# In the order of the paper, then what it needs and does not have.
ORDER = (
    "theorem-1-kernel",
    "theorem-1-series",
    "special-values",
    "h1-growth",
    "sigma2-growth",
    "locality",
    "equation-5",
    "remark-1-codes",
    "definition-2",
    "at-most-d",
    "q1-linear",
    "density",
    "lemma-2",
    "lemma-3",
    "lemma-4",
    "theorem-2",
    "remark-2",
    "figure-1",
    "decoupled-kernel",
    "centred-kernel",
    "kernel-error",
    "sharper-risk",
)
