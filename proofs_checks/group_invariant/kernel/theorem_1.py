"""Theorem 1: the expected kernel is s minus the mean distance, nearly and exactly."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.features.groups import mean_distance
from mehler.statements import Context, Evidence, check

from .._measured_kernel import BLOCKS, Draw, held, unit_rows
from ._gaps import deltas as restored_deltas
from ._gaps import drawn_again, masses, plot, with_zeros

_EPSILON = 0.3


@check("group-invariant.theorem-1", form="restored", name="the deltas")
def deltas(context: Context, *, gaps: Any = (with_zeros, drawn_again)) -> Evidence:
    """Hold the exact gaps of both laws against the restored deltas over d, epsilon and d_G."""
    dims = (2, 3, 5, 10, 40, 200, 1000, 10_000)
    epsilons = (0.02, 0.1, 0.3, 0.7, 0.99)
    if not context.quick:
        dims = tuple(sorted({*dims, *range(2, 60), 100, 500, 3000}))
        epsilons = tuple(np.linspace(0.01, 0.99, 50).tolist())
    found = []
    for d, epsilon in itertools.product(dims, epsilons):
        above, below = restored_deltas(d, epsilon)
        # In high dimension the deltas may be below every float.
        if min(above, below) > 1e-280:
            top = 2 / math.sqrt(2 * math.pi * d)
            for gap, d_g in itertools.product(gaps, (0.0, top)):
                one = gap(d, epsilon, d_g)
                found.append((max(one / above, -one / below), d, epsilon))
    worst, d, epsilon = max(found)
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            rf"$-\delta_2 \le K_s - (s - d_G) \le \delta_1$ at {len(found)} points, features of "
            r"zero and another draw: the gap over its delta "
            rf"(largest at $d = {d}$, $\epsilon = {epsilon:.3g}$)"
        ),
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=1.0,
        method="computed, with its rounding",
        plots=(plot(_EPSILON),),
    )


def claimed(templates: str, *, slope: float = 1.0) -> Any:
    """Return p s - q d_G for features of zero, s - (q/p) d_G for another draw."""

    def kernel(x: Any, y: Any) -> Any:
        d = x.shape[1]
        p, q = masses(d, _EPSILON)
        d_g = mean_distance(BLOCKS, x, y) / math.sqrt(2 * math.pi * d)
        zero = p * (1 + _EPSILON) - slope * q * d_g
        return zero if templates == "zero" else zero / p

    return kernel


def _measured(context: Context, templates: str, kernel: Any, draw: Draw) -> Evidence:
    options = {
        "group": BLOCKS,
        "templates": templates,
        "epsilon": _EPSILON,
        "window": 1 + _EPSILON,
        "rule": "dither",
        "n_bins": 10,
    }
    verdict = held(
        context,
        f"{context.statement}: {templates}",
        options,
        kernel,
        unit_rows(context, 2, 6),
        draw=draw,
        resolution=(0.05, 0.01),
    )
    formula = {"zero": "$K_s = ps - q\\,d_G$", "redraw": r"$K_s = s - \frac{q}{p}\,d_G$"}
    return Evidence.from_verdict(
        verdict,
        form="proved",
        claim=f"{formula[templates]}, unbiased by random offsets of the bins",
    )


@check("group-invariant.theorem-1", form="proved", name="features of zero for rejected templates")
def zero(
    context: Context,
    *,
    kernel: Any = claimed("zero"),  # noqa: B008  # a fixed function
    draw: Draw = GroupInvariantFeatures.draw,
) -> Evidence:
    """Measure the kernel with features of zero for rejected templates."""
    return _measured(context, "zero", kernel, draw)


@check("group-invariant.theorem-1", form="proved", name="another draw for rejected templates")
def redraw(
    context: Context,
    *,
    kernel: Any = claimed("redraw"),  # noqa: B008  # a fixed function
    draw: Draw = GroupInvariantFeatures.draw,
) -> Evidence:
    """Measure the kernel with rejected templates drawn again."""
    return _measured(context, "redraw", kernel, draw)


@check("group-invariant.theorem-1", form="restored", name="the limit")
def limit(context: Context, *, gaps: Any = (with_zeros, drawn_again)) -> Evidence:
    """Hold the gap at a million columns against the distance that is there to see."""
    d = 10**6
    top = 2 / math.sqrt(2 * math.pi * d)
    worst, epsilon = max(
        (abs(gap(d, epsilon, d_g)) / top, epsilon)
        for gap in gaps
        for epsilon in (0.02, 0.1, 0.5)
        for d_g in (0.0, top)
    )
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            rf"$K_s \to s - d_G$ as $d \to \infty$: the gap at $d = 10^6$ over the largest $d_G$ "
            rf"(largest at $\epsilon = {epsilon:g}$)"
        ),
        observed=worst,
        interval=(worst * (1 - 1e-6), worst * (1 + 1e-6) + 1e-300),
        upper=1e-10,
        method="computed, with its rounding",
    )


@check("group-invariant.theorem-1", form="restored", name="a kernel")
def positive(
    context: Context,
    *,
    kernel: Any = claimed("redraw"),  # noqa: B008  # a fixed function
) -> Evidence:
    """Compute the smallest eigenvalue of the kernel's matrix of many rows, and at its symmetry."""
    rows = unit_rows(context, 60, 6, "many rows")
    matrix = np.asarray(kernel(rows, rows))
    uneven = float(np.abs(matrix - matrix.T).max())
    least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0]) - uneven
    # Eigenvalues to the norm of the matrix, 60 times 1.3, times 1e-15.
    rounding = 1e-12
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            "$K_s$ is symmetric and positive semidefinite: least eigenvalue of 60 rows, less what "
            "the matrix lacks of symmetry"
        ),
        observed=least,
        interval=(least - rounding, least + rounding),
        lower=-2 * rounding,
        method="eigenvalues, with their rounding",
    )
