"""Lower bounds: what no promise, no map or no learner can go below.

Beside the upper bounds of the same names in the other modules they say how sharp these are. Proofs
are in :doc:`/theorems/features-lower` and :doc:`/theorems/group-invariant-energy-quotient`.
"""

from mehler.bounds.lower._collision import collision
from mehler.bounds.lower._gram import gram_direction, gram_error
from mehler.bounds.lower._lower_bound import LowerBound
from mehler.bounds.lower._orbits import energy_distance
from mehler.bounds.lower._pair import all_pairs, one_pair, uniform
from mehler.bounds.lower._rare import gram_grid, gram_rare
from mehler.bounds.lower._rates import lemma_3
from mehler.bounds.lower._ridge import excess_risk
from mehler.bounds.lower._risk import risk

__all__ = [
    "LowerBound",
    "all_pairs",
    "collision",
    "energy_distance",
    "excess_risk",
    "gram_direction",
    "gram_error",
    "gram_grid",
    "gram_rare",
    "lemma_3",
    "one_pair",
    "risk",
    "uniform",
]
