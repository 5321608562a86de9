"""Pools of products overwritten on PyTorch give what NumPy's maximum and argmax give.

Rows and weights are small integers: products are exact, and ties frequent.
"""

import warnings

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler._arrays._products import TorchPieces

torch = pytest.importorskip("torch")
make_fx = pytest.importorskip("torch.fx.experimental.proxy_tensor").make_fx
FakeTensorMode = pytest.importorskip("torch._subclasses").FakeTensorMode
RandomFeatures = pytest.importorskip("mehler.torch").RandomFeatures
XP = _arrays.array_namespace(torch.zeros(1))


def whole(*shape, seed=0):
    return np.random.default_rng(seed).integers(-2, 3, shape).astype("float64")


def in_hand(rows, weights, dtype):
    return TorchPieces(*(torch.asarray(part).to(dtype) for part in (rows, weights)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
# One tile; one tile of one piece; several tiles, the last one shorter; wide rows.
@pytest.mark.parametrize("sizes", [(5, 3, 4, 7), (5, 1, 4, 2), (1501, 5, 3, 600), (700, 2, 256, 9)])
def test_maxima_winners_and_what_comes_with_them(sizes, dtype):
    n, q, d, m = sizes
    rows, weights, others = whole(n, d), whole(q, d, m, seed=1), whole(q, d, m, seed=2)
    products, offers = rows @ weights, rows @ others
    first = products.argmax(axis=0)  # the first of equals
    assert np.array_equal(in_hand(rows, weights, dtype).largest(), products.max(axis=0))
    assert np.array_equal(in_hand(rows, weights, dtype).winner(torch.uint8), first)
    at = np.take_along_axis(offers, first[None], axis=0)[0]
    directions = in_hand(rows, others, dtype)
    assert np.array_equal(directions.at_winner(in_hand(rows, weights, dtype)), at)
    after = np.take_along_axis(products[:, :, 1:], first[None, :, :-1], axis=0)[0]
    assert np.array_equal(in_hand(rows, weights, dtype).after_winner(), after)
    for ours, theirs in zip(in_hand(rows, weights, dtype), products, strict=True):
        assert np.array_equal(ours, theirs)


def test_offers_whose_differences_overflow_are_chosen_too():
    rows, huge = np.ones((2, 1)), 3e38
    deciding = np.array([[[0.0, 1.0, 2.0]], [[1.0, 0.0, 3.0]]])
    offers = np.array([[[-huge, huge, huge]], [[huge, -huge, -huge]]])
    directions = in_hand(rows, offers, torch.float32)
    found = directions.at_winner(in_hand(rows, deciding, torch.float32))
    expected = np.float32([huge, huge, -huge])
    assert np.array_equal(found, np.stack([expected, expected]))
    side = np.array([[[0.0, -huge, huge]], [[1.0, huge, -huge]]])
    found = in_hand(rows, side, torch.float32).after_winner()
    assert np.array_equal(found[0], np.float32([huge, -huge]))


def test_a_row_of_nan_leaves_the_others_alone():
    rows, weights = whole(9, 3), whole(4, 3, 6, seed=1)
    clean = in_hand(rows, weights, torch.float32).after_winner()
    rows[4] = np.nan
    found = in_hand(rows, weights, torch.float32).after_winner()
    kept = np.arange(9) != 4
    assert np.array_equal(found[kept], clean[kept])


def test_products_that_a_derivative_needs_are_not_overwritten():
    rows, weights = torch.ones(2, 3), torch.ones(4, 3, 5)
    assert TorchPieces.serves(rows, weights)
    assert not TorchPieces.serves(rows.numpy(), weights.numpy())
    assert not TorchPieces.serves(rows.clone().requires_grad_(), weights)
    assert not TorchPieces.serves(rows, weights.clone().requires_grad_())
    with torch.no_grad():
        assert TorchPieces.serves(rows.clone().requires_grad_(), weights)
    seen = []
    torch.func.vmap(lambda some: seen.append(TorchPieces.serves(some, weights)) or some)(
        torch.ones(2, 2, 3)
    )
    assert seen == [False]


MAPS = {
    "maxout": mehler.MaxoutFeatures,
    "codes": mehler.MaxoutCodes,
    "decoupled": mehler.DecoupledMaxoutFeatures,
}


@pytest.mark.parametrize("name", MAPS)
def test_a_batch_without_rows_has_no_features(name):
    phi = MAPS[name].draw(3, 8, 4, seed=0, like=torch)
    weights = phi._weights("float32")
    assert phi._transform(XP, torch.zeros(0, 3), *weights).shape == (0, 8)
    if name != "codes":
        assert RandomFeatures(phi)(torch.zeros(2, 0, 3)).shape == (2, 0, 8)


@pytest.mark.parametrize("name", ["maxout", "decoupled"])
def test_a_recorded_layer_is_the_layer_on_other_rows_too(name):
    """Recorders see no values, and must not see how many rows share a tile."""
    layer = RandomFeatures(MAPS[name].draw(3, 8, 4, seed=0, like=torch))
    rows = torch.asarray(whole(5, 3)).to(torch.float32)
    others = torch.asarray(whole(9, 3, seed=1)).to(torch.float32)
    # Deprecated by PyTorch, and the layer checks shapes, which a trace takes for constants.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(layer, (rows,))
    assert torch.equal(traced(others), layer(others))
    assert torch.equal(make_fx(layer)(rows)(rows.flip(0)), layer(rows.flip(0)))
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert layer(mode.from_tensor(rows)).shape == (5, 8)
