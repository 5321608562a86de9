"""Seeds: maps of equal and of different seeds in, one verdict on their features out."""
