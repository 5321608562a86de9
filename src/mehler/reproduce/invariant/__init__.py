"""Experiments of the group-invariant paper, on stand-ins where its data are not to be had."""
