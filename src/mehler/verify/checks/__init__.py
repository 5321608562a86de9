"""The public checks, one a file: a map, a claim and error rates come in, a `Verdict` goes out."""
