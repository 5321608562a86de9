"""Mean and variance of finite networks' Grams, to first order in 1/width."""

from mehler.features.deep.finite_width._series import FiniteWidth, of_rows

__all__ = ["FiniteWidth", "of_rows"]
