"""Logistic regression: blocks of features and classes in, probabilities of classes out."""
