"""Linear functions times a localiser: Kronecker products of rows and features."""
