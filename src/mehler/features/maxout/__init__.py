"""Maxout maps: rows and pools of projections in, maxima or codes out."""
