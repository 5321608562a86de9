"""Finite bins and samples of elements: settings, and one verdict for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, exact, verify
from mehler.features import groups
from mehler.statements import Context, Evidence, Plot, Series

from .._measured_kernel import BLOCKS, Draw, Kernel, declared, held, unit_rows
from .._setting import PAPER

LAW = exact.orbits.TemplateLaw("sphere", 6)
OWN: dict[str, Any] = {"own_elements": True, "replacement": True}
_SHIFTS, _TURNS = groups.CyclicShifts(5), groups.Dihedral(5)
_IMAGE = groups.ImageShifts(2, 3)

# (coordinates, options): groups, bins of every rule, templates of every law, whole and sampled.
QUICK: tuple[tuple[int, dict[str, Any]], ...] = (
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 2, "n_elements": 2, **OWN}),
    (5, {"group": _SHIFTS, "rule": "midpoint", "n_bins": 3, "templates": "redraw"}),
    (5, {"group": _TURNS, "rule": "trapezoid", "n_bins": 3, "n_elements": 4, "own_elements": True}),
)
FULL: tuple[tuple[int, dict[str, Any]], ...] = (
    *QUICK,
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 2}),
    (6, {"group": BLOCKS, "rule": "paper", "n_bins": 3, "n_elements": 4}),
    (5, {"group": _SHIFTS, "rule": "paper", "n_bins": 7, "templates": "gaussian"}),
    (5, {"group": _TURNS, "rule": "dither", "n_bins": 2, "templates": "zero"}),
    (6, {"group": _IMAGE, "rule": "trapezoid", "n_bins": 2, "templates": "redraw"}),
    (6, {"group": _IMAGE, "rule": "midpoint", "n_bins": 5, "n_elements": 3, **OWN}),
    (3, {"group": groups.SignFlips(3), "rule": "paper", "n_bins": 4, "templates": "gaussian"}),
)


def everywhere(
    context: Context,
    name: str,
    kernel_of: Callable[[dict[str, Any], int], Kernel] = declared,
    draw: Draw = GroupInvariantFeatures.draw,
) -> Evidence:
    """Hold the claimed kernel of each setting against measured inner products of two rows."""
    settings = QUICK if context.quick else FULL
    part = dataclasses.replace(context, false_alarm=context.false_alarm / len(settings))
    verdicts = []
    for place, (d, options) in enumerate(settings):
        given = {"window": 1.2, **options}
        verdicts.append(
            held(
                part,
                f"{name} {place}",
                given,
                kernel_of(given, d),
                unit_rows(context, 2, d),
                draw=draw,
                # At the full level intervals are narrower than a hundredth of the kernel itself.
                resolution=(0.05, 0.008),
                n_templates=200 if _shares(given) else 2000,
            )
        )
    return _worst(verdicts, context.false_alarm)


def _shares(options: dict[str, Any]) -> bool:
    """Whether templates share a sample of elements, so that one map is one draw."""
    return options.get("n_elements") is not None and not options.get("own_elements")


def _worst(verdicts: Sequence[verify.Verdict], false_alarm: float) -> Evidence:
    """Return the evidence of the setting that is nearest to contradiction, for all of them."""
    order = {"refuted": 0, "inconclusive": 1, "holds": 2}

    def room(one: verify.Verdict) -> tuple[int, float]:
        low, high = one.interval
        return order[one.status], min(one.exact - low, high - one.exact) / (high - low)

    worst = min(verdicts, key=room)
    found = Evidence.from_verdict(
        worst,
        form="proved",
        claim=(
            r"$E\langle\Phi(x),\Phi(z)\rangle$ is the expectation computed for its own $n$, $r$, "
            f"rule and templates: {len(verdicts)} settings, the nearest to contradiction"
        ),
    )
    return dataclasses.replace(found, false_alarm=false_alarm)


def plot(context: Context, claimed: Kernel) -> Plot:
    """Draw expectations over r for a row and the same row moved, beside what is claimed."""
    x = unit_rows(context, 1, 6)
    moved = BLOCKS.actions[3](x)
    sizes = np.arange(1, BLOCKS.order + 1)
    common = {**PAPER, "group": BLOCKS, "rule": "dither", "n_bins": 10}
    lines = {
        label: [
            declared({**common, "n_elements": int(r), "replacement": repeated}, 6)(x, moved)[0, 0]
            for r in sizes
        ]
        for label, repeated in (("independent elements", True), ("distinct elements", False))
    }
    flat = [float(claimed(x, moved)[0, 0])] * len(sizes)
    return Plot(
        title="Expected inner product of a row and the same row moved",
        x_label="elements drawn out of 6",
        y_label="expectation",
        series=[
            Series(label="claimed: K_s", x=sizes, y=flat),
            *(Series(label=label, x=sizes, y=y) for label, y in lines.items()),
        ],
        caption=(
            "Elements that x and z share see the plain distance; only distinct ones that make up "
            "the whole group reach the invariant kernel."
        ),
    )
