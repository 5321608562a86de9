"""Measure the library's maps on the user's rows against their exact kernels."""
