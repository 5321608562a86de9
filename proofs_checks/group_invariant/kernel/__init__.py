"""What group-invariant features converge to, and what that says of orbits."""
