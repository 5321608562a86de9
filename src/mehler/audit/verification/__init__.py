"""Verify one map against one kernel: checks, outcome and plot."""
