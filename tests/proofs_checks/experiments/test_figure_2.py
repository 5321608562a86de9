"""One object in the plane: orders of angles, faces and people, and the tables of both."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.maxout import _orders


def test_nearest_pictures_are_counted_without_the_picture_itself() -> None:
    people = np.array([0, 0, 1, 1])
    near = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.1, 0.0]])
    assert _orders.kept_together(near, people) == 1.0
    # Planted: if a point were its own neighbour this would be 1, too.
    assert _orders.kept_together(near[[0, 2, 1, 3]], people) == 0.0


ANGLE = np.linspace(0, 2 * np.pi, 120, endpoint=False)


def test_circular_correlation_ignores_origin_and_sense() -> None:
    for other in (ANGLE + 1.0, -ANGLE, (7 - ANGLE) % (2 * np.pi)):
        correlation = _orders.circular_rank_correlation(ANGLE, other % (2 * np.pi))
        assert correlation == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    shuffled = [_orders.circular_rank_correlation(ANGLE, rng.permutation(120)) for _ in range(200)]
    # The larger of two shares of mean about 1/n each.
    assert np.mean(shuffled) < 3 / 120


def test_a_collapsed_or_doubled_embedding_has_no_order() -> None:
    # Ties must not take the order of the rows; components that turn twice as fast lose it.
    assert _orders.circular_rank_correlation(0 * ANGLE, ANGLE) == pytest.approx(0, abs=1e-12)
    for closed in (True, False):
        assert _orders.agreement(np.zeros((120, 2)), ANGLE, closed) < 1e-12
    noise = 1e-3 * np.random.default_rng(0).standard_normal((120, 2))
    once, twice = (np.stack([np.cos(k * ANGLE), np.sin(k * ANGLE)], axis=1) + noise for k in (1, 2))
    assert _orders.agreement(twice, ANGLE, True) < 0.1
    assert _orders.agreement(once, ANGLE, True) > 0.99
