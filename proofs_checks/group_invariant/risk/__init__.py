"""What learning on group-invariant features costs."""
