"""Exact values are the golden ones: float64 to its accuracy, 30 digits, and balls that overlap."""

import re
from typing import Any

import mpmath
import numpy as np
import pytest

from mehler import exact
from mehler.exact import certified
from tests.golden._store import read, report

EXACT = read("exact")
RHO = [-1.0, -0.999, -0.6, -0.1, 0.0, 1e-6, 0.3, 0.75, 0.99, 1 - 1e-9, 1.0]
ORDERS = {"max_moment": (0, 1, 2, 3, 4, 6, 10), "hermite_moment": range(6)}


def keys(kind: str) -> list[Any]:
    """Return keys of a kind; sums over the plane take seconds for the larger pools."""
    names = [key.partition("/")[2] for key in EXACT if key.startswith(f"{kind}/")]
    slow = [kind != "float64" and re.search(r"(kernel|probability)/(9|64)/", k) for k in names]
    return [pytest.param(k, marks=pytest.mark.full if s else []) for k, s in zip(names, slow)]


@pytest.mark.parametrize("name", sorted({k.split("/")[1] for k in EXACT if k[0] == "f"}))
def test_floats(name: str):
    for key in (k.partition("/")[2] for k in EXACT if k.startswith(f"float64/{name}/")):
        require_float(key)


def require_float(key: str) -> None:
    name, q = key.split("/")
    function, golden = getattr(exact, name), np.array(EXACT[f"float64/{key}"])
    if name in ORDERS:
        value = np.array([function(k, int(q)) for k in ORDERS[name]])
    else:
        value = np.array(
            [function(int(q))] if name == "sigma2" else function(np.array(RHO), int(q))
        )
        if name != "sigma2":
            alone = [function(rho, int(q)) for rho in RHO]
            assert alone == pytest.approx(value, rel=1e-13, abs=1e-13)
    # Squares of moments in the differences of a variance; 1e-13 each.
    size = max(1.0, exact.max_moment(4, int(q))) if "variance" in name else np.abs(golden) + 1.0
    assert (np.abs(value - golden) <= 2e-13 * size).all(), report(key, value.tolist(), golden)


@pytest.mark.parametrize("key", keys("dps=30"))
@pytest.mark.sampled(8)
def test_digits(key: str):
    name, first, second = key.split("/")
    arguments = (int(first), int(second)) if name in ORDERS else (second, int(first))
    value = getattr(exact, name)(*arguments, dps=30)
    with mpmath.workdps(40):
        golden = mpmath.mpf(EXACT[f"dps=30/{key}"])
        assert abs(value - golden) <= mpmath.mpf(10) ** -29 * max(1, abs(golden)), key


@pytest.mark.parametrize("key", keys("ball"))
@pytest.mark.sampled(5)
def test_balls(key: str):
    name, *rest = key.split("/")
    numbers = [text if "." in text else int(text) for text in rest]
    # Correlations come after the pool size in a key.
    arguments = numbers[::-1] if isinstance(numbers[-1], str) else numbers
    ball = getattr(certified, name)(*arguments)
    with mpmath.workdps(60):
        middle, radius = map(mpmath.mpf, EXACT[f"ball/{key}"])
        digits = abs(middle) * mpmath.mpf(10) ** -38 + mpmath.mpf(10) ** -45
        assert abs(ball.value - middle) <= ball.radius + radius + digits, key
        # As stated; next to -1 a bracket stands for the kernel of a pool, as wide as it was.
        stated = mpmath.mpf(2) ** -128 * max(1, abs(middle))
        assert ball.radius <= max(stated, 1.001 * radius), key
    assert ball.proved
