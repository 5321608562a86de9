"""Sums of random kitchen sinks (Rahimi, Recht 2008), by the slides of Sejdinovic (2014)."""

# In the order of the slides; the estimation lemma, which they leave out, before the theorem, and
# the kernels of activations at the end.
ORDER = ("greedy", "norms", "lemma-1", "risk-lemma", "estimation-lemma", "theorem", "kernel")
