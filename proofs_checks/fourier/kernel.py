"""Bochner: the mean of cos<w, x - y> over a kernel's spectrum is the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from ._blocks import Draw, along

# What the library calls a kernel, and what `mehler.verify` does: two implementations.
_GAUSSIAN: dict[str, Any] = {"kernel": "rbf", "gamma": 0.3}
_LAPLACIAN: dict[str, Any] = {"kernel": "laplacian", "gamma": 0.3}
_MATERN: dict[str, Any] = {"kernel": "matern", "nu": 1.5, "length_scale": 1.5}
_RBF = kernels.make("rbf", gamma=0.3)
_L1 = kernels.make("laplacian", gamma=0.3)
_ROUGH = kernels.make("matern", nu=1.5, length_scale=1.5)
_D = 5


def _held(
    context: Context, draw: Draw, options: dict[str, Any], claimed: Any, what: str
) -> verify.Verdict:
    rows = 0.8 * context.rng("rows").standard_normal((4, _D))
    return verify.check_kernel(
        lambda seed: draw(_D, 2000, seed=seed, like=context.like(), **options),
        claimed,
        context.asarray(rows),
        false_alarm=context.false_alarm,
        resolution=0.04 if context.quick else 0.01,
        seed=context.seed_for(what),
        ledger=context.ledger,
        name=f"{context.statement}: {what}",
    )


@check("fourier.kernel", form="printed", name="pairs at Gaussian frequencies")
def gaussian(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Hold exp(-gamma |x - y|^2) against cosines and sines of N(0, 2 gamma I)."""
    verdict = _held(context, draw, {**_GAUSSIAN, "form": "pairs"}, claimed, "Gaussian")
    return Evidence.from_verdict(
        verdict,
        form="printed",
        claim=r"$w \sim N(0, 2\gamma I)$: $E\langle\Phi(x), \Phi(y)\rangle = e^{-\gamma|x-y|^2}$",
        plots=(_plot(context),),
    )


@check("fourier.kernel", form="printed", name="cosines with an offset")
def offset(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Hold the same against single cosines with a uniform offset."""
    verdict = _held(context, draw, {**_GAUSSIAN, "form": "offset"}, claimed, "offset")
    return Evidence.from_verdict(
        verdict,
        form="printed",
        claim=r"$b$ uniform on a turn: $E\,2\cos(\langle w,x\rangle + b)"
        r"\cos(\langle w,y\rangle + b) = e^{-\gamma|x-y|^2}$",
    )


@check("fourier.kernel", form="printed", name="pairs at Cauchy frequencies")
def laplacian(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _L1
) -> Evidence:
    """Hold exp(-gamma |x - y|_1) against frequencies with Cauchy entries."""
    verdict = _held(context, draw, _LAPLACIAN, claimed, "Laplacian")
    return Evidence.from_verdict(
        verdict,
        form="printed",
        claim=r"entries Cauchy of scale $\gamma$: $E\langle\Phi(x), \Phi(y)\rangle = "
        r"e^{-\gamma|x-y|_1}$",
    )


@check("fourier.kernel", form="printed", name="pairs at Student frequencies")
def matern(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _ROUGH
) -> Evidence:
    """Hold Matern's kernel against frequencies of Student's law."""
    verdict = _held(context, draw, _MATERN, claimed, "Matern")
    return Evidence.from_verdict(
        verdict,
        form="printed",
        claim=r"$w$ of Student's $t$ with $2\nu$ degrees of freedom over $\ell$: the Matern kernel",
    )


def _plot(context: Context) -> Plot:
    distances = np.linspace(0.0, 6.0, 61)
    x, y = along(context, _D, distances)
    curves, measured = [], []
    for options in (_GAUSSIAN, _LAPLACIAN, _MATERN):
        phi = FourierFeatures.draw(_D, 2000, seed=context.seed_for("plot"), **options)
        name = options["kernel"]
        curves.append(Series(label=name, x=distances, y=phi.kernel(x, y)[0]))
        measured.append(
            Series(
                label=f"{name}, 1000 frequencies",
                x=distances[::4],
                y=phi.gram(x, y)[0, ::4],
                kind="points",
            )
        )
    return Plot(
        title="Kernels and one draw of 1000 frequencies",
        x_label="distance of x and y, in one direction",
        y_label="kernel",
        series=(*curves, *measured),
        caption="One draw: errors at different distances are dependent.",
    )
