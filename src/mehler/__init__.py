"""mehler says whether a random feature map does what its theory says."""

__version__ = "0.1.0"
