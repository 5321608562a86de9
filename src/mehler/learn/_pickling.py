"""Pickle fits with their arrays where they are, like maps."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mehler import _arrays


def reduce_in_place(fit: Any, *arrays: str) -> tuple[Any, tuple[Any, ...]]:
    """What ``__reduce__`` of a dataclass gives back, its `arrays` as NumPy's with their place."""
    state = {each.name: getattr(fit, each.name) for each in fields(fit)}
    address = _arrays.address_of(_arrays.place_of(state[arrays[0]]))
    host = {name: _arrays.to_host(state[name]) for name in arrays}
    return _again, (type(fit), state | host, arrays, address)


def _again(
    kind: Any,
    state: dict[str, Any],
    arrays: tuple[str, ...] = (),
    address: _arrays.Address | None = None,
) -> Any:
    # Without an address: a pickle of version 0.2 or before, on the host.
    if address is not None:
        place = address.find()
        state = state | {name: _arrays.from_host(state[name], place) for name in arrays}
    return kind(**state)
