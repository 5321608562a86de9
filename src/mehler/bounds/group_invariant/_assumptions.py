"""Assumptions of the proofs."""

from __future__ import annotations

from mehler.bounds._bound import Assumption

TEMPLATES = Assumption("the templates are independent, of one rotation-invariant law")
ELEMENTS = Assumption(
    "the elements are shared by all templates: independent Haar draws, or distinct ones that are "
    "drawn evenly from a finite group"
)
INDEPENDENT_ELEMENTS = Assumption("the elements are independent Haar draws")
ORTHOGONAL = Assumption("the group acts by orthogonal maps")
SAMPLES = Assumption("the samples are independent of each other, of the templates and elements")
LIPSCHITZ = Assumption("the loss is Lipschitz in the prediction with the constant given")


def inside(window: float, radius: float, reach: float) -> Assumption:
    """Check that the window contains all projections, so that nothing is clipped."""
    return Assumption(
        "the window holds every projection of a row on a template",
        window >= radius * reach * (1 - 1e-12),
        f"window {window:.6g}, largest projection {radius * reach:.6g}",
    )
