"""Worlds in which the bounds for any map are nearly tight."""
