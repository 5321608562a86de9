"""Means of samples of which nothing is declared: deviations in, verdicts with a guarantee out."""
