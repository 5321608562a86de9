"""Group-invariant features: empirical distribution functions of projections over orbits."""
