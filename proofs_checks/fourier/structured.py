"""Structured blocks by Walsh-Hadamard transforms: exact in mean, nearly orthogonal."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from mehler import FourierFeatures, kernels, verify
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement
from mehler.statements._evidence import Status

from .._dedent import prose
from ._blocks import Draw, along

# 40 inputs are padded to 64: two cells of 32, one block of 64 units.
_D, _SIZE, _GAMMA = 40, 64, 0.3
_RBF = kernels.make("rbf", gamma=_GAMMA)


def _options(context: Context) -> dict[str, Any]:
    return {"gamma": _GAMMA, "projections": "hadamard", "like": context.like()}


def kernel(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Hold the Gaussian kernel against structured blocks: whole draws are the samples."""
    rows = 0.25 * context.rng("rows").standard_normal((4, _D))
    verdict = verify.check_kernel(
        lambda seed: draw(_D, 2 * _SIZE, seed=seed, **_options(context)),
        claimed,
        context.asarray(rows),
        false_alarm=context.false_alarm,
        resolution=0.05 if context.quick else 0.01,
        seed=context.seed_for("kernel"),
        ledger=context.ledger,
        name=f"{STATEMENT.id}: kernel",
    )
    return Evidence.from_verdict(
        verdict,
        form="printed",
        claim=r"$E\langle\Phi(x), \Phi(y)\rangle = e^{-\gamma|x-y|^2}$ for structured blocks",
    )


def turned_rows(cells: int, z: Any) -> list[float]:
    """Return <z, Tz> for all signs and orders of 4 inputs, by cells of 1 or 2."""
    walsh = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    outer = np.kron(walsh[: 4 // cells, : 4 // cells], np.ones((1, cells)))
    found = []
    for signs in itertools.product((-1.0, 1.0), repeat=4):
        for order in itertools.permutations(range(4)):
            squares = (walsh @ (np.asarray(signs) * z[list(order)]) / 2.0) ** 2
            found.extend((outer[1:] @ squares).tolist())
    return found


def turns(
    context: Context,
    *,
    spread: Callable[[float], float] = lambda fourth: 2.0 * (1.0 - fourth) / 3.0,
) -> Evidence:
    """Hold E <z, Tz>^2 = 2 (1 - sum z^4)/(D - 1) against all signs and orders at D = 4."""
    directions = np.vstack([np.eye(4)[:1], context.rng("turns").standard_normal((3, 4))])
    worst: tuple[float, ...] = (-1.0,)
    for z in directions / np.linalg.norm(directions, axis=1, keepdims=True):
        for cells in (1, 2):
            observed = float(np.mean(np.square(turned_rows(cells, z))))
            exact = spread(float((z**4).sum()))
            worst = max(worst, (abs(observed - exact), observed, exact))
    _, observed, exact = worst
    return Evidence.exact_comparison(
        form="printed",
        claim=r"$E\langle z, Tz\rangle^2 = 2(1 - \sum_jz_j^4)/(D-1)$, by enumeration at $D = 4$",
        observed=observed,
        exact=exact,
        # Means of products of a few numbers below 1.
        interval=(observed - 1e-14, observed + 1e-14),
        resolution=1e-12,
    )


def variance(context: Context, *, draw: Draw = FourierFeatures.draw) -> Evidence:
    """Hold the variance against draws at rows that differ in one coordinate: tau = 0 there."""
    z, options = 1.3, _options(context)
    u = _GAMMA * z**2
    k = float(np.exp(-u))
    single = 0.5 * (1.0 - k**2) ** 2
    covariance = float(hyp1f1(_SIZE, _SIZE / 2, -u)) - k**2
    exact = (single + (_SIZE - 1) * covariance) / _SIZE
    context.ledger.spend(f"{STATEMENT.id}: variance", context.false_alarm)
    rows = context.asarray(z * np.eye(2, _D, k=-1))
    n, resolution = (4_000, 1.0) if context.quick else (50_000, 0.2)
    seeds = context.rng("variance").integers(2**32, size=n)
    samples = np.array(
        [float(draw(_D, 2 * _SIZE, seed=int(s), **options).gram(rows)[0, 1]) for s in seeds]
    )
    squares = (samples - k) ** 2 / exact
    low, high = verify.intervals.nonnegative(squares, context.false_alarm)
    status: Status = "inconclusive" if high - low > resolution else "holds"
    if not low <= 1.0 <= high:
        status = "refuted"
    return Evidence(
        form="printed",
        status=status,
        claim=r"for $z = x - y$ along an axis, $\mathrm{Var} = \frac1D(V + (D-1)c)$, that of "
        "orthogonal rows (in units of this value)",
        observed=float(squares.mean()),
        exact=1.0,
        interval=(low, high),
        n_features=n * 2 * _SIZE,
        false_alarm=context.false_alarm,
        resolution=resolution,
        detectable=high - low,
        method="mean square about the exact kernel (betting; bounded moments above)",
        assumptions=(
            "a variance below the claim is seen if squares have a mean square at most five times "
            "what they show",
        ),
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
    found = np.array(
        [
            FourierFeatures.draw(_D, 2 * _SIZE, gamma=_GAMMA, projections="hadamard", seed=s).gram(
                x, y
            )[0]
            for s in range(100)
        ]
    )
    series.append(
        Series(label="hadamard, 100 draws", x=u, y=found.var(axis=0) * 2 * _SIZE, kind="points")
    )
    return Plot(
        title=f"Variance of {_SIZE} frequencies, {_D} inputs",
        x_label="gamma |x - y|^2",
        y_label="m Var",
        series=tuple(series),
        caption="Structured blocks are as good as orthogonal ones but for 2/b, b = 32, at most.",
    )


_LABEL = {"gaussian": "exact", "orthogonal": "exact", "hadamard": "bound"}

STATEMENT = Statement(
    id="fourier.structured",
    source="Ours, for Le, Sarlos, Smola (2013), Fastfood",
    place="Ours; nobody prints it",
    copy="none",
    hypotheses=prose("""
        $D$ and the cell size $b$ are powers of 2; signs, orders, cells and lengths are independent.
        The bound on the variance is for the Gaussian kernel's cosines, or any function of one
        direction.
        """),
    title="Structured blocks: no bias, and 2/b of variance more than orthogonal ones",
    expected="holds",
    ground=prose("""
        The kernel measured; what a turn leaves of a direction enumerated at $D = 4$; the variance
        measured at rows that differ in one coordinate, where it has a closed form.
        """),
    printed=(
        r"W = \mathrm{diag}(r_l/S)\,(H_{D/b} \otimes I_b)\,\mathrm{diag}(s_cQ_c)\, "
        r"\tfrac{1}{\sqrt D} H B \Pi: \qquad w_l \sim N(0, I_D), \quad "
        r"m\,\mathrm{Var} \le V + (D-1)c + \tfrac2b V + V/D^2"
    ),
    printed_text=prose(r"""
        Blocks of Walsh and Hadamard matrices $H$ around cells $Q_c$ from Haar's measure on $b$
        dimensions, with $s_c \sim \chi_b$, $r_l \sim \chi_D$, signs $B$ and an order $\Pi$: every
        row is exactly Gaussian, so the kernel has no bias; for functions of one direction the
        variance exceeds that of orthogonal blocks by at most $\frac2b(1 - \sum_jz_j^4)V$ and
        $V/D^2$, for unit vectors $z$ and $V$ that of one unit.
        """),
    proof=prose(r"""
        Given the turn $U = \frac1{\sqrt D}HB\Pi$, a row before its length is, cell by cell, a sign
        times $s_c$ times a row of $Q_c$, which is $N(0, I_b)$: so it is $N(0, I_D)$, its direction
        is uniform and independent of its length $S$, and $r_l$ replaces $S$ by its like. Two rows
        of one block have directions $\theta$ and $T\theta$ with $T$ orthogonal and independent of
        $\theta$, so for $f = \sum_n f_nP_n$ the covariance is $\sum_n f_n^2E P_n(\tau)$, $\tau =
        \langle z, Tz\rangle$. At different places of their cells $T$ is skew and $\tau = 0$, as for
        orthogonal rows. At equal places $\tau = \sum_c\pm|(Uz)_c|^2$ with balanced signs, and
        $E\tau^2 = 2(1 - \sum_jz_j^4)/(D-1)$. From Laplace's integral $|P_n(\tau)| \le \tau^2 +
        (1-\tau^2)|P_n(0)|$ for even $n$; so each of the $D/b - 1$ such rows adds at most
        $V(\frac{D}{D-1}E\tau^2 + 30/D^3)$.
        """),
    note=prose(r"""
        $b = 1$ is Fastfood's product; without new lengths its rows share one, and at near rows it
        varies three times as much as independent ones. $b = D$ is orthogonal. With $b = 32$ the
        excess is a sixteenth, and products still cost $O(\log D)$ a unit.
        """),
    checks=(
        Check(form="printed", name="structured blocks", run=kernel),
        Check(form="printed", name="what a turn leaves of a direction", run=turns),
        Check(form="printed", name="variance at rows that differ in one coordinate", run=variance),
    ),
)
