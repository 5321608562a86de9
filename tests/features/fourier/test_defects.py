"""Fourier features: what they draw has the kernel and variance that they declare; defects show.

Defects are planted below the declarations: of what is ours in the weights. Those of scales and of
offsets are in tests/corpus/fourier_cases.py. All checks run at their default false alarm, 1e-9.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import mehler
from mehler import verify
from mehler.features import projections as _orthogonal
from tests.corpus.registry import moved_weights

D, M = 5, 400
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((3, D)) * 0.6
ROWS = np.vstack([ROWS, ROWS[0] + 0.1 * ROWS[1]])

KINDS = {
    "pairs": {"gamma": 0.3},
    "offset": {"gamma": 0.3, "form": "offset"},
    "laplacian": {"gamma": 0.2, "kernel": "laplacian"},
    "matern": {"kernel": "matern", "nu": 2.5, "length_scale": 1.5},
    "rough": {"kernel": "matern", "nu": 0.3, "length_scale": 1.5, "form": "offset"},
}
# Units that depend on each other give one sample a draw: fewer of them, in several blocks.
DEPENDENT = {
    "orthogonal": {"gamma": 0.3, "projections": "orthogonal"},
    "orthogonal-offset": {"gamma": 0.3, "projections": "orthogonal", "form": "offset"},
    "orthogonal-matern": {"kernel": "matern", "length_scale": 1.5, "projections": "orthogonal"},
    "hadamard": {"gamma": 0.3, "projections": "hadamard"},
    "hadamard-matern": {"kernel": "matern", "length_scale": 1.5, "projections": "hadamard"},
}
OPTIONS = {**KINDS, **DEPENDENT}


def drawer(kind, defect=None, m=None):
    cls = mehler.FourierFeatures if defect is None else defect(mehler.FourierFeatures)
    size = m or (M if kind in KINDS else 2 * 12)
    return lambda seed: cls(D, size, seed=seed, **OPTIONS[kind])


def kernel_verdict(draw, **options):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, **{"resolution": 0.1, **options})


@pytest.fixture
def small_cells(monkeypatch):
    """Cells of 2, so that blocks of 8 are no orthogonal ones."""
    monkeypatch.setattr(_orthogonal, "CELL", 2)


@pytest.mark.parametrize("kind", [*KINDS, *DEPENDENT])
@pytest.mark.sampled(3)
def test_the_kernel_holds(kind, small_cells):
    verdict = kernel_verdict(drawer(kind))
    assert verdict.status == "holds", str(verdict)


@pytest.mark.full
def test_the_variance_of_orthogonal_units_holds():
    """Whole draws are the samples; one pair of rows is enough."""
    draw = drawer("orthogonal")
    verdict = verify.check_variance(draw, None, ROWS[:1], ROWS[1:2])
    assert verdict.status == "holds", str(verdict)
    # Independent units would have this one.
    other = verify.check_variance(draw, draw(0).variance, ROWS[:1], ROWS[3:])
    assert other.status == "refuted", str(other)


@pytest.mark.parametrize("kind", ["hadamard", "orthogonal-matern", "hadamard-matern"])
@pytest.mark.sampled(1)
def test_the_variance_of_other_blocks_is_below_its_bound(kind, small_cells):
    """1500 draws know a variance to 3 standard errors of 1/27, for estimates that are nearly
    normal; the claims have room of more than that."""
    draw = drawer(kind)
    x, y = ROWS[:1], np.vstack([ROWS[1:2], ROWS[3:]])
    found = np.stack([draw(seed).gram(x, y)[0] for seed in range(1500)]).var(axis=0)
    claimed = draw(0).gram_variance(x, y)[0]
    assert (found < claimed).all()
    assert (found > 0.1 * claimed).all()


@pytest.mark.full
def test_the_law_of_a_feature_holds():
    verdict = verify.check_distribution(drawer("offset"), None, ROWS)
    assert verdict.status == "holds", str(verdict)
    with pytest.raises(ValueError, match="columns of two laws"):
        verify.check_distribution(drawer("pairs"), None, ROWS)


# -- defects ------------------------------------------------------------------------------------


@moved_weights
def one_frequency_never_drawn(phi, w):
    return (np.where(np.arange(w.shape[2]) < w.shape[2] - 1, w, 0.0),)


def sine_of_the_next_frequency(cls):
    class Broken(cls):
        def __call__(self, X):
            z = super().__call__(X)
            half = self.n_units
            return np.hstack([z[:, :half], np.roll(z[:, half:], 1, axis=1)])

    return Broken


@moved_weights
def without_lengths(phi, w):
    return (math.sqrt(D) * w / np.linalg.norm(w, axis=1, keepdims=True),)


@moved_weights
def lengths_of_coordinates(phi, w):
    """Lengths on the left axis: one for each coordinate of the block, not for each direction."""
    lengths = np.linalg.norm(w, axis=1)[0]
    unit = w / lengths
    blocks = [unit[0][:, k : k + D] * lengths[k : k + D, None] for k in range(0, 10, D)]
    return (np.concatenate([*blocks, w[0][:, 10:]], axis=1)[None],)


@moved_weights
def cells_of_one_length(phi, *parts):
    """s_c = 1: directions are no longer uniform."""
    *others, cells, lengths = parts
    return *others, cells / np.linalg.norm(cells, axis=-1, keepdims=True) / 2.0, lengths


@moved_weights
def lengths_before_padding(phi, *parts):
    """chi of the row's dimension where the block has that of the padded one."""
    return *parts[:-1], parts[-1] * math.sqrt(D / 8)


@moved_weights
def one_length_a_block(phi, *parts):
    """Fastfood without its last diagonal: rows keep the length that they had."""
    *others, lengths = parts
    firsts = [np.broadcast_to(lengths[:, k : k + 1], lengths[:, k : k + 8].shape) for k in (0, 8)]
    return *others, np.concatenate(firsts, axis=1)


@moved_weights
def plain_turn(phi, places, signs, *rest):
    """No signs and no order of the inputs: U = H/sqrt(D)."""
    order = np.minimum(np.arange(places.size), D).astype(places.dtype)
    return order, np.abs(signs), *rest


@moved_weights
def without_normalisation(phi, places, signs, *rest):
    return places, signs * math.sqrt(places.size), *rest


PLANTED = {
    "orthogonal: without lengths": ("orthogonal", without_lengths),
    "orthogonal: lengths of coordinates": ("orthogonal", lengths_of_coordinates),
    "hadamard: not normalised": ("hadamard", without_normalisation),
    "hadamard: lengths before padding": ("hadamard", lengths_before_padding),
    "hadamard: cells of one length": ("hadamard", cells_of_one_length),
}
TWINS = {
    # E cos cos and E sin sin are both halves of the kernel.
    "pairs: sine of the next frequency": ("pairs", sine_of_the_next_frequency),
    # Given any turn, a row is Gaussian.
    "hadamard: without signs and order": ("hadamard", plain_turn),
    "hadamard: one length a block": ("hadamard", one_length_a_block),
}


# They move the kernel by 4 % only: some thousands of draws.
SUBTLE = {
    "orthogonal: lengths of coordinates": (),
    "hadamard: cells of one length": pytest.mark.full,
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SUBTLE.get(name, ())) for name in PLANTED]
)
def test_a_planted_defect_is_refuted(name, small_cells):
    resolution = 0.03 if name in SUBTLE else 0.1
    verdict = kernel_verdict(drawer(*PLANTED[name]), resolution=resolution)
    assert verdict.status == "refuted", str(verdict)


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.sampled(1)
def test_a_surprising_twin_holds(name, small_cells):
    draw = drawer(*TWINS[name])
    # Its declared variance may not hold any more.
    verdict = verify.check_kernel(
        lambda seed: draw(seed).__call__, draw(0).kernel, ROWS, resolution=0.1
    )
    assert verdict.status == "holds", str(verdict)


def test_one_frequency_never_drawn_is_refuted_in_a_small_map():
    """It adds (1 - k)/12 of 12 frequencies."""
    draw = drawer("pairs", one_frequency_never_drawn, m=24)
    assert kernel_verdict(draw, resolution=0.05).status == "refuted"


def test_the_variance_tells_the_sine_of_the_next_frequency():
    draw = drawer("pairs", sine_of_the_next_frequency, m=24)
    verdict = verify.check_variance(draw, None, ROWS[:1], ROWS[1:2])
    assert verdict.status == "refuted", str(verdict)


def test_qr_without_its_signs(monkeypatch):
    """LAPACK's signs: Q is not Haar's, but lengths are symmetric only in the last direction."""

    def lapack(rng, n, d):
        return np.linalg.qr(rng.standard_normal((n, d, d)))[0]

    phi = drawer("orthogonal")(0)
    monkeypatch.setattr(_orthogonal, "haar", lapack)
    other = drawer("orthogonal")(0)
    # Signs of frequencies do not matter to cosines: a twin of the same kernel.
    assert not np.array_equal(phi(ROWS), other(ROWS))
    assert np.abs(phi.gram(ROWS) - other.gram(ROWS)).max() < 1e-13
