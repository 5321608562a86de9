"""Example 1: the variance of the features of a Gaussian kernel, of pairs and with a phase."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, verify
from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Plot, Series, Statement

from .._dedent import prose

Variance = Callable[[float], float]
_DISTANCES = (0.25, 0.5, 1.0, 2.0)
_ROUNDING = 1e-10


def as_restored(z: float) -> float:
    """Compute D Var of the mean of D products: (1 - e^(-z^2))^2/2."""
    return 0.5 * math.expm1(-z * z) ** 2


def with_phase(z: float) -> float:
    """Compute it for 2 cos(u + b) cos(v + b): 1 + k^4/2 - k^2, k = e^(-z^2/2)."""
    return 1 + 0.5 * math.exp(-2 * z * z) - math.exp(-z * z)


def of_phases(z: float) -> float:
    """Compute Var 2 cos(b) cos(wz + b): Gauss-Hermite in w, exact sums over 16 phases."""
    w, mass = np.polynomial.hermite_e.hermegauss(80)
    b = 2 * np.pi * np.arange(16) / 16
    product = 2 * np.cos(b) * np.cos(w[:, None] * z + b)
    mean, square = ((mass @ (product**k).mean(axis=1)) / mass.sum() for k in (1, 2))
    return float(square - mean**2)


def of_pairs(z: float) -> float:
    """Compute Var cos(wz)."""
    w, mass = np.polynomial.hermite_e.hermegauss(80)
    mean, square = ((mass @ np.cos(w * z) ** k) / mass.sum() for k in (1, 2))
    return float(square - mean**2)


def _compare(form: Any, claim: str, true: Variance, claimed: Variance, plots: Any = ()) -> Evidence:
    ratios = np.array([claimed(z) / true(z) for z in _DISTANCES])
    worst = float(ratios[np.argmax(np.abs(ratios - 1))])
    return Evidence.exact_comparison(
        form=form,
        claim=f"{claim}: over the true one, farthest from 1 of four distances",
        observed=worst,
        exact=1.0,
        interval=(worst - _ROUNDING, worst + _ROUNDING),
        method="Gauss-Hermite quadrature in the frequency, sums over phases",
        plots=plots,
    )


def pairs(context: Context, *, claimed: Variance = as_restored) -> Evidence:
    """Hold the variance against pairs of cosine and sine, the features of the cited lemma."""
    return _compare(
        "restored",
        r"$\frac12(1-e^{-z^2})^2$ is the variance of $\cos\omega^\top(x-y)$",
        of_pairs,
        claimed,
        (_plot(),),
    )


def phases(context: Context, *, claimed: Variance = with_phase) -> Evidence:
    """Hold the other variance against features with a phase."""
    return _compare(
        "proved",
        r"$1 + \frac12e^{-2z^2} - e^{-z^2}$ is that of features with a phase",
        of_phases,
        claimed,
    )


def measured(context: Context, *, claimed: Variance = with_phase) -> Evidence:
    """Measure the variance of features with a phase."""
    x = np.zeros((1, 3))
    y = x + np.array([[0.4, -0.3, 0.0]])
    z = 0.5

    def variance(left: Any, right: Any) -> Any:
        return np.full((len(left), len(right)), claimed(z))

    verdict = verify.check_variance(
        lambda seed: FourierFeatures.draw(3, 1000, gamma=0.5, form="offset", seed=seed),
        variance,
        x,
        y,
        resolution=0.2 if context.quick else 0.05,
        false_alarm=context.false_alarm,
        seed=context.seed_for("measured"),
        ledger=context.ledger,
        name=f"{STATEMENT.id}: measured",
    )
    return Evidence.from_verdict(
        verdict,
        form="proved",
        claim=r"$m\,\mathrm{Var}\langle\Phi(x),\Phi(y)\rangle$ over $1+\frac12e^{-2z^2}-e^{-z^2}$",
    )


def _plot() -> Plot:
    z = np.linspace(0.0, 3.0, 61)
    return Plot(
        title="Variance of one product of Gaussian features",
        x_label="distance of the rows over the bandwidth",
        y_label="variance",
        series=(
            Series(label="pairs", x=z, y=np.array([as_restored(one) for one in z])),
            Series(label="with a phase", x=z, y=np.array([with_phase(one) for one in z])),
        ),
        caption="Near rows: pairs have no variance, features with a phase have 1/2.",
    )


STATEMENT = Statement(
    id="leverage.example-1",
    source="Shahrampour, Kolouri (2019), Example 1, after Yu and others (2016), Lemma 2",
    place="Section III, Example 1; our copy, lines 267 to 271, without the formulas",
    copy="lost",
    hypotheses=prose("""
        The Gaussian kernel by Monte Carlo sampling, "see Lemma 2 in [25]": that lemma, on
        orthogonal random features, is about pairs of cosine and sine. And "for small" distances,
        for the second form.
        """),
    title="Example 1: the variance of Gaussian features",
    expected=RESTORED_HOLDS,
    ground=prose("""
        For pairs of cosine and sine, which the cited lemma is about, quadrature over the frequency
        gives the restored variance at four distances.
        """),
    printed=(
        r"\mathrm{Var}\,\hat K_D(x, x') = \frac{1}{2D}\left(1-e^{-z^2}\right)^2 \approx "
        r"\frac{z^4}{2D}, \qquad z = \frac{\|x-x'\|}{\sigma}"
    ),
    printed_text=prose("""
        For the Gaussian kernel, by pairs of cosine and sine, the variance vanishes for rows that
        are near against the bandwidth, and so does the second error term of Theorem 1.
        """),
    proved=(
        r"\frac{1}{2D}\left(1-e^{-z^2}\right)^2 \;\text{ for pairs of cosine and sine}, \qquad "
        r"\frac{1}{D}\left(1+\frac12e^{-2z^2}-e^{-z^2}\right) \;\text{ with a phase}"
    ),
    proved_text=prose(r"""
        Beside it: features with a phase, $\cos(\omega^\top x + b)$, as in the paper's experiments
        (Section V), do not profit: at near rows their variance is $1/(2D)$.
        """),
    proof=prose(r"""
        $\omega^\top(x-x')$ is $N(0, z^2)$: $E\cos = e^{-z^2/2} = k$, $E\cos^2 = \frac12(1+k^4)$,
        and $\frac12(1+k^4)-k^2 = \frac12(1-k^2)^2$. With a phase, $2\cos(u+b)\cos(v+b) = \cos(u-v)
        + \cos(u+v+2b)$, and the second term has mean 0, adds $\frac12$ and is not correlated with
        the first.
        """),
    checks=(
        Check(form="restored", name="pairs of cosine and sine", run=pairs),
        Check(form="proved", name="the variance with a phase", run=phases),
        Check(form="proved", name="measured at z = 1/2", run=measured),
    ),
)
