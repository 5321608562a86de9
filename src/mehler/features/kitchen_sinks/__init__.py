"""Random kitchen sinks: any activation of random projections."""
