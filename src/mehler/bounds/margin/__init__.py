"""Risk of a linear classifier by its margins, for features of any size.

The rate is 1/N up to a logarithm where the rows keep a margin. Proofs are in
:doc:`/theorems/features-margin`.
"""

from mehler.bounds.margin._risk import risk
from mehler.bounds.margin._separated import samples, separated

__all__ = ["risk", "samples", "separated"]
