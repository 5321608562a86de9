"""Invariance: rows, and where a group moves them, in; one verdict on their features out."""
