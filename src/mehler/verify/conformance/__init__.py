"""Requirements on random feature maps, as pytest tests.

A conforming map has the interface of `mehler`'s own: drawn from a seed, callable on rows, with its
exact `kernel` and `variance`, and a `recipe` that identifies it. `checks` lists the requirements;
`parametrize` makes one test of each.
"""

from mehler.verify.conformance._requirement import Requirement
from mehler.verify.conformance._suite import checks, parametrize

__all__ = ["Requirement", "checks", "parametrize"]
