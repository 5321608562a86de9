"""What writes over memory in hand gives what the plain functions give, bit for bit."""

import numpy as np
import pytest

from mehler import _arrays
from mehler._arrays._products import HostPieces
from tests.places import CPU, Place


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", [p for p in CPU if p.name != "dask"], ids=lambda p: p.name)
def test_the_winner_keeps_what_came_with_it(place: Place, dtype):
    if dtype == "float64" and not place.has_float64:
        dtype = "float32"
    rng = np.random.default_rng(0)
    # Small integers: ties are frequent, and some of them are of zeros with different signs.
    values = rng.integers(-2, 3, (3, 30, 17)) * rng.choice([-1.0, 1.0], (30, 17))
    offers = rng.standard_normal(values.shape).astype(dtype)
    first = values.argmax(axis=0)

    def pieces(arrays):
        here = [place.asarray(part.astype(dtype)) for part in arrays]
        return _arrays.Pieces(_arrays.array_namespace(*here), here)

    at = pieces(offers).at_winner(pieces(values))
    assert np.array_equal(_arrays.to_host(at), np.take_along_axis(offers, first[None], 0)[0])
    code = _arrays.code_dtype(pieces(values).xp, 3)
    assert np.array_equal(_arrays.to_host(pieces(values).winner(code)), first)
    assert np.array_equal(_arrays.to_host(pieces(values).largest()), values.max(axis=0))


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
    assert np.array_equal(HostPieces(rows, weights).after_winner(), after)
    at = np.take_along_axis(offered, products.argmax(0)[None], 0)[0]
    deciding = HostPieces(rows, weights)
    assert np.array_equal(HostPieces(rows, offers).at_winner(deciding), at)
