"""Fourier features: cosines and sines of random frequencies."""
