"""The estimator of the risk theorems: rows and labels in, weights in a box and proved risks out."""
