"""Weighted sums of random kitchen sinks (Rahimi, Recht 2008), by the slides of Sejdinovic (2014).

Two files a statement: its page, and the checks of both forms. Instances in which every
distance and risk has a closed form are in the files that begin with an underscore.
"""

# In the order of the slides; the estimation lemma, which they leave out, before the theorem, and
# the kernels of activations at the end.
ORDER = ("greedy", "norms", "lemma-1", "risk-lemma", "estimation-lemma", "theorem", "kernel")
