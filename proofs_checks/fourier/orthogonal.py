"""Check Fourier features of orthogonal frequencies: the Gaussian kernel, and their variance.

Cosines and sines have frequencies in blocks of d, the number of inputs; directions in a block are
orthogonal (Yu and others 2016), so that features depend on each other. Their mean products over a
block are compared with the kernel, and the variance of these with our closed form.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute, run_check
from .._plots import plot
from ._blocks import Blocks, Draw, along

_D, _GAMMA = 4, 0.3
_RBF = kernels.make("rbf", gamma=_GAMMA)
_BLOCKS = 200  # blocks of frequencies in a draw; each block is a sample


def _blocks(context: Context, draw: Draw) -> Callable[[int], Blocks]:
    return lambda seed: Blocks(
        draw(
            _D,
            2 * _D * _BLOCKS,
            gamma=_GAMMA,
            projections="orthogonal",
            seed=seed,
            like=context.like(),
        ),
        _D,
    )


def block_variance(x: Any, y: Any) -> Any:
    """Return m times the variance of the kernel's estimate by m features, in whole blocks."""
    k = _RBF(x, y)
    covariance = hyp1f1(_D, _D / 2, np.log(k)) - k**2  # c, of two cosines in one block
    return (1.0 - k**2) ** 2 + 2.0 * (_D - 1) * covariance


@check("fourier.orthogonal", form="printed", name="blocks of orthogonal frequencies")
def kernel(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Compare the Gaussian kernel with the mean over blocks of orthogonal frequencies."""
    rows = 0.8 * context.rng("rows").standard_normal((4, _D))
    return run_check(
        context,
        verify.check_kernel,
        _blocks(context, draw),
        claimed,
        context.asarray(rows),
        label="kernel",
        resolution=(0.06, 0.01),
        claim=r"$E\langle\Phi(x), \Phi(y)\rangle = e^{-\gamma|x-y|^2}$ for orthogonal blocks",
    )


@check("fourier.orthogonal", form="printed", name="variance of block means")
def variance(
    context: Context,
    *,
    draw: Draw = FourierFeatures.draw,
    claimed: Callable[..., Any] = block_variance,
) -> Evidence:
    """Compare the variance in closed form with that of block means."""
    x, y = along(context, _D, [0.7] if context.quick else [0.2, 0.4, 0.8, 1.2, 2.0, 3.0])
    return run_check(
        context,
        verify.check_variance,
        _blocks(context, draw),
        claimed,
        context.asarray(x),
        context.asarray(y),
        label="variance",
        # Relative: independent frequencies have 2.15 times the variance at this distance.
        resolution=(0.5, 0.1),
        claim=rf"$m\,\mathrm{{Var}} = (1 - k^2)^2 + 2(d-1)c(z)$ in whole blocks of $d = {_D}$",
        plots=(_plot(),),
    )


@check("fourier.orthogonal", form="printed", name="never much worse than independent frequencies")
def never_much_worse(context: Context, *, constant: float = 3.0) -> Evidence:
    """Check that the variance is at most 1 + 3/(d + 1) times that of independent frequencies."""
    worst, where = -np.inf, 0
    for d in (2, 3, 4, 8, 16, 64, 784):
        excess = float((ratio(np.geomspace(1e-3, 30.0, 400), d) - 1.0 - constant / (d + 1)).max())
        worst, where = max((worst, where), (excess, d))
    claim = (
        rf"the variance is at most $1 + {constant:g}/(d+1)$ times that of independent "
        rf"frequencies (nearest at $d = {where}$)"
    )
    # d - 1 times a covariance to 1e-15, over variances of at least 2e-6.
    return compute(claim, worst, 1e-6, upper=0.0, method="computed interval")


def ratio(u: Any, d: int) -> Any:
    """Return the variance over that of independent frequencies at u = gamma |x - y|^2."""
    single = 0.5 * np.expm1(-2.0 * u) ** 2
    return 1.0 + (d - 1) * (hyp1f1(d, d / 2, -u) - np.exp(-2.0 * u)) / single


def _plot() -> Plot:
    u = np.linspace(0.02, 6.0, 121)
    return plot(
        "Variance of orthogonal frequencies over that of independent ones",
        "γ |x − y|²",
        "ratio, whole blocks",
        *(Series(label=f"d = {d}", x=u, y=ratio(u, d)) for d in (2, 4, 16, 64)),
        Series(label="independent", x=(0.02, 6.0), y=(1.0, 1.0)),
        caption="At near rows 3/(d + 2) of the variance is left: that of the lengths.",
    )
