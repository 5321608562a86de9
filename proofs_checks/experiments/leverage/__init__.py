"""Experiments of the leverage-score paper, and the rivals that it names."""
