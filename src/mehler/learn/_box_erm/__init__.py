"""The estimator of the risk theorems: empirical risk minimisation over a box, with certificates."""
