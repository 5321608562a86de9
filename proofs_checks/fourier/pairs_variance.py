"""Check the variance of Fourier features in two forms: pairs, or cosines with an offset.

Of m features at random frequencies w, pairs are the cosine and the sine of <w, x>, the other form
has cosines of <w, x> + b with a uniform b. The variance is that of their estimate of the kernel k
at two rows x and y, times m. It is compared with formulas after Sutherland and Schneider (2015).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute, run_check
from .._plots import plot
from ._blocks import Draw

_D, _GAMMA = 5, 0.3
Kernel = Callable[[Any, Any], Any]


def of_pairs(kernel: Kernel) -> Kernel:
    """Return the variance of pairs, times m, as a function of two rows."""
    return lambda x, y: 1.0 + kernel(2.0 * x, 2.0 * y) - 2.0 * kernel(x, y) ** 2


def of_offset(kernel: Kernel) -> Kernel:
    """Return the variance of cosines with an offset, times m, as a function of two rows."""
    return lambda x, y: 1.0 + 0.5 * kernel(2.0 * x, 2.0 * y) - kernel(x, y) ** 2


_RBF = kernels.make("rbf", gamma=_GAMMA)
_OF_PAIRS, _OF_OFFSET = of_pairs(_RBF), of_offset(_RBF)


def _compare(
    context: Context, draw: Draw, form: str, claimed: Kernel, claim: str, *plots: Plot
) -> Evidence:
    rows = 0.8 * context.rng("rows").standard_normal((3, _D))
    options = {"gamma": _GAMMA, "form": form}
    return run_check(
        context,
        verify.check_variance,
        lambda seed: draw(_D, 2000, seed=seed, like=context.like(), **options),
        claimed,
        context.asarray(rows),
        label=form,
        resolution=(0.2, 0.05),
        claim=claim,
        plots=plots,
    )


@check("fourier.pairs-variance", form="printed", name="variance of pairs")
def pairs(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Kernel = _OF_PAIRS
) -> Evidence:
    """Compare 1 + k(2z) - 2k(z)^2, z = x - y, with the measured variance of pairs times m."""
    claim = r"$m\,\mathrm{Var} = 1 + k(2z) - 2k(z)^2$ for pairs"
    return _compare(context, draw, "pairs", claimed, claim, _plot())


@check("fourier.pairs-variance", form="printed", name="variance with an offset")
def offset(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Kernel = _OF_OFFSET
) -> Evidence:
    """Compare 1 + k(2z)/2 - k(z)^2 with the measured variance of offsets times m."""
    claim = r"$m\,\mathrm{Var} = 1 + \frac12 k(2z) - k(z)^2$ with an offset"
    return _compare(context, draw, "offset", claimed, claim)


# Smoothness of Matern kernels; at 1/2 it is the Laplacian kernel along an axis.
_SMOOTH = (0.5, 0.75, 1.0, 1.5, 2.5, 10.0, 50.0)


@check("fourier.pairs-variance", form="printed", name="pairs vary less for smooth kernels")
def smooth(context: Context, *, smoothness: tuple[float, ...] = _SMOOTH) -> Evidence:
    """Check that pairs vary less at all distances, for Matern kernels of these smoothnesses."""
    gains = {nu: _gain(nu) for nu in smoothness}
    nu = min(gains, key=lambda key: gains[key].min())
    least = float(gains[nu].min())
    claim = (
        r"$(V_{offset} - V_{pairs})/k^2$ is positive for Matern kernels of smoothness 1/2 and "
        f"more, at distances up to 12 lengths (least at smoothness {nu:g})"
    )
    # Kernels to 1e-12 of themselves, down to 1e-11.
    return compute(claim, least, 1e-9, lower=0.0, method="computed interval")


@check(
    "fourier.pairs-variance", form="printed", name="offsets vary less for rough kernels at far rows"
)
def rough(context: Context, *, smoothness: float = 0.1) -> Evidence:
    """Check that offsets vary less at some distance, for a rough Matern kernel."""
    most = -float(_gain(smoothness).min())
    claim = rf"$V_{{pairs}} - V_{{offset}}$ is positive somewhere at smoothness {smoothness:g}"
    return compute(claim, most, 1e-9, lower=0.0, method="computed interval")


def _gain(nu: float) -> Any:
    """Compute the variance of offsets less that of pairs, over k^2, at many distances."""
    distance = np.geomspace(1e-3, 12.0, 200)[:, None] / np.sqrt(2.0 * nu)
    kernel, origin = kernels.make("matern", nu=nu), np.zeros((1, 1))
    k = kernel(origin, distance)
    return 1.0 - 0.5 * kernel(origin, 2.0 * distance) / k**2


def _plot() -> Plot:
    distance = np.linspace(0.0, 6.0, 121)
    series = []
    for name, kernel in (
        ("Gaussian", _RBF),
        ("Matern, smoothness 0.1", kernels.make("matern", nu=0.1, length_scale=2.0)),
    ):
        for form, variance in (("pairs", of_pairs(kernel)), ("offset", of_offset(kernel))):
            y = variance(np.zeros((1, 1)), distance[:, None])[0]
            series.append(Series(label=f"{name}, {form}", x=distance, y=y))
    return plot(
        "Variance of the estimate times the number of features",
        "distance of x and y",
        "variance times m",
        *series,
        caption="Pairs know k(x, x) exactly; only far rows of very rough kernels prefer offsets.",
    )
