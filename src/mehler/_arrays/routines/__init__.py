"""Numerical routines with one implementation per kind of backend."""
