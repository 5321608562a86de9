"""Bochner: the mean of cos<w, x - y> over a kernel's spectrum is the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from .._dedent import prose
from ._blocks import Draw, along
from ._frequencies import frequencies

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
        name=f"{STATEMENT.id}: {what}",
    )


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


STATEMENT = Statement(
    id="fourier.kernel",
    source="After Rahimi, Recht (2007): Bochner's theorem and random cosines",
    place="A known result, stated here; we have no copy of the paper",
    copy="none",
    hypotheses=prose("""
        A continuous kernel of differences with $k(0) = 1$, whose spectrum is the law of the
        frequencies; for single cosines an offset that is uniform on a turn.
        """),
    title="Fourier features have the kernel of their spectrum",
    expected="holds",
    ground=prose("""
        Gaussian, Laplacian and Matern kernels, as pairs and with an offset, measured against a
        second implementation of each kernel.
        """),
    printed=(
        r"k(x - y) = \mathbb{E}\cos\langle w, x - y\rangle = "
        r"\mathbb{E}\, 2\cos(\langle w, x\rangle + b)\cos(\langle w, y\rangle + b)"
    ),
    printed_text=prose("""
        For a kernel of differences with $k(0) = 1$ whose spectrum is the law of $w$, and $b$
        uniform on a turn, inner products of random cosines and sines estimate the kernel without
        bias.
        """),
    proof=prose(r"""
        The real part of the characteristic function of $w$ is $k$. Cosine and sine of one
        frequency: $\cos a\cos a' + \sin a\sin a' = \cos(a - a')$. With an offset, $2\cos(a +
        b)\cos(a' + b) = \cos(a - a') + \cos(a + a' + 2b)$ and the last term has mean 0, given $w$.
        Spectra: a Gaussian vector of variance $2\gamma$ has $E\cos\langle w, z\rangle =
        e^{-\gamma|z|^2}$; a Cauchy variable of scale $\gamma$ has $e^{-\gamma|t|}$, and independent
        entries multiply; a Gaussian over $\ell\sqrt{u/2\nu}$, $u \sim \chi^2_{2\nu}$, has
        $E\,e^{-\nu|z|^2/(\ell^2u)}$, which is $\frac{2^{1-\nu}}{\Gamma(\nu)}s^\nu K_\nu(s)$ at $s =
        \sqrt{2\nu}|z|/\ell$ by the integral for $K_\nu$.
        """),
    note=prose("""
        $b$ on half a turn is as good, as $2b$ is uniform then; and on a quarter turn for symmetric
        spectra, where only the features' own law is wrong.
        """),
    checks=(
        Check(form="printed", name="pairs at Gaussian frequencies", run=gaussian),
        Check(form="printed", name="cosines with an offset", run=offset),
        Check(form="printed", name="pairs at Cauchy frequencies", run=laplacian),
        Check(form="printed", name="pairs at Student frequencies", run=matern),
        Check(form="printed", name="the law of the frequencies", run=frequencies),
    ),
)
