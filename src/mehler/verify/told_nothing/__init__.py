"""Means of samples of which nothing is known: streams of deviations in, verdicts out."""
