"""Variance of the two forms: pairs of cosine and sine, or cosines with an offset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from .._dedent import prose
from ._blocks import Draw

_D, _GAMMA = 5, 0.3
Kernel = Callable[[Any, Any], Any]


def of_pairs(kernel: Kernel) -> Kernel:
    """Return the variance of the estimates times m, for pairs, as a function of rows."""
    return lambda x, y: 1.0 + kernel(2.0 * x, 2.0 * y) - 2.0 * kernel(x, y) ** 2


def of_offset(kernel: Kernel) -> Kernel:
    """Return the same for cosines with an offset."""
    return lambda x, y: 1.0 + 0.5 * kernel(2.0 * x, 2.0 * y) - kernel(x, y) ** 2


_RBF = kernels.make("rbf", gamma=_GAMMA)
_OF_PAIRS, _OF_OFFSET = of_pairs(_RBF), of_offset(_RBF)


def _held(context: Context, draw: Draw, form: str, claimed: Kernel) -> verify.Verdict:
    rows = 0.8 * context.rng("rows").standard_normal((3, _D))
    options = {"gamma": _GAMMA, "form": form}
    return verify.check_variance(
        lambda seed: draw(_D, 2000, seed=seed, like=context.like(), **options),
        claimed,
        context.asarray(rows),
        false_alarm=context.false_alarm,
        resolution=0.2 if context.quick else 0.05,
        seed=context.seed_for(form),
        ledger=context.ledger,
        name=f"{STATEMENT.id}: {form}",
    )


def pairs(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Kernel = _OF_PAIRS
) -> Evidence:
    """Hold 1 + k(2z) - 2k(z)^2 against the variance of pairs."""
    return Evidence.from_verdict(
        _held(context, draw, "pairs", claimed),
        form="printed",
        claim=r"$m\,\mathrm{Var} = 1 + k(2z) - 2k(z)^2$ for pairs",
        plots=(_plot(),),
    )


def offset(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Kernel = _OF_OFFSET
) -> Evidence:
    """Hold 1 + k(2z)/2 - k(z)^2 against the variance with offsets."""
    return Evidence.from_verdict(
        _held(context, draw, "offset", claimed),
        form="printed",
        claim=r"$m\,\mathrm{Var} = 1 + \frac12 k(2z) - k(z)^2$ with an offset",
    )


# Smoothness of 1/2 and more, the Laplacian along an axis being the first of them.
_SMOOTH = (0.5, 0.75, 1.0, 1.5, 2.5, 10.0, 50.0)


def smooth(context: Context, *, smoothness: tuple[float, ...] = _SMOOTH) -> Evidence:
    """Ask whether pairs vary less at all distances, for Matern kernels of these smoothnesses."""
    found = {nu: _gain(nu) for nu in smoothness}
    nu = min(found, key=lambda one: found[one].min())
    least = float(found[nu].min())
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            r"$(V_{offset} - V_{pairs})/k^2$ is positive for Matern kernels of smoothness 1/2 and "
            f"more, at distances up to 12 lengths (least at smoothness {nu:g})"
        ),
        observed=least,
        # Kernels to 1e-12 of themselves, down to 1e-11.
        interval=(least - 1e-9, least + 1e-9),
        lower=0.0,
    )


def rough(context: Context, *, smoothness: float = 0.1) -> Evidence:
    """Ask whether offsets vary less somewhere, for a rough Matern kernel."""
    most = -float(_gain(smoothness).min())
    return Evidence.bound_comparison(
        form="printed",
        claim=rf"$V_{{pairs}} - V_{{offset}}$ is positive somewhere at smoothness {smoothness:g}",
        observed=most,
        interval=(most - 1e-9, most + 1e-9),
        lower=0.0,
    )


def _gain(nu: float) -> Any:
    """Compute (V_offset - V_pairs)/k^2 over distances."""
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
    return Plot(
        title="Variance of the estimate times the number of features",
        x_label="distance of x and y",
        y_label="m Var",
        series=tuple(series),
        caption="Pairs know k(x, x) exactly; only far rows of very rough kernels prefer offsets.",
    )


STATEMENT = Statement(
    id="fourier.pairs-variance",
    source="After Sutherland, Schneider (2015), variances of both forms",
    place="A known result, stated here; we have no copy of the paper",
    copy="none",
    hypotheses=prose("""
        A kernel of differences with $k(0) = 1$ and independent frequencies of its spectrum; both
        forms with the same number of columns.
        """),
    title="Pairs of cosine and sine vary less than cosines with an offset",
    expected="holds",
    ground=prose("""
        Both variances measured for the Gaussian kernel; where pairs vary less, computed for Matern
        kernels of several smoothnesses.
        """),
    printed=(
        r"m\,\mathrm{Var}_{pairs} = 1 + k(2z) - 2k(z)^2, \qquad "
        r"m\,\mathrm{Var}_{offset} = 1 + \tfrac12 k(2z) - k(z)^2"
    ),
    printed_text=prose("""
        At the same number $m$ of features, pairs vary less exactly where $k(2z) < 2k(z)^2$: for the
        Gaussian kernel at all $z$.
        """),
    proof=prose(r"""
        Pairs: $m/2$ independent $\cos\langle w, z\rangle$, and $\mathrm{Var}\cos\langle w,z\rangle
        = \frac12(1 + k(2z)) - k(z)^2$. Offset: $\cos\langle w, z\rangle + \cos(\langle w, x +
        y\rangle + 2b)$; given $w$ the second angle is uniform, so it is independent of the first
        and adds $\frac12$. The difference is $k(z)^2 - \frac12k(2z)$. If $\log k$ is concave along
        rays, $k(2z) \le k(z)^2$ as $k(0) = 1$, and pairs vary less by at least $\frac12k(z)^2$. So
        it is for the Gaussian, the Laplacian ($k(2z) = k(z)^2$), and Matern kernels of smoothness
        $\nu \ge \frac12$: the logarithmic derivative of $s^\nu K_\nu(s)$ is $-K_{\nu-1}/K_\nu$, the
        mean of $\cosh((\nu-1)t)/\cosh(\nu t)$ under the density proportional to $e^{-s\cosh
        t}\cosh\nu t$; the ratio falls in $t$ for $\nu > \frac12$, and larger $s$ moves the density
        to smaller $t$, so it grows in $s$. For $\nu < \frac12$ it falls, $k(2z) > k(z)^2$, and
        since $k(2z)/k(z)^2$ grows without bound as $s^{1/2-\nu}$, offsets vary less at far rows.
        """),
    note="Pairs also cost half of the projections for the same number of features.",
    checks=(
        Check(form="printed", name="variance of pairs", run=pairs),
        Check(form="printed", name="variance with an offset", run=offset),
        Check(form="printed", name="pairs vary less for smooth kernels", run=smooth),
        Check(form="printed", name="offsets vary less for rough kernels at far rows", run=rough),
    ),
)
