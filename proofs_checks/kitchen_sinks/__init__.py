"""Weighted sums of random kitchen sinks (Rahimi, Recht 2008), by the slides of Sejdinovic (2014).

One file a statement: what is printed, what is proved, the checks of both. Worlds in which every
distance and risk has a closed form are in the files that begin with an underscore.
"""

from mehler.statements import Statement

from . import estimation_lemma, greedy, kernel, lemma_1, norms, risk_lemma, theorem

# In the order of the slides; the estimation lemma, which they leave out, before the theorem, and
# the kernels of activations at the end.
STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT
    for module in (greedy, norms, lemma_1, risk_lemma, estimation_lemma, theorem, kernel)
)

__all__ = ["STATEMENTS"]
