"""Functions of 8ee10d0 under their names and arguments of then, as calls of those of today."""
