"""Our maps on the user's rows: a matrix in, errors against the exact kernel out."""
