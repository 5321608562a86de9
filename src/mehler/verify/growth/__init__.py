"""Doubts of check_convergence: variances that seem to grow, estimates that never move."""
