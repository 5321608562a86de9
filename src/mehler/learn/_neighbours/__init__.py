"""Nearest neighbours by features or by codes."""
