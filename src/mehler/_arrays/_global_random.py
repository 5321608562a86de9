"""The random states that a process shares: Python's, NumPy's and, where imported, PyTorch's.

Read, compared and set, so that one can see whether somebody else's code uses or changes them.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GlobalState:
    """One generator's state; equal when the numbers that follow are equal."""

    key: Any
    raw: Any = field(compare=False, repr=False)


def global_states() -> dict[str, GlobalState]:
    """Return the state of every global generator that is there, by the name of its library."""
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
    """Put generators back into states that were read before."""
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
    """PyTorch if somebody imported it: nobody else can have used its generator."""
    module = sys.modules.get("torch")
    return module if hasattr(module, "get_rng_state") and hasattr(module, "cuda") else None


def _frozen(value: Any) -> Any:
    """Nested dicts and arrays as something that compares."""
    if isinstance(value, dict):
        return tuple((key, _frozen(value[key])) for key in sorted(value))
    return value.tobytes() if isinstance(value, np.ndarray) else value
