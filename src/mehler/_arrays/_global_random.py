"""Read, set and seed the global random states of Python, NumPy and, if imported, PyTorch.

Used to detect whether third-party code reads or changes them.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GlobalState:
    """The state of one global generator; equal states produce equal numbers."""

    key: bytes = field(repr=False)
    raw: Any = field(compare=False, repr=False)


def _generators() -> dict[str, tuple[Callable[..., Any], ...]]:
    """Return the functions that read, set and seed each global generator, by library."""
    legacy = np.random
    generators: dict[str, tuple[Callable[..., Any], ...]] = {
        "random": (random.getstate, random.setstate, random.seed),
        "numpy.random": (legacy.get_state, legacy.set_state, legacy.seed),
    }
    # Nobody can have used the generators of a library that is not imported.
    torch = sys.modules.get("torch")
    if torch is not None:
        generators["torch"] = torch.get_rng_state, torch.set_rng_state, torch.manual_seed
        if torch.cuda.is_initialized():
            cuda = torch.cuda
            generators["torch.cuda"] = (
                cuda.get_rng_state_all,
                cuda.set_rng_state_all,
                cuda.manual_seed_all,
            )
    return generators


def global_states() -> dict[str, GlobalState]:
    """Return the state of every global generator present, keyed by library."""
    raw = {name: read() for name, (read, _, _) in _generators().items()}
    return {name: GlobalState(_key(state), state) for name, state in raw.items()}


def _key(state: Any) -> bytes:
    """Return bytes that are equal for equal states; those of PyTorch are tensors."""
    parts = state if isinstance(state, list | tuple) else [state]
    return pickle.dumps([np.asarray(part) for part in parts])


def set_global_states(states: dict[str, GlobalState]) -> None:
    """Restore states returned by `global_states`."""
    generators = _generators()
    for name, state in states.items():
        generators[name][1](state.raw)


def disturb_global_state(name: str, by: int) -> None:
    """Seed one global generator with `by`."""
    _generators()[name][2](by)
