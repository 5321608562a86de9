"""One map of anybody's: a target and a kernel in, checks, their outcome and a picture out."""
