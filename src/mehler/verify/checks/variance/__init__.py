"""Check the declared variance of a map."""
