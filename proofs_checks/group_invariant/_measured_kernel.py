"""Maps, rows and measured kernels that the statements share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler.features import groups
from mehler.statements import Context

Draw = Callable[..., Any]
Kernel = Callable[[Any, Any], Any]

# Three blocks of two coordinates, permuted: six elements, not commutative.
BLOCKS = groups.BlockPermutations(6, 3)


def unit_rows(context: Context, n: int, n_inputs: int, label: str = "rows") -> Any:
    """Return rows of norm 1 in random directions."""
    rows = context.rng(label).standard_normal((n, n_inputs))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def held(
    context: Context,
    name: str,
    options: dict[str, Any],
    claimed: Kernel,
    rows: Any,
    *,
    draw: Draw = GroupInvariantFeatures.draw,
    resolution: tuple[float, float] = (0.03, 0.01),
    n_templates: int = 2000,
) -> verify.Verdict:
    """Compare a claimed kernel, (X, Y) -> (n, k), with measured inner products of a map.

    `name` is the ledger's entry; `resolution` is for the quick and the full level; one draw has
    `n_templates`.
    """
    return verify.check_kernel(
        lambda seed: draw(
            rows.shape[1], n_templates=n_templates, seed=seed, like=context.like(), **options
        ),
        claimed,
        context.asarray(rows),
        false_alarm=context.false_alarm,
        resolution=resolution[0 if context.quick else 1],
        seed=context.seed_for(name),
        ledger=context.ledger,
        name=name,
    )


def declared(options: dict[str, Any], n_inputs: int) -> Kernel:
    """Return the exact kernel that a map of these options declares."""
    phi = GroupInvariantFeatures.draw(n_inputs, n_templates=1, seed=0, **options)
    return phi.kernel
