"""The doubling dimension of sets of inputs."""
