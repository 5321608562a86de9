"""What a call of each map does on a device, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from tests.devices.standin import counted
from tests.verify.map_kinds import DRAWS, D

N_FEATURES = 72
# A block of rows for the memory of a device, and the host's waits in a call.
LAUNCHES, WAITS = 10, 1
# The inspection of the rows before the first block: the largest and the least entry, the latter's
# opposite, and the larger of both.
LOOK = 4

# Maps that need more, and why.
_NORMS = "the norm of each row, safe from overflow: 13 launches on one number a row"
_TRANSFORMS = "two fast transforms of rows padded to a power of 2, 13 launches, before the waves"
ABOVE = {
    "centred": (18, _NORMS),
    "maxout-hadamard": (13, _TRANSFORMS),
    "sinks-hadamard": (14, _TRANSFORMS),
    "offset-hadamard": (16, _TRANSFORMS),
    "pairs-hadamard": (17, _TRANSFORMS),
    "matern-hadamard": (18, _TRANSFORMS),
}


@dataclass(frozen=True)
class Call:
    """Counts of one call on `n_rows`, weights being there."""

    kind: str
    n_rows: int
    blocks: int
    launches: int
    waits: int
    bytes_in: int
    bytes_out: int

    @property
    def launches_per_block(self) -> float:
        return (self.launches - LOOK) / self.blocks

    @property
    def allowed(self) -> int:
        return ABOVE.get(self.kind, (LAUNCHES, ""))[0]


def call(cupy: Any, kind: str, n_rows: int) -> Call:
    """Count what a second call of that kind of map does."""
    rows = np.random.default_rng(0).standard_normal((n_rows, D)).astype(np.float32)
    x = cupy.asarray(rows)
    phi = DRAWS[kind](N_FEATURES, seed=0, like=x)
    phi(x[:1, :])
    width = max(phi.n_features, phi._unit.width)
    blocks = -(-n_rows // _arrays.block_rows_for_map(width, 4, x))
    with counted() as found:
        phi(x)
    return Call(kind, n_rows, blocks, **vars(found))
