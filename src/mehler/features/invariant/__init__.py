"""Group-invariant maps: rows and a group in, distribution functions of projections out."""
