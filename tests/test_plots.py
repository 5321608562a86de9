"""Plots of kernels and verdicts show the objects' own numbers, on the axes they were given."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

import mehler
from mehler import verify

X = np.random.default_rng(0).standard_normal((6, 3))
PHI = mehler.FourierFeatures.draw(3, 200, gamma=0.3, seed=0)


@pytest.fixture(autouse=True)
def figures():
    from matplotlib import pyplot

    before = mpl.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.mark.parametrize("other", [None, X[:2]])
def test_kernels(other):
    ax = PHI.plot_kernel(X, other)
    line, points = ax.lines
    kernel, gram = PHI.kernel(X, other).ravel(), PHI.gram(X, other).ravel()
    assert np.array_equal(line.get_xdata(), np.sort(kernel))
    assert sorted(zip(*points.get_data())) == sorted(zip(kernel, gram))
    band = ax.collections[0].get_paths()[0].vertices
    spread = 2 * PHI.gram_variance(X, other).ravel() ** 0.5
    assert np.isclose(band[:, 1].max(), (kernel + spread).max())
    assert "200 features" in [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("claim", [0.5, 0.9])
def test_verdicts(claim):
    coin = np.random.default_rng(7).random(4000) < 0.5
    verdict = verify.check_mean(coin, claim, binary=True, resolution=0.2, name="coin")
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
        PHI.plot_kernel(X, ax=3)


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy, mehler\n"
        "mehler.FourierFeatures.draw(3, 8, seed=0).plot_kernel(numpy.eye(3))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: plots need matplotlib" in run.stderr
    assert 'pip install ".[plot]"' in run.stderr
