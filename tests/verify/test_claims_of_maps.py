"""What a map may declare, what stands in its place, and what rows say about a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import kernels
from mehler.verify import check_kernel
from mehler.verify._maps import Draws
from tests.verify.toys import points

X = points(4, 3)
RBF = kernels.make("rbf", gamma=0.5)
COARSE = {"resolution": 0.1}


class Offset:
    def __init__(self, seed, gamma=0.5, m=200):
        rng = np.random.default_rng(seed)
        self.w = np.sqrt(2.0 * gamma) * rng.standard_normal((3, m))
        self.b = rng.uniform(0.0, 2.0 * np.pi, m)

    def __call__(self, x):
        return np.sqrt(2.0 / self.b.size) * np.cos(x @ self.w + self.b)


class Amplitude(Offset):
    variance = 1.0


class Posterior(Offset):
    def variance(self, x, y):
        return np.full((len(x), len(y)), 1e-6)


class Counted(Amplitude):
    independent_units = True


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Amplitude, Posterior, Counted])
def test_attributes_that_happen_to_have_a_name_are_no_declarations(kind):
    verdict = check_kernel(kind, RBF, X, **COARSE)
    assert verdict.holds, str(verdict)
    assert "variance of the class" in verdict.assumptions[-1]
    assert "ignored" in verdict.assumptions[-1]


FIRST = Draws(Offset, 0).seed(0)


class LongLater:
    """Cosines and sines, 1.5 times too long in all draws but the first; products are right."""

    independent_units = True

    def __init__(self, seed):
        self.w = np.random.default_rng(seed).standard_normal((3, 50))
        self.factor = 1.0 if seed == FIRST else 1.5

    def __call__(self, x):
        p = x @ self.w
        return self.factor * np.hstack([np.cos(p), np.sin(p)]) / np.sqrt(50)

    def products(self, x, y):
        return np.cos((x - y) @ self.w)


@pytest.mark.parametrize("options", [{}, {"variance": lambda x, y: np.ones((len(x), len(y)))}])
def test_products_are_compared_with_features_in_every_draw(options):
    verdict = check_kernel(LongLater, RBF, X, **COARSE, **options)
    assert verdict.status == "refuted"
    assert "2.25" in verdict.reason


FAR, NEAR = 1000.0 * X, 1e-4 * X
WRONG = lambda seed: Offset(seed, gamma=50.0)  # noqa: E731


@pytest.mark.slow
@pytest.mark.parametrize("rows", [FAR, NEAR])
def test_rows_without_information_on_the_scale_say_so(rows):
    verdict = check_kernel(WRONG if rows is FAR else Offset, RBF, rows, **COARSE)
    assert verdict.status == "inconclusive"
    assert "would not show at these rows: scale the columns" in verdict.reason
    bare = check_kernel(Offset, lambda x, y: RBF(x, y), rows, **COARSE)
    assert bare.holds
    assert "scale the columns" in bare.reason
