"""The doubling dimension of a few points, by enumeration of balls and covers."""
