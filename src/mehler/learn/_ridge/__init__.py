"""Ridge regression from sums over rows, or from their inner products."""
