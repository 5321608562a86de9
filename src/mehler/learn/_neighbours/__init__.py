"""Nearest neighbours: features or codes in, indices and distances of the nearest rows out."""
