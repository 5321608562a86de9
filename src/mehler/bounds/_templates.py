"""What the bounds of group-invariant features assume, and the laws of their templates."""

from __future__ import annotations

from typing import Literal

from mehler._validate import require_positive
from mehler.bounds._bound import Assumption

Templates = Literal["sphere", "gaussian", "redraw", "zero"]
Rule = Literal["paper", "trapezoid", "midpoint", "dither"]

# A margin of squared lengths, not a probability.
DOMAINS = {"epsilon": require_positive}

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
