"""Machines on exact kernels, and measures of approximations of a kernel."""
