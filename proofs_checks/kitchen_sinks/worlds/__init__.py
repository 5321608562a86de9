"""Small worlds in which distances and risks of kitchen sinks have closed forms."""
