"""What is computed, each by what a library does best."""
