"""Kitchen sinks: rows, an activation and a law of weights in, features out."""
