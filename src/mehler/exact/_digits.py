"""Call the exact functions in mpmath, which is imported on first use."""

from __future__ import annotations

import importlib
from typing import Any


def in_digits(name: str, *arguments: Any) -> Any:
    """Call the function of :mod:`mehler.exact.certified._decimals` of that name."""
    return getattr(importlib.import_module("mehler.exact.certified._decimals"), name)(*arguments)
