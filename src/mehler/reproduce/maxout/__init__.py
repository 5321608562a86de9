"""Experiments of the maxout paper."""
