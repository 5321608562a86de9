"""The user's rows: a file or an array in, a whole, real and finite matrix out."""
