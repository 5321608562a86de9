"""Sampling random features by leverage scores (Shahrampour, Kolouri 2019; Bach 2017)."""

# In the order of the paper.
ORDER = (
    "definition-1",
    "score-identity",
    "algorithm-1",
    "limits",
    "theorem-1",
    "corollary-5",
    "example-1",
    "theorem-2",
    "lemma-4",
    "bach",
    "lemma-7",
)
