"""Experiments on the slides about Rahimi and Recht."""
