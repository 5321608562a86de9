"""The doubling dimension of a few points: every ball, every cover."""
