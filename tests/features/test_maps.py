"""Laws that every map obeys; its weights are gone with it."""

import functools
import gc
import pickle
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mehler
from tests.features.test_places import DRAWS
from tests.features.test_places import ROWS as SHORT

ROWS = np.random.default_rng(7).standard_normal((300, 7))


def test_maps_are_immutable_and_products_average_to_the_gram():
    x, y = SHORT[:4], SHORT[4:8]
    for name, draw in DRAWS.items():
        phi = draw()
        with pytest.raises(AttributeError, match="immutable"):
            phi.seed = 1
        products = phi.products(x, y)
        assert products.shape == (4, getattr(phi, "n_units", phi.n_features)), name
        # 72 terms of size below 100 sum with an error below 72 * 100 * eps.
        off = np.abs(products.mean(axis=1) - np.diag(phi.gram(x, y)))
        assert np.max(off) < 7200 * 2.0**-52, name


def test_dtype_follows_the_data_without_losing_bits():
    phi = mehler.MaxoutFeatures.draw(7, 5, 3, seed=1)
    narrow = mehler.MaxoutFeatures.draw(7, 5, 3, seed=1, like=ROWS.astype(np.float32))
    assert phi(ROWS.astype(np.float32)).dtype == np.float32
    # A map that was placed for float32 still uses the float64 weights for float64 data.
    assert np.array_equal(narrow(ROWS), phi(ROWS))
    fixed = mehler.MaxoutFeatures.draw(7, 5, 3, seed=1, dtype="float32")
    assert fixed(ROWS).dtype == np.float32


def test_features_and_codes_are_their_definitions():
    draws = (
        mehler.MaxoutFeatures.draw,
        mehler.DecoupledMaxoutFeatures.draw,
        mehler.MaxoutCodes.draw,
    )
    plain, decoupled, codes = (draw(7, 5, 3, seed=1) for draw in draws)
    products = [
        np.einsum("nd,qdm->nqm", ROWS, phi._weights("float64")[0])
        for phi in (plain, decoupled, codes)
    ]
    # Rounding of a sum of 7 products below 25 each.
    close = 8 * 7 * 25 * 2.0**-52
    assert np.max(np.abs(plain(ROWS) - products[0].max(axis=1) / np.sqrt(5))) < close
    # Decoupled features take the next unit's weights.
    assert products[1].shape[2] == 6
    winner = products[1][:, :, :-1].argmax(axis=1)
    by_hand = np.take_along_axis(products[1][:, :, 1:], winner[:, None, :], axis=1)[:, 0, :]
    scale = np.sqrt(mehler.exact.sigma2(3) / 5)
    assert np.max(np.abs(decoupled(ROWS) - by_hand * scale)) < close
    assert codes(ROWS).dtype == np.uint8
    assert np.array_equal(codes(ROWS), products[2].argmax(axis=1))
    wide = mehler.MaxoutCodes.draw(2, 3, 300, seed=1)(ROWS[:, :2])
    assert wide.dtype == np.int16
    assert wide.max() > 255


def test_similarity_counts():
    phi = mehler.MaxoutCodes.draw(7, 700, 5, seed=1)
    codes, others = phi(ROWS[:6]), phi(ROWS[6:10])
    by_hand = (codes[:, None, :] == others[None, :, :]).mean(axis=2)
    assert np.array_equal(phi.similarity(codes, others), by_hand)
    assert np.array_equal(np.diag(phi.similarity(codes)), np.ones(6))


def test_shared_projections_are_distinct_within_a_unit():
    phi = mehler.MaxoutFeatures.draw(7, 300, 4, seed=1, n_projections=5)
    members = phi._weights("float64")[1]
    assert members.shape == (4, 300)
    assert np.all(np.diff(np.sort(members, axis=0), axis=0) > 0)


@given(scale=st.sampled_from([1e-300, 1e-12, 1.0, 1e12, 1e150]), q=st.integers(1, 20))
def test_kernel_is_homogeneous_of_degree_one_in_each_argument(scale, q):
    phi = mehler.MaxoutFeatures.draw(7, 2, q, seed=0)
    x, y = ROWS[:3], ROWS[3:5]
    ratio = phi.kernel(scale * x, y) / (scale * phi.kernel(x, y))
    # Scaling rounds each entry by eps, hence rho by some eps; K >= 0.3 there for q >= 2, and
    # |K'| <= 1; q = 1 is linear with |rho| > 0.01 for these rows.
    assert np.max(np.abs(ratio - 1)) < 1e-12
    zero = np.zeros((1, 7))
    assert not np.any(phi(zero))
    assert not np.any(phi.kernel(zero, x))


@pytest.mark.parametrize("name", ["maxout", "codes", "pairs", "sinks-relu", "not stored"])
def test_a_map_that_was_called_leaves_no_circle(name):
    x = np.eye(3)
    unstored = functools.partial(mehler.MaxoutFeatures.draw, 3, 8, 2, seed=0, stored=False)
    draw = DRAWS.get(name, unstored)
    gc.disable()
    try:
        phi = draw()
        phi(x), phi.kernel(x), phi.variance(x)
        gone = weakref.ref(phi)
        del phi
        assert gone() is None
    finally:
        gc.enable()


def test_the_function_of_a_chunk_travels_as_a_recipe():
    x = np.eye(3)
    phi = mehler.MaxoutFeatures.draw(3, 10_000, 2, seed=0)
    sent = pickle.dumps(functools.partial(phi._features, finite=True))
    assert len(sent) < 1000
    np.testing.assert_array_equal(pickle.loads(sent)(x), phi(x))


PHI = mehler.MaxoutFeatures.draw(3, 5, 2, seed=0)
GOOD = np.ones((2, 3))


def test_a_data_frame_of_numbers_stands_for_its_array():
    x = np.random.default_rng(0).standard_normal((4, 3))
    frame = pd.DataFrame(x, columns=list("abc"))
    np.testing.assert_array_equal(PHI(frame), PHI(x))
    np.testing.assert_array_equal(PHI.gram(frame, frame), PHI.gram(x, x))
    np.testing.assert_array_equal(PHI.kernel(frame, frame), PHI.kernel(x, x))
    np.testing.assert_array_equal(PHI(frame.iloc[0]), PHI(x[0]))


@pytest.mark.parametrize("rows", [GOOD > 0, np.full((2, 3), -128, np.int8), GOOD.astype("u8")])
def test_waves_take_booleans_and_integers_of_any_kind(rows):
    phi = mehler.FourierFeatures.draw(3, 6, seed=0, stored=False)
    np.testing.assert_array_equal(phi(rows), phi(rows.astype(float)))


def test_a_row_gives_a_row():
    # Sums of three products below 10, in another order: a few eps.
    np.testing.assert_allclose(PHI(GOOD[0]), PHI(GOOD)[0], atol=1e-14)
