"""Check the rate of convergence of estimates in the number of features."""
