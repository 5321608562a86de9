"""Experiments of the leverage-score paper."""
