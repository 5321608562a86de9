"""Large calls on JAX are compiled: they give what tracing, small calls and NumPy give."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler import _arrays

jax = pytest.importorskip("jax")

# Several blocks of rows, of which the last is shorter.
N, D, M = 2100, 3, 40
ROWS = np.random.default_rng(0).standard_normal((N, D)).astype("float32")
MAPS = {
    "maxout": lambda **kw: mehler.MaxoutFeatures.draw(D, M, 4, centred=True, **kw),
    "decoupled": lambda **kw: mehler.DecoupledMaxoutFeatures.draw(D, M, 4, **kw),
    "codes": lambda **kw: mehler.MaxoutCodes.draw(D, M, 4, **kw),
    "fourier": lambda **kw: mehler.FourierFeatures.draw(D, M, gamma=0.5, **kw),
}


@pytest.fixture(autouse=True)
def small_enough_to_wait_for(monkeypatch):
    monkeypatch.setattr(_arrays._rows, "_COMPILED", N * M)


def drawn(name):
    return MAPS[name](seed=0, like=jax.numpy)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(2)
def test_large_calls_are_compiled_and_give_the_features_of_small_ones(name):
    phi, x = drawn(name), jax.numpy.asarray(ROWS)
    found = np.asarray(phi(x))
    assert phi._jits
    other = MAPS[name](seed=0)(ROWS)
    # Products rounded in another order can change a winner among near equals.
    assert np.mean(np.abs(found - other) > 1e-4) < 1e-3
    assert np.array_equal(found, phi(x))


def test_rows_whose_angles_lose_their_phase_are_refused_among_many():
    phi = drawn("fourier")
    far = np.array(ROWS)
    far[-1] = 1e8 + 64 * np.arange(D)
    with pytest.raises(ValueError, match=f"in row {N - 1}"):
        phi(jax.numpy.asarray(far))
