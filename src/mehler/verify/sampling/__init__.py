"""Independent samples from draws of a map, with the kernel as their mean."""
