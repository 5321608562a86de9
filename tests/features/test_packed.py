"""Packed codes and counts of agreements: exact on every place, by brute force."""

import os
import sys
import tracemalloc

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler._arrays._host import host_threads
from mehler.features import PackedCodes
from mehler.features.maxout import _bit_planes as bit_planes
from tests.places import CPU

# One bit and less, a power of two, not one, above a byte, above int16; m not a multiple of 64.
SIZES = [(1, 5), (2, 64), (3, 65), (4, 130), (5, 63), (16, 200), (300, 70), (40_000, 7)]


def codes(n: int, m: int, q: int, seed: int = 0):
    """Every value in use, the largest too."""
    integers = np.random.default_rng(seed).integers(0, q, (n, m))
    integers[0, -1] = q - 1
    return integers.astype(_arrays.code_dtype(np, q))


def by_hand(c, d):
    return (c[:, None, :] == d[None, :, :]).sum(axis=2)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Several tiles of rows and columns, the last ones short; several chunks of digits."""
    monkeypatch.setattr(bit_planes, "_ROWS", 4)
    monkeypatch.setattr(bit_planes, "_COLUMNS", 6)
    monkeypatch.setattr(bit_planes, "_HOT_COLUMNS", 64)


def test_bits_stand_where_they_are_documented():
    c = codes(3, 130, 5)
    words = PackedCodes.pack(c, 5).words
    for row in range(3):
        for plane in range(3):
            for word in range(3):
                digits = c[row, 64 * word : 64 * word + 64]
                bits = sum(((int(digit) >> plane) & 1) << at for at, digit in enumerate(digits))
                assert int(words[row, plane, word]) == bits


@pytest.mark.parametrize(("threads", "module"), [("1", None), ("3", None), ("3", "faiss")])
@pytest.mark.parametrize(("q", "m"), SIZES)
def test_agreements_are_those_of_brute_force(q, m, threads, module, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    monkeypatch.setitem(sys.modules, "faiss", module and pytest.importorskip(module))
    c, d = codes(19, m, q), codes(14, m, q, seed=1)
    d[3] = c[5]
    left, right = PackedCodes.pack(c, q), PackedCodes.pack(d, q)
    assert left.unpack().dtype == c.dtype
    assert np.array_equal(left.unpack(), c)
    assert left.nbytes == 19 * max(1, (q - 1).bit_length()) * 8 * -(-m // 64)
    count = left.agreements(right)
    assert count.dtype == np.uint16
    assert np.array_equal(count, by_hand(c, d))
    assert np.array_equal(left.agreements(), by_hand(c, c))
    assert np.array_equal(left.similarity(right), by_hand(c, d) / m)


def test_codes_longer_than_16_bits_count():
    m = 2**16
    c = np.zeros((2, m), np.uint8)
    c[1, ::2] = 1
    count = PackedCodes.pack(c, 2).agreements()
    assert count.dtype == np.uint32
    assert count.tolist() == [[m, m // 2], [m // 2, m]]


# JAX compiles for each shape of a tile, seconds a size: it gets the uneven ones.
PLACES = [
    pytest.param(place, q, m, id=f"{place.name}-{q}-{m}")
    for q, m in [(3, 65), (2, 64), (16, 200), (300, 70)]
    for place in CPU
    if (q, m) == (3, 65) or not place.name.startswith("jax")
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "q", "m"), PLACES)
def test_similarity_is_exact_everywhere(place, q, m):
    c, d = codes(12, m, q), codes(14, m, q, seed=1)
    phi = mehler.MaxoutCodes.draw(3, m, q, seed=0, like=place.asarray(np.ones((1, 3)), "float32"))
    here, there = place.asarray(c), place.asarray(d)
    # Compiled among themselves, else with others too: each shape is compiled anew.
    results = [(place.apply(phi.similarity, here), by_hand(c, c))] if place.name != "jax" else []
    if not place.jit:
        results.append((phi.similarity(here, there), by_hand(c, d)))
    wide = np.float64 if place.has_float64 else np.float32
    for value, expected in results:
        assert _arrays.array_namespace(value) is _arrays.array_namespace(here)
        if place.name != "dask":
            assert _arrays.place_of(value).device == _arrays.place_of(here).device
        host = _arrays.to_host(value)
        assert host.dtype == wide
        # Counts below 2^24, divided by m; compiled, multiplied by 1/m, which rounds twice.
        assert np.array_equal(np.round(host * m), expected)
        assert np.all(np.abs(host - expected / m) <= np.finfo(wide).eps * expected / m)
    packed = PackedCodes.pack(here, q)
    assert np.array_equal(packed.unpack(), c)
    assert np.array_equal(_arrays.to_host(packed.unpack(like=here)), c)


def test_dask_codes_stay_lazy():
    import dask.array

    c = codes(12, 70, 4)
    calls = []
    lazy = dask.array.from_array(c, chunks=(5, 33)).map_blocks(
        lambda block: calls.append(1) or block, dtype=c.dtype, meta=c[:0, :0]
    )
    phi = mehler.MaxoutCodes.draw(3, 70, 4, seed=0)
    similarity = phi.similarity(lazy)
    assert not calls
    assert similarity.chunks == ((5, 5, 2), (5, 5, 2))
    assert np.array_equal(similarity.compute(scheduler="synchronous"), by_hand(c, c) / 70)
    # 256 and more would be digits again as bytes.
    wrong = dask.array.from_array(c + np.int64(257), chunks=(5, 33))
    with pytest.raises(ValueError, match="holds the digit 260"):
        phi.similarity(wrong).compute(scheduler="synchronous")
    with pytest.raises(ValueError, match="holds the digit 260"):
        PackedCodes.pack(wrong, 4)


def test_memory_is_the_result_and_half_a_mib(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    n, m, q = 1500, 256, 4
    packed = PackedCodes.pack(codes(n, m, q), q)
    PackedCodes(packed.words[:2], m, q).agreements()
    tracemalloc.start()
    try:
        packed.agreements()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # uint16 for each pair; tiles of 32 x 1024: two of words, one of bytes, some of counts.
    tiles = 32 * 1024 * (2 * 8 + 1 + 3 * 2)
    assert peak <= 2 * n * n + tiles + packed.nbytes + 2**16


@pytest.mark.parametrize(("words", "number"), [("3", 3), ("0", None), ("many", None)])
def test_threads_are_those_that_the_user_said(words, number, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", words)
    assert host_threads() == (number or len(os.sched_getaffinity(0)))


def test_packed_codes_take_small_integers_of_numpy():
    words = PackedCodes.pack(np.array([[0, 2, 1]]), pool_size=3).words
    small = PackedCodes(words, np.int8(3), np.int8(3))
    assert (small.pool_size, small.unpack().tolist()) == (3, [[0, 2, 1]])
