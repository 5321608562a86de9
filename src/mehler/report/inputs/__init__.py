"""Read the user's rows, from a file or an array, as a finite real matrix."""
