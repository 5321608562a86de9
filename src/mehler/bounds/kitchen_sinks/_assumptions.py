"""Assumptions of the proofs, and which of them a number can confirm."""

from __future__ import annotations

from mehler.bounds._bound import Assumption, require_positive

INDEPENDENT = Assumption("the features are drawn independently from pi")
SAMPLES = Assumption("the samples are independent of each other and of the features")
LABELS = Assumption("labels lie in [-1, 1]")
LIPSCHITZ = Assumption("the loss c(f(x) y) is Lipschitz in f(x) y with the constant given")
SMALLEST_RISK = Assumption("the weights minimise the empirical risk over their box or ball")


def bounded_features(largest: float | None, *, measure: str) -> Assumption:
    """Assume that the `measure` of features is at most 1, and check it against `largest`."""
    text = f"features over their scale have {measure} at most 1"
    if largest is None:
        return Assumption(text)
    require_positive(largest_feature=largest)
    return Assumption(text, largest <= 1, f"largest {largest:.6g}")
