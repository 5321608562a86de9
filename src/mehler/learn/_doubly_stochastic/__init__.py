"""Stochastic gradients over rows and units, for maps that draw units on the fly."""
