"""Defects for the checks of the kernel error: units that repeat, and bounds that are too small."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.maxout.kernel import kernel_error

from mehler import MaxoutFeatures
from mehler.bounds import Term
from mehler.bounds import kernel_error as bounds


class Repeating:
    """A map that draws fewer units than it says, each of them `times` times in a row."""

    def __init__(self, phi: Any, times: int) -> None:
        self.phi, self.times = phi, times

    def __call__(self, X: Any) -> Any:
        return np.repeat(self.phi(X), self.times, axis=1) / self.times**0.5


def repeating(times: int) -> Callable[..., Any]:
    """Draw a map whose error is that of `times` times fewer features."""

    def draw(n_inputs: int, n_features: int, pool_size: int, **options: Any) -> Any:
        phi = MaxoutFeatures.draw(n_inputs, n_features // times, pool_size, **options)
        return Repeating(phi, times)

    return draw


def never_better(n_inputs: int, n_features: int, pool_size: int, **options: Any) -> Any:
    """A map to which more units are of no use: its error stays that of 16."""
    # The check takes 1500 draws of 16 units at once, and more units only for draws of 144.
    return repeating(9 if n_features > 1500 * 16 else 1)(n_inputs, n_features, pool_size, **options)


def scaled(bound: Callable[..., Any], factor: float) -> Callable[..., Any]:
    """A bound with a constant that is too small."""

    def wrong(*sizes: int, **options: Any) -> Any:
        found = bound(*sizes, **options)
        terms = [Term(term.name, factor * term.value) for term in found.terms]
        return dataclasses.replace(found, terms=terms)

    return wrong


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (kernel_error.vanishes, {"draw": never_better}, "inconclusive"),
    (kernel_error.one_pair, {"draw": repeating(4)}, "refuted"),
    (kernel_error.one_pair, {"bound": scaled(bounds.one_pair, 0.5)}, "refuted"),
    (kernel_error.all_pairs, {"draw": repeating(8)}, "refuted"),
    (kernel_error.all_pairs, {"bound": scaled(bounds.all_pairs, 0.5)}, "refuted"),
    (kernel_error.uniform, {"draw": repeating(100)}, "refuted"),
    (kernel_error.uniform, {"bound": scaled(bounds.uniform, 0.15)}, "refuted"),
    # Where they are tight they may not lose as much.
    (kernel_error.tight_pair, {"bound": scaled(bounds.one_pair, 0.99)}, "refuted"),
    (kernel_error.tight_pairs, {"bound": scaled(bounds.all_pairs, 0.75)}, "refuted"),
    (kernel_error.tight_set, {"bound": scaled(bounds.uniform, 0.14)}, "refuted"),
]
