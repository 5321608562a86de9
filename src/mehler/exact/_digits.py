"""Call the exact functions in mpmath, which is imported on first use."""

from __future__ import annotations

import importlib
from typing import Any


def in_digits(name: str, *arguments: Any) -> Any:
    """Call the function of :mod:`mehler.exact._multiprecision` of that name."""
    return getattr(importlib.import_module("mehler.exact._multiprecision"), name)(*arguments)
