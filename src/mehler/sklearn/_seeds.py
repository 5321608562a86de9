"""Convert scikit-learn's ``random_state`` to the integer seed of a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

# One past the largest seed drawn, which both kinds of generators return as int64.
_SEEDS = 2**63 - 1


def seed_of(random_state: Any) -> int:
    """Return an integer as it is, or draw one from a generator; None is NumPy's global one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEEDS))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state} must not be negative")
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(_SEEDS, dtype=np.int64))
    raise ValueError(
        f"random_state={random_state!r} must be a non-negative integer, a "
        "numpy.random.RandomState, a numpy.random.Generator, or None"
    )
