"""Confidence intervals of all pairs at once: a measurement in, one interval a pair out."""
