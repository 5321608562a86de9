"""Experiments of the maxout paper: Mroueh, Rennie, Goel (2015)."""
