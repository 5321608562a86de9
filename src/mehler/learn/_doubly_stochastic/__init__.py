"""Stochastic gradients over rows and units: a map that draws units in, a streamed model out."""
