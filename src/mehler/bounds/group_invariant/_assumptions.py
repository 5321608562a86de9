"""What the bounds of group-invariant features assume, and the laws of their templates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from mehler._validate import require_choice, require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import count
from mehler.exact.orbits import RULES

Templates = Literal["sphere", "gaussian", "redraw", "zero"]
Rule = Literal["paper", "trapezoid", "midpoint", "dither"]
LAWS = ("sphere", "gaussian", "redraw", "zero")

DOMAINS: dict[str, Callable[[str, Any], Any]] = {
    "window": require_positive,
    "spread": require_positive,
    "reach": require_positive,
    # A margin of squared lengths, not a probability.
    "epsilon": require_positive,
    "templates": partial(require_choice, allowed=LAWS),
    "rule": partial(require_choice, allowed=RULES),
    "n_turns": count,
    "frequency": count,
}

TEMPLATES = "the templates are independent, of one rotation-invariant law"
ELEMENTS = (
    "the elements are shared by all templates: independent Haar draws, or distinct ones that are "
    "drawn evenly from a finite group"
)
INDEPENDENT_ELEMENTS = "the elements are independent Haar draws"
ORTHOGONAL = "the group acts by orthogonal maps"
SAMPLES = "the samples are independent of each other, of the templates and elements"
LOSS = "the loss is {lipschitz:g}-Lipschitz in the prediction"
UNCLIPPED = "the window {window:g} holds every projection of a row on a template"


def of_elements(n_elements: int | None) -> tuple[Assumption, ...]:
    """Return the assumption on sampled elements; the whole group needs none."""
    return () if n_elements is None else (Assumption(ELEMENTS),)


def inside(window: float, radius: float, reach: float) -> Assumption:
    """Check that the window contains all projections, so that nothing is clipped."""
    return Assumption(
        "the window holds every projection of a row on a template",
        window >= radius * reach * (1 - 1e-12),
        f"window {window:.6g}, largest projection {radius * reach:.6g}",
    )
