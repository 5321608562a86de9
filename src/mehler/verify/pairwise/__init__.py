"""Simultaneous confidence intervals for all pairs."""

from mehler.verify.pairwise._measurement import Clock as Clock
