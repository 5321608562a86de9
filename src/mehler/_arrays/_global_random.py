"""Read, compare and set the global random states of Python, NumPy and, if imported, PyTorch.

Used to detect whether third-party code reads or changes them.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GlobalState:
    """The state of one global generator; equal states produce equal numbers."""

    key: Any
    raw: Any = field(compare=False, repr=False)


def global_states() -> dict[str, GlobalState]:
    """Return the state of every global generator present, keyed by library."""
    python = random.getstate()
    legacy = np.random.get_state(legacy=False)  # noqa: NPY002  # it is the one to look at
    states = {
        "random": GlobalState(python, python),
        "numpy.random": GlobalState(_frozen(legacy), legacy),
    }
    torch = _torch()
    if torch is not None:
        raw = [torch.get_rng_state()]
        if torch.cuda.is_initialized():
            raw += torch.cuda.get_rng_state_all()
        states["torch"] = GlobalState(tuple(one.numpy().tobytes() for one in raw), raw)
    return states


def set_global_states(states: dict[str, GlobalState]) -> None:
    """Restore states returned by `global_states`."""
    for name, state in states.items():
        if name == "random":
            random.setstate(state.raw)
        elif name == "numpy.random":
            np.random.set_state(state.raw)  # noqa: NPY002
        else:
            torch = _torch()
            torch.set_rng_state(state.raw[0])
            if len(state.raw) > 1:
                torch.cuda.set_rng_state_all(state.raw[1:])


def disturb_global_state(name: str, by: int) -> None:
    """Seed one global generator with `by`."""
    if name == "random":
        random.seed(by)
    elif name == "numpy.random":
        np.random.seed(by)  # noqa: NPY002
    else:
        _torch().manual_seed(by)


def _torch() -> Any:
    """Return PyTorch if it is already imported: otherwise nobody can have used its generator."""
    module = sys.modules.get("torch")
    return module if hasattr(module, "get_rng_state") and hasattr(module, "cuda") else None


def _frozen(value: Any) -> Any:
    """Convert nested dicts and arrays into something comparable."""
    if isinstance(value, dict):
        return tuple((key, _frozen(value[key])) for key in sorted(value))
    return value.tobytes() if isinstance(value, np.ndarray) else value
