"""Orthogonal and structured blocks: matrices by hand, and the pairs that their bounds count."""

import numpy as np
import pytest
from scipy.linalg import block_diag, hadamard

import mehler
from mehler import features
from mehler.features import projections as _orthogonal
from mehler.features.projections import Hadamard, Orthogonal
from tests.features.projections.test_laws import vectors


@pytest.fixture(params=[1, 2, 8, 32])
def cells(request, monkeypatch):
    monkeypatch.setattr(_orthogonal, "CELL", request.param)
    return request.param


@pytest.mark.parametrize("draw", [_orthogonal.haar, _orthogonal.reflected])
def test_orthogonal_matrices_are_uniform(draw):
    """Haar's measure: E tr = 0, E tr^2 = 1, E Q_ij^4 = 3/15; E Q_ij^8 = 105/945. LAPACK's: no."""
    q = draw(np.random.default_rng(0).standard_normal((4000, 3, 3)))
    assert np.abs(q @ np.swapaxes(q, 1, 2) - np.eye(3)).max() < 4e-15
    assert abs((trace := np.trace(q, axis1=1, axis2=2)).mean()) < 6 / 4000**0.5
    # tr^2 is in [0, 9], and so has at most the variance (9 - 1)(1 - 0).
    assert abs((trace**2).mean() - 1.0) < 6 * (8 / 4000) ** 0.5
    assert np.abs((q**4).mean(axis=0) - 0.2).max() < 6 * ((1 / 9 - 0.04) / 4000) ** 0.5


def test_recipes_of_earlier_versions_draw_by_factorisation():
    phi = mehler.FourierFeatures.draw(40, 20, projections="orthogonal", seed=3)
    assert phi.recipe()["projections"] == "orthogonal-reflections"
    assert mehler.from_recipe(phi.recipe()).projections == "orthogonal"
    recipe = {**phi.recipe(), "projections": "orthogonal"}
    earlier = mehler.from_recipe(recipe)
    assert earlier.recipe() == recipe
    softmax = features.SoftmaxFeatures.draw(40, 20, projections="orthogonal-qr", seed=3).recipe()
    assert mehler.from_recipe(softmax).recipe()["projections"] == "orthogonal"
    rng = _orthogonal._random.generator(3, _orthogonal._random.ORTHOGONAL, 0)
    weights = _orthogonal.haar(rng.standard_normal((1, 40, 40)))
    weights *= np.sqrt(rng.chisquare(40, size=(1, 1, 40)))
    assert np.array_equal(earlier.weights[0], weights[:, :, :10])
    assert not np.isclose(phi.weights[0], weights[:, :, :10]).any()
    unit = phi.weights[0][0] / np.linalg.norm(phi.weights[0][0], axis=0)
    assert np.abs(unit.T @ unit - np.eye(10)).max() < 4e-15


def test_orthogonal_columns_are_orthogonal_within_blocks_and_long_as_they_like():
    w = vectors(Orthogonal(), 0, 2, 6, 20)
    for piece in w:
        gram = piece.T @ piece
        lengths = np.sqrt(np.diag(gram))
        cosines = gram / np.outer(lengths, lengths)
        same = np.arange(20)[:, None] // 6 == np.arange(20) // 6
        # 6 products of numbers below 1.
        assert np.abs(np.where(same, cosines, 0) - np.eye(20)).max() < 12 * 2.0**-52
        assert np.abs(cosines[~same]).min() > 1e-6
        assert np.ptp(lengths) > 0.1


@pytest.mark.parametrize("power", range(8))
def test_walsh_matrices_are_those_of_sylvester(power):
    left, right = _orthogonal.factors(2**power, "float64")
    assert np.array_equal(np.kron(left, right), hadamard(2**power))
    assert left.shape[0] <= right.shape[0] <= 2 * left.shape[0]


@pytest.mark.parametrize(("d", "m"), [(1, 3), (2, 5), (5, 8), (16, 40), (33, 130)])
def test_structured_products_are_those_of_the_matrix(cells, d, m):
    """diag(r/S) (H (x) I) diag(s_c Q_c) H B Pi / sqrt D, written out."""
    weights = Hadamard().draw(1, 2, d, m, "float64")
    places, signs, _, _, _, _, turns, lengths = weights
    size = len(places)
    assert size == max(1, 2 ** int(np.ceil(np.log2(d))))
    assert np.allclose(np.abs(signs), 1 / np.sqrt(size))
    assert sorted(places[places < d]) == list(range(d))
    order = np.zeros((size, d))
    order[np.flatnonzero(places < d), places[places < d]] = 1.0
    turn = hadamard(size) @ np.diag(signs[:, 0]) @ order
    b = turns.shape[-1]
    assert b == min(cells, size)
    mixing = np.kron(hadamard(size // b), np.eye(b))
    for j, ours in enumerate(vectors(Hadamard(), 1, 2, d, m)):
        blocks = [mixing @ block_diag(*block) @ turn for block in turns[j]]
        by_hand = lengths[j] * np.concatenate(blocks)[:m]
        # Three products of up to 64 numbers, of size below 10.
        assert np.abs(ours - by_hand.T).max() < 10 * 3 * 64 * 2.0**-52


def test_structured_directions_have_length_one(cells):
    weights = Hadamard().draw(1, 1, 16, 16, "float64")
    w = vectors(Hadamard(), 1, 1, 16, 16)[0] / weights[-1][0].T
    assert np.abs((w**2).sum(axis=0) - 1).max() < 1e-13
    # Rows at different places of their cells are orthogonal, whatever the cells' lengths.
    gram = w.T @ w
    places = np.arange(16) % min(cells, 16)
    assert np.abs(gram[places[:, None] != places]).max(initial=0.0) < 1e-13


@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 16, 21])
def test_pairs_are_counted(monkeypatch, m):
    monkeypatch.setattr(_orthogonal, "CELL", 2)
    unit = np.arange(m)
    block, place = unit // 8, unit % 8 % 2
    both = (block[:, None] == block) & (unit[:, None] != unit)
    alike = both & (place[:, None] == place)
    assert _orthogonal._pairs(8, m) == (both.sum(), alike.sum())
    assert Orthogonal().orthogonal_pairs(8, m).pairs == both.sum() / m
