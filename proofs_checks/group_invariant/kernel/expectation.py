"""Expectation of the inner product of group-invariant features: is it the invariant kernel?

A random vector t, a *template*, gives a row x the distribution function of <t, g x> over r elements
g of a group, at the ends of n *bins* of a window [-s, s]. Products of these features for r random
elements have for large n the mean K_s, that of the whole group, by a claim restored from words of
Mroueh, Voinea and Poggio (2015). Drawn features are compared with K_s, and with our own mean.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._plots import plot
from .._shared import BLOCKS, DITHER, LAW, PAPER, Draw, Kernel, declared, measure, unit_rows

# Independent elements, drawn for each template.
OWN: dict[str, Any] = {"own_elements": True, "replacement": True}
_SHIFTS, _MOVES = groups.CyclicShifts(5), groups.Dihedral(5)
_IMAGE = groups.ImageShifts(2, 3)

# Two elements for each template, without the error of bins.
SAMPLED: dict[str, Any] = {**PAPER, **DITHER, "n_elements": 2, **OWN}
# (coordinates, options): groups, bins of every rule, templates of every law, whole and sampled.
QUICK: tuple[tuple[int, dict[str, Any]], ...] = (
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 2, "n_elements": 2, **OWN}),
    (5, {"group": _SHIFTS, "rule": "midpoint", "n_bins": 3, "templates": "redraw"}),
    (5, {"group": _MOVES, "rule": "trapezoid", "n_bins": 3, "n_elements": 4, "own_elements": True}),
)
FULL: tuple[tuple[int, dict[str, Any]], ...] = (
    *QUICK,
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 2}),
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 3, "n_elements": 4}),
    (5, {"group": _SHIFTS, "rule": "paper", "n_bins": 7, "templates": "gaussian"}),
    (5, {"group": _MOVES, "rule": "dither", "n_bins": 2, "templates": "zero"}),
    (6, {"group": _IMAGE, "rule": "trapezoid", "n_bins": 2, "templates": "redraw"}),
    (6, {"group": _IMAGE, "rule": "midpoint", "n_bins": 5, "n_elements": 3, **OWN}),
    (3, {"group": groups.SignFlips(3), "rule": "paper", "n_bins": 4, "templates": "gaussian"}),
)


def invariant(x: Any, y: Any) -> Any:
    """Compute K_s: the window s less a slope times the mean distance of the orbits {g x}, {g z}."""
    return PAPER["window"] - LAW.slope * groups.mean_distance(BLOCKS, x, y)


@check("group-invariant.expectation", form="restored", name="two random elements")
def restored(
    context: Context, *, kernel: Kernel = invariant, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Compare the invariant kernel with features of two random elements a template."""
    claim = r"$\lim_{n\to\infty}E\langle\Phi(x),\Phi(z)\rangle = K_s(x, z)$ for $r = 2$ elements"
    return measure(
        context,
        "restored",
        claim,
        SAMPLED,
        kernel,
        draw=draw,
        resolution=(0.05, 0.01),
        plots=(_plot(context, invariant),),
    )


@check("group-invariant.expectation", form="proved", name="finite bins and elements")
def sizes(
    context: Context,
    *,
    kernel_of: Callable[[dict[str, Any], int], Kernel] = declared,
    draw: Draw = GroupInvariantFeatures.draw,
) -> Evidence:
    """Compare the expectation at finite bins and elements with features of many settings.

    The evidence is that of the setting nearest to contradiction.
    """
    settings = QUICK if context.quick else FULL
    setting_context = dataclasses.replace(context, false_alarm=context.false_alarm / len(settings))
    claim = (
        r"$E\langle\Phi(x),\Phi(z)\rangle$ is the expectation computed for its own $n$, $r$, "
        f"rule and templates: {len(settings)} settings, the nearest to contradiction"
    )
    evidence = []
    for place, (d, setting) in enumerate(settings):
        options = {"window": 1.2, **setting}
        # Templates that share a sample of elements: one map is one draw.
        shared = "n_elements" in options and not options.get("own_elements")
        evidence.append(
            measure(
                setting_context,
                f"sizes {place}",
                claim,
                options,
                kernel_of(options, d),
                unit_rows(context, 2, d),
                draw=draw,
                # At the full level intervals are narrower than a hundredth of the kernel itself.
                resolution=(0.05, 0.008),
                n_templates=200 if shared else 2000,
            )
        )
    worst = min(evidence, key=_margin)
    return dataclasses.replace(worst, false_alarm=context.false_alarm)


def _margin(evidence: Evidence) -> tuple[int, float]:
    """Order evidence by its status, then by the distance of the claim from the endpoints."""
    assert evidence.exact is not None
    assert evidence.interval is not None
    low, high = evidence.interval
    status = ("refuted", "inconclusive", "holds").index(evidence.status)
    return status, min(evidence.exact - low, high - evidence.exact) / (high - low)


def _plot(context: Context, claimed: Kernel) -> Plot:
    """Draw expectations over r for a row and the same row moved, with the claimed one."""
    x = unit_rows(context, 1, 6)
    image = BLOCKS.actions[3](x)
    sizes = np.arange(1, BLOCKS.order + 1)
    common = {**PAPER, "group": BLOCKS, "rule": "dither", "n_bins": 10}
    lines = {
        label: [
            declared({**common, "n_elements": int(r), "replacement": repeated}, 6)(x, image)[0, 0]
            for r in sizes
        ]
        for label, repeated in (("independent elements", True), ("distinct elements", False))
    }
    flat = [float(claimed(x, image)[0, 0])] * len(sizes)
    return plot(
        "Expected inner product of a row and the same row moved",
        "elements drawn out of 6",
        "expectation",
        Series(label="claimed", x=sizes, y=flat),
        *(Series(label=label, x=sizes, y=y) for label, y in lines.items()),
        caption=(
            "Elements that x and z share see the plain distance; only distinct ones that make up "
            "the whole group reach the invariant kernel."
        ),
    )
