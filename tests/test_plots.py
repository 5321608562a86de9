"""Plots of verdicts show their own numbers, on the axes they were given."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from mehler import verify


def of_a_coin(claim):
    coin = np.random.default_rng(7).random(4000) < 0.5
    return verify.check_mean(coin, claim, binary=True, resolution=0.2, name="coin")


@pytest.fixture(autouse=True)
def figures():
    from matplotlib import pyplot

    before = mpl.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.mark.parametrize("claim", [0.5, 0.9])
def test_verdicts(claim):
    verdict = of_a_coin(claim)
    from matplotlib import pyplot

    _, ax = pyplot.subplots()
    assert verdict.plot(ax=ax) is ax
    claimed, interval, observed = ax.lines
    assert tuple(interval.get_xdata()) == verdict.interval
    assert observed.get_xdata()[0] == verdict.observed
    assert claimed.get_xdata()[0] == verdict.exact
    assert ax.get_title() == f"{verdict.check}: {verdict.status}"


def test_axes_are_axes():
    with pytest.raises(TypeError, match="ax=3 must be axes of matplotlib"):
        of_a_coin(0.5).plot(ax=3)


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy\nfrom mehler import verify\n"
        "verify.check_mean(numpy.arange(100) % 2, 0.5, binary=True, resolution=0.9).plot()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: plots need matplotlib" in run.stderr
    assert 'pip install ".[plot]"' in run.stderr
