"""The version, where every package can ask for it."""

__version__ = "0.4.0"
