"""Check that seeds determine the features and are independent of each other."""
