"""Rows near overflow or underflow: an answer, an error, or the one that NumPy is set to raise."""

import functools
import itertools

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures

import mehler
from tests.verify.map_kinds import DRAWS

NAMES = ("maxout", "next", "codes", "pairs", "laplacian-pairs")
SINKS = ("relu", "step", "relu2", "erf", "tanh-bias", "cos", "sin")
NETWORK = {"n_inputs": 3, "widths": (8, 8), "activation": "relu", "seed": 0}
MAPS = {
    **{n: functools.partial(DRAWS[n], 8, seed=0) for n in (*NAMES, *(f"sinks-{s}" for s in SINKS))},
    "deep": lambda: mehler.DeepFeatures.draw(**NETWORK),
    "tangent": lambda: TangentFeatures.draw(**NETWORK),
}
# Variances of deep networks are not known.
PARTS = ("__call__", "kernel", "variance", "gram_variance")
ROWS = np.random.default_rng(0).standard_normal((5, 3))
EACH = np.array([1e-200, 1e200, 1.0, 1e-310, 0.0])[:, None]
SCALED = {f"{size:g}": ROWS * size for size in (5e-324, 1e-310, 1e-200, 1e200, 1e300)}
SCALED["each"] = ROWS * EACH


def answer(method, rows):
    """The values, or None where they are refused, or NumPy raises what it is told to."""
    try:
        return method(rows)
    except FloatingPointError:
        return None
    except ValueError as error:
        if "X" not in str(error):
            raise
        return None


@pytest.mark.parametrize("name", MAPS)
def test_values_do_not_depend_on_the_errors_that_numpy_raises(name):
    phi = MAPS[name]()
    methods = [getattr(phi, part) for part in PARTS if hasattr(phi, part)]
    for method, rows in itertools.product(methods, SCALED.values()):
        with np.errstate(all="raise", under="ignore"):
            value = answer(method, rows)
        with np.errstate(all="ignore"):
            expected = answer(method, rows)
        if value is not None:
            np.testing.assert_array_equal(value, expected)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scale", ["1e-200", "1e+200", "each"])
@pytest.mark.parametrize("name", MAPS)
def test_so_are_chunks_of_dask(name, scale, part):
    dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
    method, rows = getattr(MAPS[name](), part, None), SCALED[scale]
    if method is None:
        return  # of deep networks
    with np.errstate(all="ignore"):
        expected = answer(method, rows)
    with np.errstate(all="ignore"), dask.config.set(scheduler="synchronous"):
        value = answer(lambda x: method(x).compute(), da.from_array(rows, chunks=(2, 3)))
    if value is not None:
        # Products of parts of the rows round otherwise, by a few eps of the sum of their terms.
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-15 * largest)
    else:
        assert expected is None or not np.isfinite(expected).all()
