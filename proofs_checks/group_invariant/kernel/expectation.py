"""The first claim: inner products of features have the invariant kernel as their expectation."""

from __future__ import annotations

from typing import Any

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from .._measured_kernel import BLOCKS, Draw, Kernel, declared, held, unit_rows
from .._setting import LAW, PAPER
from ._sizes import OWN, everywhere, plot

# Two independent elements a template; random offsets have the expectation of infinitely many bins.
_SAMPLED: dict[str, Any] = {
    **PAPER,
    "group": BLOCKS,
    "n_elements": 2,
    "rule": "dither",
    "n_bins": 10,
    **OWN,
}


def invariant(x: Any, y: Any) -> Any:
    """Compute K_s: s less kappa times the mean distance of the orbits."""
    return PAPER["window"] - LAW.slope * groups.mean_distance(BLOCKS, x, y)


@check("group-invariant.expectation", form="restored", name="two random elements")
def restored(
    context: Context, *, kernel: Kernel = invariant, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the invariant kernel against features of two random elements a template."""
    verdict = held(
        context,
        f"{context.statement}: restored",
        _SAMPLED,
        kernel,
        unit_rows(context, 2, 6),
        draw=draw,
        resolution=(0.05, 0.01),
    )
    return Evidence.from_verdict(
        verdict,
        form="restored",
        claim=r"$\lim_{n\to\infty}E\langle\Phi(x),\Phi(z)\rangle = K_s(x, z)$ for $r = 2$ elements",
        plots=(plot(context, invariant),),
    )


@check("group-invariant.expectation", form="proved", name="finite bins and elements")
def sizes(
    context: Context, *, kernel_of: Any = declared, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the expectation at finite bins and elements against features of many settings."""
    return everywhere(context, f"{context.statement}: sizes", kernel_of, draw)
