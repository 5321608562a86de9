"""Check Fourier frequencies from fast transforms: unbiased, and nearly as good as orthogonal ones.

After Fastfood (Le, Sarlos, Smola 2013) d inputs are padded to D, a power of 2. A block of D
frequencies takes random signs and an order of the inputs, a Walsh-Hadamard transform, a rotation of
each cell of b entries, another transform, and lengths. The features' mean products are compared
with the Gaussian kernel, their variance with a formula.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from mehler import FourierFeatures, _arrays, kernels, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute, run_check
from .._plots import plot
from ._blocks import Draw, along

# d = 40 inputs are padded to D = 64: two cells of b = 32 entries, and one block of 64 frequencies.
_D, _SIZE, _GAMMA = 40, 64, 0.3
_RBF = kernels.make("rbf", gamma=_GAMMA)


def _options(context: Context) -> dict[str, Any]:
    return {"gamma": _GAMMA, "projections": "hadamard", "like": context.like()}


@check("fourier.structured", form="printed", name="structured blocks")
def kernel(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Compare the Gaussian kernel with structured blocks; samples are whole draws."""
    rows = 0.25 * context.rng("rows").standard_normal((4, _D))
    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(_D, 2 * _SIZE, seed=seed, **_options(context)),
        claimed,
        context.asarray(rows),
        label="kernel",
        resolution=(0.05, 0.01),
        claim=r"$E\langle\Phi(x), \Phi(y)\rangle = e^{-\gamma|x-y|^2}$ for structured blocks",
    )


def turned_rows(cells: int, z: Any) -> list[float]:
    """Return all <z, Tz> for T = U'SU, U a transform of signed, ordered entries, S signs of cells.

    They say how far two frequencies of a block are from orthogonal at z = x - y.
    """
    walsh = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    outer = np.kron(walsh[: 4 // cells, : 4 // cells], np.ones((1, cells)))
    products = []
    for signs in itertools.product((-1.0, 1.0), repeat=4):
        for order in itertools.permutations(range(4)):
            squares = (walsh @ (np.asarray(signs) * z[list(order)]) / 2.0) ** 2
            products.extend((outer[1:] @ squares).tolist())
    return products


@check("fourier.structured", form="printed", name="what a turn leaves of a direction")
def turns(
    context: Context,
    *,
    spread: Callable[[float], float] = lambda fourth: 2.0 * (1.0 - fourth) / 3.0,
) -> Evidence:
    """Compare the mean of <z, Tz>^2 with 2 (1 - sum z^4)/(D - 1), over all signs and orders."""
    directions = np.vstack([np.eye(4)[:1], context.rng("turns").standard_normal((3, 4))])
    worst: tuple[float, ...] = (-1.0,)
    for z in directions / np.linalg.norm(directions, axis=1, keepdims=True):
        for cells in (1, 2):
            observed = float(np.mean(np.square(turned_rows(cells, z))))
            exact = spread(float((z**4).sum()))
            worst = max(worst, (abs(observed - exact), observed, exact))
    _, observed, exact = worst
    claim = r"$E\langle z, Tz\rangle^2 = 2(1 - \sum_jz_j^4)/(D-1)$, by enumeration at $D = 4$"
    # The error: means of products of a few numbers below 1.
    return compute(
        claim, observed, 1e-14, exact=exact, resolution=1e-12, method="computed interval"
    )


@check(
    "fourier.structured",
    form="printed",
    name="variance at rows that differ in one coordinate",
    pays=True,
)
def variance(context: Context, *, draw: Draw = FourierFeatures.draw) -> Evidence:
    """Compare the kernel estimate's variance with draws, at rows that differ in one coordinate."""
    z, options = 1.3, _options(context)
    u = _GAMMA * z**2
    k = float(np.exp(-u))
    single = 0.5 * (1.0 - k**2) ** 2
    covariance = float(hyp1f1(_SIZE, _SIZE / 2, -u)) - k**2
    exact = (single + (_SIZE - 1) * covariance) / _SIZE
    origin, rows = context.asarray(np.zeros((1, _D))), context.asarray(z * np.eye(_D))
    # In units of the exact value: independent rows have ten times that.
    n, resolution = (1_000, 1.0) if context.quick else (20_000, 0.2)
    seeds = context.rng("variance").integers(2**32, size=n)
    # The mean over all axes in one draw is one sample.
    samples = [
        _arrays.to_host(draw(_D, 2 * _SIZE, seed=int(s), **options).gram(origin, rows))
        for s in seeds
    ]
    squares = np.mean((np.concatenate(samples) - k) ** 2, axis=1) / exact
    low, high = verify.intervals.self_normalised(squares, context.false_alarm, scale=resolution)
    return Evidence.from_interval(
        claim=r"for $z = x - y$ along an axis, $\mathrm{Var} = \frac1D(V + (D-1)c)$, that of "
        "orthogonal rows (in units of this value)",
        observed=float(squares.mean()),
        exact=1.0,
        interval=(low, high),
        n_features=n * 2 * _SIZE,
        false_alarm=context.false_alarm,
        resolution=resolution,
        method="mean square about the exact kernel (self-normalised)",
        assumptions=("the kurtosis of a square is at most 0.15 n / log(8/false_alarm)",),
        plots=(_plot(context),),
    )


def _plot(context: Context) -> Plot:
    u = np.linspace(0.1, 4.0, 14)
    x, y = along(context, _D, np.sqrt(u / _GAMMA))
    series = []
    for name in ("gaussian", "orthogonal", "hadamard"):
        phi = FourierFeatures.draw(_D, 2 * _SIZE, gamma=_GAMMA, projections=name, seed=0)
        claimed = phi.gram_variance(x, y)[0] * phi.n_features
        series.append(Series(label=f"{name}, {_LABEL[name]}", x=u, y=claimed))
    ratios = np.array(
        [
            FourierFeatures.draw(_D, 2 * _SIZE, gamma=_GAMMA, projections="hadamard", seed=s).gram(
                x, y
            )[0]
            for s in range(50)
        ]
    )
    series.append(
        Series(label="hadamard, 50 draws", x=u, y=ratios.var(axis=0) * 2 * _SIZE, kind="points")
    )
    return plot(
        f"Variance of {_SIZE} frequencies, {_D} inputs",
        "γ |x − y|²",
        "variance times m",
        *series,
        caption="Structured blocks are as good as orthogonal ones but for 2/b, b = 32, at most.",
    )


_LABEL = {"gaussian": "exact", "orthogonal": "exact", "hadamard": "bound"}
