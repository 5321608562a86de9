"""Variances: groups of independent draws in, one verdict on the declared variance out."""
