"""Simultaneous confidence intervals for all pairs."""
