"""Every map, broken on purpose in the ways that maps break, is refuted; its twin passes.

The defects are planted in the maps themselves, below their declarations, so that kernel and
variance still claim what the theory says. All checks run at their default false alarm, 1e-9.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import mehler
from mehler import exact, verify
from mehler.features.maxout import _maxout

D, M, Q = 5, 500, 4
# Directions at random, one pair close, one nearly opposite, lengths unequal.
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((4, D))
ROWS = np.vstack([ROWS, ROWS[0] + 0.1 * ROWS[1], -2 * ROWS[1] + 0.2 * ROWS[2]])

KINDS = {
    "maxout": (mehler.MaxoutFeatures, {}),
    "centred": (mehler.MaxoutFeatures, {"centred": True}),
    "shared": (mehler.MaxoutFeatures, {"n_projections": 2000}),
    "decoupled-next": (mehler.DecoupledMaxoutFeatures, {}),
    "decoupled-fresh": (mehler.DecoupledMaxoutFeatures, {"directions": "fresh"}),
    "codes": (mehler.MaxoutCodes, {}),
}


def drawer(kind, defect=None):
    cls, options = KINDS[kind]
    if defect is not None:
        cls = defect(cls)
    return lambda seed: cls(D, features(kind), Q, seed=seed, **options)


def features(kind):
    """Units that share projections give one sample a draw: fewer of them, and cheaper."""
    return 100 if kind == "shared" else M


def kernel_verdict(draw, resolution=0.1):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=resolution)


def missing_scale(cls):
    """Features without their 1/sqrt(m); codes whose similarity counts instead of averaging."""

    class Broken(cls):
        def __call__(self, X):
            z = super().__call__(X)
            return z if cls is mehler.MaxoutCodes else z * math.sqrt(self.n_features)

        def gram(self, X, Y=None):
            return super().gram(X, Y) * (self.n_features if cls is mehler.MaxoutCodes else 1)

        def _unit_products(self, left, right):
            return super()._unit_products(left, right) * (
                self.n_features if cls is mehler.MaxoutCodes else 1
            )

    return Broken


def one_piece_short(cls):
    """Units that take the maximum over q - 1 projections."""

    class Broken(cls):
        def _draw(self, dtype):
            parts = super()._draw(dtype)
            if getattr(self, "n_projections", None):
                return parts[0], parts[1][:-1]
            return tuple(part[:-1] for part in parts)

    return Broken


def same_index_twice(cls):
    """Shared projections of which each unit takes one twice."""

    class Broken(cls):
        def _draw(self, dtype):
            pool, members = super()._draw(dtype)
            members[1] = members[0]
            return pool, members

    return Broken


def rounded_weights(cls):
    """Weights that went through float32 on their way to float64 data."""

    class Broken(cls):
        def _draw(self, dtype):
            return tuple(
                part.astype(np.float32).astype(part.dtype) if part.dtype.kind == "f" else part
                for part in super()._draw(dtype)
            )

    return Broken


def smallest(cls):
    """argmin and min for argmax and max."""

    class Broken(cls):
        def _draw(self, dtype):
            # min over w is -max over -w: negate what decides and what comes out.
            parts = super()._draw(dtype)
            return tuple(-part if part.dtype.kind == "f" else part for part in parts)

        def __call__(self, X):
            z = super().__call__(X)
            if cls is mehler.MaxoutCodes:
                return z
            offset = 0.0
            if getattr(self, "centred", False):
                # max_j - h_1|x| of the negated weights is -(min_j + h_1|x|): undo the offset,
                # negate, and subtract it again, as code with the wrong reduction would.
                lengths = np.sqrt(np.sum(X * X, axis=1, keepdims=True))
                offset = 2 * exact.max_moment(1, Q) * lengths / math.sqrt(self.n_features)
            return -z - offset

    return Broken


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(1)
def test_correct_maps_hold(kind):
    # False alarm of these six looks together: 6e-9, plus the stated miss rate of 1e-6 each.
    verdict = kernel_verdict(drawer(kind))
    assert verdict.status == "holds", str(verdict)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(1)
def test_missing_scale_is_refuted(kind):
    verdict = kernel_verdict(drawer(kind, missing_scale))
    assert verdict.status == "refuted", str(verdict)


@pytest.mark.parametrize("kind", KINDS)
def test_one_piece_short_is_refuted(kind):
    verdict = kernel_verdict(drawer(kind, one_piece_short))
    assert verdict.status == "refuted", str(verdict)


def test_same_index_twice_is_refuted():
    verdict = kernel_verdict(drawer("shared", same_index_twice))
    assert verdict.status == "refuted", str(verdict)


SCALES = {
    "maxout": math.sqrt(M),
    "shared": math.sqrt(100),
    "decoupled-next": math.sqrt(M / exact.sigma2(Q)),
    "decoupled-fresh": math.sqrt(M / exact.sigma2(Q)),
}


def weights_of(draw, change):
    """The row of weights, of features changed to weights over the root of their number."""
    return verify.check_structure(
        lambda seed: lambda X: change(draw(seed)(X)), np.eye(D), only="weights"
    )


@pytest.mark.parametrize("kind", SCALES)
def test_rounded_weights_are_refuted(kind):
    def scaled(z):
        return z * (SCALES[kind] / math.sqrt(z.shape[1]))

    assert weights_of(drawer(kind), scaled).status == "holds"
    assert weights_of(drawer(kind, rounded_weights), scaled).status == "refuted"


def test_rounded_weights_of_centred_units_are_refuted():
    # At a coordinate vector the unit is a weight less h_1: add it back.
    shift = exact.max_moment(1, Q) / math.sqrt(M)

    assert weights_of(drawer("centred"), lambda z: z + shift).status == "holds"
    assert weights_of(drawer("centred", rounded_weights), lambda z: z + shift).status == "refuted"


def test_smallest_for_largest_is_refuted_where_it_shows():
    """The mean of a unit is h_1(q)|x|; of the smallest one it is -h_1(q)|x|."""
    x = np.array([[0.6, 0.0, -0.8, 0.0, 0.0]])
    variance = exact.sigma2(Q) - exact.max_moment(1, Q) ** 2
    for defect, status in ((None, "holds"), (smallest, "refuted")):
        phi = drawer("maxout", defect)
        samples = np.concatenate([phi(seed)(x)[0] for seed in range(40)]) * math.sqrt(M)
        verdict = verify.check_mean(
            samples, exact.max_moment(1, Q), variance=variance, false_alarm=1e-9, resolution=0.1
        )
        assert verdict.status == status, str(verdict)
    # Centred units show it in the kernel already.
    assert kernel_verdict(drawer("centred", smallest)).status == "refuted"


@pytest.mark.parametrize("kind", ["maxout", "decoupled-next", "decoupled-fresh", "codes"])
def test_smallest_for_largest_keeps_the_kernel(kind):
    """-w has the law of w, so these kernels are the same: refuting them would be a false alarm."""
    assert kernel_verdict(drawer(kind, smallest)).status == "holds"


def test_codes_point_at_the_largest_projection():
    """What argmin breaks in codes: <w_C(x), x> has mean h_1|x|, whatever the code's own law."""
    x = np.array([[0.6, 0.0, -0.8, 0.0, 0.0]])
    variance = exact.sigma2(Q) - exact.max_moment(1, Q) ** 2
    for defect, status in ((None, "holds"), (smallest, "refuted")):
        samples = []
        for seed in range(40):
            codes = drawer("codes", defect)(seed)(x)[0]
            weights = drawer("codes")(seed)._weights("float64")[0]
            samples.append(np.einsum("d,dm->m", x[0], weights[codes, :, np.arange(M)].T))
        verdict = verify.check_mean(
            np.concatenate(samples),
            exact.max_moment(1, Q),
            variance=variance,
            false_alarm=1e-9,
            resolution=0.1,
        )
        assert verdict.status == status, str(verdict)


def test_decoupled_units_choose_by_the_largest_projection():
    """Decoupled features of the same seed: chosen by argmin they are other features."""
    for kind in ("decoupled-next", "decoupled-fresh"):
        ours = drawer(kind)(0)(ROWS)
        assert np.mean(ours != drawer(kind, smallest)(0)(ROWS)) > 0.5


def test_the_wrong_reduction_in_the_source(monkeypatch):
    """The same defect planted in the block itself, as a slip of the pen would."""

    def minimum(xp, pieces):
        return functools.reduce(xp.minimum, pieces)

    monkeypatch.setattr(_maxout, "largest", minimum)
    assert kernel_verdict(drawer("centred")).status == "refuted"
