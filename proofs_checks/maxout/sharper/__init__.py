"""Theorem 2 and Lemma 3 beyond the paper: by the variance of a unit, by the sample."""
