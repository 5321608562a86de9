"""The experiments of the papers, and what they alone need."""
