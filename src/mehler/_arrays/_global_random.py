"""Read the global random states of Python, NumPy and, if imported, PyTorch; none is ever set.

Used to detect whether third-party code changes them.
"""

from __future__ import annotations

import pickle
import random
import sys
from typing import Any

import numpy as np


def global_states() -> dict[str, bytes]:
    """Return the state of every global generator present, keyed by library."""
    # As those who use it do.
    legacy = np.random.get_state()  # noqa: NPY002
    states: dict[str, Any] = {"random": random.getstate(), "numpy.random": legacy}
    # Nobody can have used the generators of a library that is not imported.
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state()
        if torch.cuda.is_initialized():
            states["torch.cuda"] = torch.cuda.get_rng_state_all()
    return {name: _key(state) for name, state in states.items()}


def _key(state: Any) -> bytes:
    """Return bytes that are equal for equal states; those of PyTorch are tensors."""
    parts = state if isinstance(state, list | tuple) else [state]
    return pickle.dumps([np.asarray(part) for part in parts])
