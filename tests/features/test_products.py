"""Pools of products overwritten in hand give what NumPy's maximum and argmax give.

Rows and weights are small integers: products are exact, and ties frequent.
"""

import warnings

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler._arrays._products import HostPieces, products
from tests.places import CPU, Place


def whole(*shape, seed=0):
    return np.random.default_rng(seed).integers(-2, 3, shape).astype("float64")


def on_torch(rows, weights, dtype="float32"):
    torch = pytest.importorskip("torch")
    parts = [torch.asarray(part.astype(dtype)) for part in (rows, weights)]
    return HostPieces(_arrays.array_namespace(*parts), *parts)


def on_host(rows, weights, dtype="float32"):
    return HostPieces(np, rows.astype(dtype), weights.astype(dtype))


@pytest.mark.parametrize("pieces", [on_host, on_torch])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
# One tile; one tile of one piece; several tiles, the last one shorter; wide rows; many pieces.
@pytest.mark.parametrize(
    "sizes", [(5, 3, 4, 7), (5, 1, 4, 2), (1501, 5, 3, 600), (700, 2, 256, 9), (130, 300, 4, 2)]
)
def test_winners_are_the_first_of_equals(pieces, sizes, dtype):
    n, q, d, m = sizes
    rows, weights, others = whole(n, d), whole(q, d, m, seed=1), whole(q, d, m, seed=2)
    values, offers = rows @ weights, rows @ others
    first = values.argmax(axis=0)
    assert np.array_equal(pieces(rows, weights, dtype).largest(), values.max(axis=0))
    at = np.take_along_axis(offers, first[None], axis=0)[0]
    deciding = pieces(rows, weights, dtype)
    assert np.array_equal(pieces(rows, others, dtype).at_winner(deciding), at)
    after = np.take_along_axis(values[:, :, 1:], first[None, :, :-1], axis=0)[0]
    assert np.array_equal(pieces(rows, weights, dtype).after_winner(), after)
    for ours, theirs in zip(pieces(rows, weights, dtype), values, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", [p for p in CPU if p.name != "dask"], ids=lambda p: p.name)
def test_the_winner_keeps_what_came_with_it(place: Place, dtype):
    if dtype == "float64" and not place.has_float64:
        dtype = "float32"
    rng = np.random.default_rng(0)
    # Some ties are of zeros with different signs.
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


def test_offers_whose_differences_overflow_are_chosen_too():
    rows, huge = np.ones((2, 1)), 3e38
    deciding = np.array([[[0.0, 1.0, 2.0]], [[1.0, 0.0, 3.0]]])
    offers = np.array([[[-huge, huge, huge]], [[huge, -huge, -huge]]])
    expected = np.float32([huge, huge, -huge])
    winners = on_torch(rows, offers).at_winner(on_torch(rows, deciding))
    assert np.array_equal(winners, np.stack([expected, expected]))
    side = np.array([[[0.0, -huge, huge]], [[1.0, huge, -huge]]])
    assert np.array_equal(on_torch(rows, side).after_winner()[0], np.float32([huge, -huge]))


def test_a_row_of_nan_leaves_the_others_alone():
    rows, weights = whole(9, 3), whole(4, 3, 6, seed=1)
    clean = on_torch(rows, weights).after_winner()
    rows[4] = np.nan
    others = np.arange(9) != 4
    assert np.array_equal(on_torch(rows, weights).after_winner()[others], clean[others])


def test_products_that_a_derivative_needs_are_not_overwritten():
    torch = pytest.importorskip("torch")
    rows, weights = torch.ones(2, 3), torch.ones(4, 3, 5)

    def in_tiles(rows, weights):
        return isinstance(products(_arrays.array_namespace(rows), rows, weights), HostPieces)

    assert in_tiles(rows, weights)
    assert not in_tiles(rows.clone().requires_grad_(), weights)
    assert not in_tiles(rows, weights.clone().requires_grad_())
    with torch.no_grad():
        assert in_tiles(rows.clone().requires_grad_(), weights)
    answers = []
    torch.func.vmap(lambda row: answers.append(in_tiles(row, weights)) or row)(torch.ones(2, 2, 3))
    assert answers == [False]
    a, b = torch.tensor([[1.0, 4.0]]), torch.tensor([[2.0, 3.0]])
    xp = _arrays.array_namespace(a)
    leaf = b.clone().requires_grad_()
    _arrays.maximum(xp, a.clone(), leaf).sum().backward()
    assert leaf.grad.tolist() == [[1.0, 0.0]]
    assert _arrays.maximum(xp, a, b) is a
    assert a.tolist() == [[2.0, 4.0]]


@pytest.mark.parametrize("family", [mehler.MaxoutFeatures, mehler.DecoupledMaxoutFeatures])
def test_a_recorded_layer_is_the_layer_on_other_rows_too(family):
    """Recorders see no values, and must not see how many rows share a tile."""
    torch = pytest.importorskip("torch")
    make_fx = pytest.importorskip("torch.fx.experimental.proxy_tensor").make_fx
    fake = pytest.importorskip("torch._subclasses").FakeTensorMode
    layer_of = pytest.importorskip("mehler.torch").RandomFeatures
    layer = layer_of(family.draw(3, 8, 4, seed=0, like=torch))
    rows, others = (torch.asarray(whole(n, 3)).to(torch.float32) for n in (5, 9))
    # Deprecated by PyTorch, and the layer checks shapes, which a trace takes for constants.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(layer, (rows,))
    assert torch.equal(traced(others), layer(others))
    assert torch.equal(make_fx(layer)(rows)(rows.flip(0)), layer(rows.flip(0)))
    with fake(allow_non_fake_inputs=True) as mode:
        assert layer(mode.from_tensor(rows)).shape == (5, 8)
    assert layer(torch.zeros(2, 0, 3)).shape == (2, 0, 8)
