"""The public checks, one per file."""
