"""Hostile arguments for every public callable."""
