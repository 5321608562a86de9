"""The version of mehler."""

__version__ = "0.4.0"
