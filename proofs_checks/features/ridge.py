"""Excess risk of ridge regression on random features, squared loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.bounds import Bound
from mehler.bounds import ridge as bounds
from mehler.statements import Check, Context, Evidence, Statement
from mehler.verify import intervals

from .._dedent import prose
from .._worlds import hold_worlds
from . import _tight_ridge as worlds
from ._gram_draws import Draw, grams

Bounding = Callable[..., Bound]
_N, _D, _NORM, _NOISE = 24, 3, 1.0, 0.5


def _rows(context: Context) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _fourier(m: int, **options: Any) -> Any:
    return FourierFeatures.draw(_D, m, gamma=2.0, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def risks(blocks: Iterator[Any], target: Any, ridge: float) -> Any:
    """Return excess risks at the rows, in the mean over noise, for Gram matrices of features."""
    n, found = target.size, []
    for grams_ in blocks:
        away = n * ridge * np.linalg.inv(grams_ + n * ridge * np.eye(n))
        bias = np.mean((away @ target) ** 2, axis=1)
        found.append(bias + _NOISE**2 * np.sum((np.eye(n) - away) ** 2, axis=(1, 2)) / n)
    return np.concatenate(found)


def known_before(delta: float, *, bias: float, variance: float, n: int) -> float:
    """Return the bound of Avron and others at a spectral error, as recalled."""
    return (bias + variance) / (1 - delta) + delta / (1 + delta) * _NOISE**2 * min(1.0, n)


def printed(
    context: Context, *, bound: Callable[..., float] = known_before, m: int = 600
) -> Evidence:
    """Hold the known inequality in every draw whose spectral error is below 1."""
    rows, ridge = _rows(context), 0.02
    kernel = _fourier(2, seed=0).kernel(rows)
    shift = _N * ridge * np.eye(_N)
    target = _target(context, kernel)
    inverse = np.linalg.inv(kernel + shift)
    exact = {
        "bias": ridge * float(target @ inverse @ target),
        "variance": _NOISE**2 * float(np.trace(kernel @ inverse)) / _N,
        "n": _N,
    }
    root = np.linalg.cholesky(inverse)
    worst, n_draws = 0.0, 100 if context.quick else 2000
    for block in grams(context, _fourier, "known", rows, n_features=m, n_draws=n_draws):
        errors = np.abs(np.linalg.eigvalsh(root.T @ (block - kernel) @ root)).max(axis=1)
        for error, risk in zip(errors, risks(iter([block]), target, ridge), strict=True):
            if error < 1:
                worst = max(worst, float(risk) / bound(float(error), **exact))
    return Evidence.bound_comparison(
        form="printed",
        claim="risk over its bound by the spectral error of the same draw, at most 1",
        observed=worst,
        interval=(worst * (1 - 1e-9), worst * (1 + 1e-9)),
        upper=1.0,
        method=f"computed for each of {n_draws} draws",
    )


def _target(context: Context, kernel: Any) -> Any:
    """Return a target of norm 1 whose weights lie where the bias of the exact kernel is large."""
    mu, vectors = np.linalg.eigh(kernel)
    return vectors[:, -3:] @ np.sqrt(np.maximum(mu[-3:], 0) / 3) * _NORM


def drawn(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold the mean risk over draws against the bound, for bounded and unbounded features."""
    context.ledger.spend(f"{STATEMENT.id}: drawn", context.false_alarm)
    rows, cases = _rows(context), list(_settings(context))
    n_draws = 1000 if context.quick else 20_000
    share = context.false_alarm / len(cases)
    worst: tuple[float, ...] = (-math.inf, 0.0, 0.0, 0.0)
    for name, draw, ridge, m in cases:
        kernel = draw(2, seed=0).kernel(rows)
        target = _target(context, kernel)
        known: dict[str, Any] = {"sup": 1.0, "block": 2}
        if name == "maxout":
            known = {"lipschitz": float(np.linalg.norm(rows, 2))}
        limit = bound(m, ridge=ridge, norm=_NORM, noise=_NOISE, gram=kernel, **known).value
        blocks = grams(context, draw, f"{name}/{ridge}", rows, n_features=m, n_draws=n_draws)
        found = risks(blocks, target, ridge)
        most = float(np.linalg.eigvalsh(kernel)[-1]) / _N * _NORM**2 + _NOISE**2
        low, high = intervals.bounded(found, 0.0, most, share)
        worst = max(worst, (low / limit, float(found.mean()) / limit, high / limit, m))
    return Evidence.bound_comparison(
        form="proved",
        claim=f"mean risk over its bound, at most 1 (largest of {len(cases)} settings)",
        observed=worst[1],
        interval=(worst[0], worst[2]),
        upper=1.0,
        false_alarm=context.false_alarm,
        n_features=int(worst[3]) * n_draws,
        method=f"empirical Bernstein interval of {n_draws} draws",
        assumptions=("draws are independent",),
    )


def _settings(context: Context) -> Iterator[tuple[str, Draw, float, int]]:
    sizes = ((0.05, 400),) if context.quick else ((0.2, 20), (0.05, 400), (0.005, 100))
    for ridge, m in sizes:
        yield "pairs", _fourier, ridge, m
        yield "maxout", _maxout, ridge, m


def tight(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold each term where it is nearly equal to the risk."""
    return hold_worlds(
        [*worlds.one_row(bound), *worlds.left_out(bound)], form="proved", claim="mean excess risk"
    )


STATEMENT = Statement(
    id="features.ridge",
    source="Ours, after Avron and others (2017), Lemma 2, and Rudi, Rosasco (2017), Theorem 1",
    place="A known result, as recalled, and ours; we have no copy of the papers",
    copy="none",
    hypotheses=prose(
        r"""
        $y_i = f(x_i) + \epsilon_i$ with independent noise of mean 0 and variance at most
        $\sigma^2$; $\|f\|_H \le B$; independent blocks of features with the mean $K$.
        """
    ),
    title="Ridge regression on random features",
    expected="holds",
    ground=prose(
        r"""
        The risk in the mean over noise, computed for draws of cosines, sines and maxout features;
        and worlds of one row, of equal and of orthogonal rows, where each term is nearly the risk.
        """
    ),
    printed=(
        r"\mathbb{E}\,\frac1N|\hat f - f|^2 \le \frac1{1-\Delta}\left(\lambda f^\top"
        r"(K+N\lambda)^{-1}f + \frac{\sigma^2d(\lambda)}N\right) + \frac{\Delta}{1+\Delta}\sigma^2"
        r"\frac{\mathrm{rank}}N"
    ),
    printed_text=prose(
        r"""
        At the rows, for features whose Gram matrix has the spectral error $\Delta < 1$.
        """
    ),
    proved=(
        r"\mathbb{E}\,\frac1N|\hat f - f|^2 \le c^2\frac{\lambda B^2}{4} + c\,\frac{\sigma^2"
        r"d(\lambda)}N + c^2\lambda B^2\int_0^{\Delta_1} g'(t)\,p_m(t)\,dt"
    ),
    proved_text=prose(
        r"""
        In the mean over noise and features; $c = 1$ at the rows, $c = 1 + \kappa^2/(N\lambda)$ at a
        row that is left out, the risk at a fresh row. $g(t) = \frac14(1-t)^{-2}$ up to $\frac12$,
        then $t/(1-t)$; $\lambda g(\Delta_1) = \mu_1/N$; $p_m(t)$ bounds the chance that $\hat K +
        N\lambda$ is not above $(1-t)(K + N\lambda)$. $\lambda = N^{-1/2}$ and $\sqrt N\log N$
        bounded features give the rate $N^{-1/2}$.
        """
    ),
    proof=prose(
        r"""
        Only the lower side of the spectrum is needed. With $\hat K + N\lambda \succeq
        (1-t)(K+N\lambda)$ the worst bias is $\lambda B^2\sup_x(x+t)/((1-t)(x+1)^2) = \lambda
        B^2g(t)$; without it, at most $B^2\mu_1/N$. The variance is at most
        $\sigma^2\mathrm{tr}\,\hat K(\hat K+N\lambda)^{-1}/N$, concave in $\hat K$, so its mean is
        at most $\sigma^2d(\lambda)/N$. A row that is left out has its residual over $1 - h$, $h \le
        \kappa^2/(\kappa^2+N\lambda)$ its leverage.
        """
    ),
    note=prose(
        r"""
        No rank and no $1/(1-\Delta)$ in the variance: it is that of the exact kernel, however few
        the features.
        """
    ),
    checks=(
        Check(form="printed", name="the known inequality", run=printed),
        Check(form="proved", name="cosines, sines and maxout features", run=drawn),
        Check(form="proved", name="worlds where it is tight", run=tight),
    ),
)
