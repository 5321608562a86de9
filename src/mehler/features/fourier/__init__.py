"""Fourier maps: rows and a spectrum in, cosines and sines out."""
