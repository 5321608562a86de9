"""Orthogonal and structured blocks: matrices by hand, and the pairs that their bounds count."""

import itertools

import numpy as np
import pytest
from scipy.linalg import block_diag, hadamard
from scipy.special import eval_gegenbauer

from mehler.features import projections as _orthogonal
from mehler.features.projections import Hadamard, Orthogonal
from tests.features.projections.test_laws import vectors


@pytest.fixture(params=[1, 2, 8, 32])
def cells(request, monkeypatch):
    monkeypatch.setattr(_orthogonal, "CELL", request.param)
    return request.param


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
    assert np.array_equal(_orthogonal.hadamard(power, "float64"), hadamard(2**power))
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


def spread(cells_of, z, x=None, y=None):
    """Enumerate signs and orders of D = 4: E tau^2 of each pair of rows, by their turn T."""
    size, b = 4, cells_of
    walsh = np.kron(hadamard(size // b), np.ones((b, 1)))
    found = {}
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    for signs in itertools.product((-1.0, 1.0), repeat=size):
        for order in itertools.permutations(range(size)):
            u = hadamard(size) @ np.diag(signs)[:, order] / 2.0
            for row in range(1, size // b):
                turn = np.diag(walsh[:, row])
                found.setdefault("alike", []).append((u @ x) @ turn @ (u @ y))
            if b == 2:
                for ends in itertools.product((-1.0, 1.0), repeat=2):
                    turn = block_diag(*(end * quarter for end in ends))
                    found.setdefault("other", []).append((u @ x) @ turn @ (u @ y))
    return {name: np.mean(np.square(values)) for name, values in found.items()}


@pytest.mark.parametrize("b", [1, 2])
def test_what_a_turn_leaves_of_a_direction(b):
    """E <z, Tz>^2 = 2 (1 - sum z^4)/(D - 1) for equal places, 0 for others."""
    for z in np.array([[1.0, 0, 0, 0], [0.6, 0.8, 0, 0], [0.5, -0.5, 0.5, 0.5], [0.1, 0.7, 0, 0]]):
        z = z / np.linalg.norm(z)
        found = spread(b, None, z, z)
        assert found["alike"] == pytest.approx(2 * (1 - (z**4).sum()) / 3, abs=1e-14)
        assert found.get("other", 0.0) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("b", [1, 2])
def test_what_a_turn_brings_from_one_direction_to_another(b):
    """For x, y at right angles: (1 - 2 sum x^2 y^2)/(D - 1) for equal places, 1/(D - 1) else."""
    x = np.array([0.6, 0.8, 0.0, 0.0])
    for y in np.array([[-0.8, 0.6, 0, 0], [0, 0, 0, 1.0], [-0.4, 0.3, 0.5, np.sqrt(0.5)]]):
        found = spread(b, None, x, y)
        alike = (1 - 2 * (x**2 * y**2).sum()) / 3
        assert found["alike"] == pytest.approx(alike, abs=1e-14)
        assert found.get("other", 1 / 3) == pytest.approx(1 / 3, abs=1e-14)


def legendre(n, d, t):
    """P_n of dimension d, 1 at t = 1."""
    return eval_gegenbauer(n, d / 2 - 1, t) / eval_gegenbauer(n, d / 2 - 1, 1.0)


@pytest.mark.parametrize("d", [3, 4, 7, 64])
def test_zonal_functions_at_other_angles(d):
    """The two inequalities of the page: |P_n(t)| <= t^2 + (1 - t^2)|P_n(0)| for even n, and what
    `orthogonal_pairs` rests on."""
    t = np.linspace(0.0, 1.0, 401)
    for n in range(2, 61, 2):
        values, start = legendre(n, d, t), legendre(n, d, 0.0)
        assert (np.abs(values) <= t**2 + (1 - t**2) * abs(start) + 1e-12).all()
        bound = t**2 * d / (d - 1) + 30 / ((d**2 - 1) * (d + 3))
        assert (values - start <= bound + 1e-12).all()
        # The orthogonal projection's own: between -1/(d - 1) and 3/(d^2 - 1).
        assert -1 / (d - 1) - 1e-12 <= start <= 3 / (d**2 - 1) + 1e-12
