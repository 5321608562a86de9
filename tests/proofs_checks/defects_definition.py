"""A defect for every check of Definition 2."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from mehler.proofs_checks.maxout.risk import definition_2
from mehler.proofs_checks.maxout.risk.definition_2 import CAPS

from mehler.doubling import DoublingDimension, doubling_dimension


def shifted(points: Any) -> DoublingDimension:
    """Balls that are too small: one dimension too many."""
    found = doubling_dimension(points)
    return dataclasses.replace(found, low=found.low + 1, high=found.high + 1)


def trivial(points: Any) -> DoublingDimension:
    """Nothing but the number of points."""
    return dataclasses.replace(doubling_dimension(points), low=0, high=len(points).bit_length())


def one_more(s: int, b: int) -> Any:
    """The code, and a word that differs from its first one in one symbol."""
    rows = definition_2.words(s, b)
    near = rows[0].copy()
    near[:b] = np.roll(near[:b], 1)
    return np.vstack([rows, near])


DEFECTS = [
    (
        definition_2.at_most_d,
        {"sets": {"a segment": np.outer(np.arange(9.0), [1.0, 2.0])}},
        "holds",
    ),
    (definition_2.separated, {"code": one_more}, "refuted"),
    (definition_2.sparse, {"rate": lambda s, d: s}, "refuted"),
    (definition_2.sparse, {"rate": lambda s, d: s**2}, "refuted"),
    (definition_2.half_balls, {"circles": (*CAPS[:2], (90.0, 7, 0.0), *CAPS[3:])}, "refuted"),
    (definition_2.known_sets, {"dimension": shifted}, "refuted"),
    (definition_2.known_sets, {"dimension": trivial}, "inconclusive"),
]
