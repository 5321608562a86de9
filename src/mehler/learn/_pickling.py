"""Pickle fits from the host, like maps."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mehler import _arrays


def reduce_to_host(fit: Any, *arrays: str) -> tuple[Any, tuple[Any, dict[str, Any]]]:
    """What ``__reduce__`` of a dataclass gives back, its `arrays` as NumPy's."""
    state = {each.name: getattr(fit, each.name) for each in fields(fit)}
    return _again, (type(fit), state | {name: _arrays.to_host(state[name]) for name in arrays})


def _again(kind: Any, state: dict[str, Any]) -> Any:
    return kind(**state)
