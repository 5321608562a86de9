"""Requirements that any random feature map can be held to, as pytest tests.

A map is what `mehler`'s own are: drawn from a seed, callable on rows, with its exact `kernel` and
`variance`, and a `recipe` that names it. `checks` lists the requirements, `parametrize` makes one
test of each.
"""

from mehler.verify.conformance._requirement import Requirement
from mehler.verify.conformance._suite import checks, parametrize

__all__ = ["Requirement", "checks", "parametrize"]
