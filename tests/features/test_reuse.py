"""What writes over memory in hand gives what the plain functions give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import _arrays
from tests.places import CPU, Place


def fours(dtype, order):
    rng = np.random.default_rng(0)
    # Small integers: ties are frequent, and some of them are of zeros with different signs.
    best, value = rng.integers(-2, 3, (2, 30, 17)) * rng.choice([-1.0, 1.0], (30, 17))
    chosen, offered = rng.standard_normal((2, 30, 17))
    return [np.array(part, dtype=dtype, order=order) for part in (best, chosen, value, offered)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("place", [p for p in CPU if p.name != "dask"], ids=lambda p: p.name)
def test_the_winner_keeps_what_came_with_it(place: Place, dtype, order):
    if dtype == "float64" and not place.has_float64:
        dtype = "float32"
    best, chosen, value, offered = fours(dtype, order)
    assert np.mean(best == value) > 0.1
    expected = np.maximum(best, value), np.where(value > best, offered, chosen)
    here = [place.asarray(part) for part in (best, chosen, value, offered)]
    found = _arrays.running_argmax(_arrays.array_namespace(*here), *here)
    for ours, theirs in zip(found, expected, strict=True):
        assert np.array_equal(_arrays.to_host(ours), theirs)


def test_the_winner_is_told_by_the_last_bit():
    # A gap that is subnormal, and one of a single unit in the last place, are gaps.
    best = np.array([[np.float32(1e-38), 1.0, 1.0]], dtype=np.float32)
    value = np.nextafter(best, np.float32([[np.inf, np.inf, -np.inf]]))
    chosen, offered = np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32)
    _, found = _arrays.running_argmax(np, best, chosen, value, offered)
    assert found.tolist() == [[1.0, 1.0, 0.0]]


def test_the_winner_by_more_than_the_largest_number():
    best, value = np.array([[1e308, -1e308]]), np.array([[-1e308, 1e308]])
    larger, found = _arrays.running_argmax(np, best, np.zeros((1, 2)), value, np.ones((1, 2)))
    assert larger.tolist() == [[1e308, 1e308]]
    assert found.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("place", [p for p in CPU if p.name != "dask"], ids=lambda p: p.name)
def test_rows_taken_into_memory_in_hand(place: Place):
    rows = np.random.default_rng(0).standard_normal((9, 5)).astype("float32")
    index = np.array([[3, 3, 0, 8]], dtype="int32")
    a, i = place.asarray(rows), place.asarray(index)[0, :]
    xp = _arrays.array_namespace(a)
    first = _arrays.take_rows(xp, a, i, None)
    second = _arrays.take_rows(xp, a, place.asarray(index[:, ::-1].copy())[0, :], first)
    assert np.array_equal(_arrays.to_host(second), rows[[8, 0, 3, 3]])
    assert (second is first) == (place.name == "numpy")


def test_pytorch_overwrites_only_what_no_derivative_needs():
    torch = pytest.importorskip("torch")
    a, b = torch.tensor([[1.0, 4.0]]), torch.tensor([[2.0, 3.0]])
    xp = _arrays.array_namespace(a)
    leaf = b.clone().requires_grad_()
    kept = _arrays.maximum(xp, a.clone(), leaf)
    kept.sum().backward()
    assert leaf.grad.tolist() == [[1.0, 0.0]]
    mapped = torch.func.vmap(lambda row: _arrays.maximum(xp, row + 0.0, b[0]))(a)
    assert mapped.tolist() == [[2.0, 4.0]]
    assert _arrays.maximum(xp, a, b) is a
    assert a.tolist() == [[2.0, 4.0]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("n", "q", "m"), [(1, 2, 3), (70, 3, 9), (130, 300, 2), (65, 16, 4001)])
def test_gathered_winners_are_the_first_of_equals(n, q, m, dtype):
    rng = np.random.default_rng(3)
    # Whole numbers: products are exact, and many are equal.
    rows = rng.integers(-2, 3, (n, 4)).astype(dtype)
    weights, offers = (rng.integers(-2, 3, (q, 4, m)).astype(dtype) for _ in range(2))
    products, offered = rows @ weights, rows @ offers
    after = np.take_along_axis(products[:, :, 1:], products[:, :, :-1].argmax(0)[None], 0)[0]
    assert np.array_equal(_arrays.HostProducts(rows, weights).after_winner(), after)
    at = np.take_along_axis(offered, products.argmax(0)[None], 0)[0]
    deciding = _arrays.HostProducts(rows, weights)
    assert np.array_equal(_arrays.HostProducts(rows, offers).at_winner(deciding), at)
