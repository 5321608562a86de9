"""Risk bounds of random maxout features: Theorem 2, its lemmas and its remarks.

Each function evaluates the paper's formula with the constants of the caller
(``form="printed"``) or a proved bound with explicit constants (``form="proved"``). There
are two shapes: ``shape="paper"`` keeps the paper's route over a covering of the inputs and
depends on their doubling dimension; ``shape="dimension-free"`` does not, and is smaller.
:func:`collision` bounds how often codes agree (Remark 1).
"""

from mehler.bounds.maxout._approximation import lemma_3, lemma_4
from mehler.bounds.maxout._collision import collision
from mehler.bounds.maxout._features import theorem_2_condition, theorem_2_features
from mehler.bounds.maxout._risk import remark_2, theorem_2
from mehler.bounds.maxout._supremum import lemma_2

__all__ = [
    "collision",
    "lemma_2",
    "lemma_3",
    "lemma_4",
    "remark_2",
    "theorem_2",
    "theorem_2_condition",
    "theorem_2_features",
]
