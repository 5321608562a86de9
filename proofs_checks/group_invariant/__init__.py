"""Group-invariant features (Mroueh, Voinea, Poggio 2015).

Two files a statement: its page, and the checks of both forms. Instances, rows and draws
that statements share are in the files that begin with an underscore.
"""

# In the order of the paper.
ORDER = (
    "haar-kernel",
    "expectation",
    "invariance",
    "theorem-1",
    "theorem-1-limit",
    "theorem-1-positive",
    "lemma-2",
    "lemma-3",
    "orbit-distance",
    "energy-quotient",
    "remark-3",
    "remark-4",
    "theorem-2",
    "elements",
    "rotations",
    "corollary-1",
    "theorem-4",
    "sample-complexity",
    "ridge-gain",
    "lemma-1",
    "lemma-4",
    "lemma-5",
    "lemma-6",
    "theorem-3",
    "lemma-7",
    "theorem-5",
    "permutations",
)
