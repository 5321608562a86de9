"""Evaluate the papers' formulas as published, under their numbers, for the statements.

Constants that a paper leaves open are arguments without a default. A published form is never
clipped at what is trivial, since checks compare the formula itself with draws. What holds is in the
other packages of `mehler.bounds`, under the name of its quantity.
"""

from mehler.bounds.printed import group_invariant, kitchen_sinks, leverage, maxout

__all__ = ["group_invariant", "kitchen_sinks", "leverage", "maxout"]
