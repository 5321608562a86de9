"""Spectral error of the Gram matrix of m features, relative to the kernel and a ridge."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.bounds import Bound, Term, spectral
from mehler.bounds.lower import LowerBound
from mehler.statements import Check, Context, Evidence, Statement

from .._dedent import prose
from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from ._directions import best_direction
from ._gram_draws import Draw, grams, norms
from .worlds import _grams as worlds

Bounding = Callable[..., Bound]
_GAMMA, _D, _N, _DELTA = 0.5, 3, 16, 0.05


def _rows(context: Context, *, unit: bool = False) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit else rows


def _fourier(form: Literal["pairs", "offset"]) -> Draw:
    return lambda m, **options: FourierFeatures.draw(_D, m, gamma=_GAMMA, form=form, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def _draws(context: Context) -> int:
    return 1000 if context.quick else 20_000


def _errors(context: Context, draw: Draw, label: str, rows: Any, m: int, ridge: Any) -> Any:
    kernel = draw(2, seed=0).kernel(rows)
    blocks = grams(context, draw, label, rows, n_features=m, n_draws=_draws(context))
    return norms(blocks, kernel, ridge)


def known_before(m: int, *, ridge: float, delta: float, eigenvalues: Any) -> Bound:
    """Return the Delta of Avron and others for m columns of cosines and sines, as recalled."""
    d = float(np.sum(eigenvalues / (eigenvalues + ridge)))
    n = len(eigenvalues)
    value = math.sqrt(8 / 3 * n / ridge * math.log(16 * d / delta) / (m / 2))
    return Bound(
        statement=STATEMENT.id,
        form="printed",
        quantity="spectral error of the Gram matrix",
        terms=(Term("deviation", value),),
        probability=1 - delta,
    )


def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known form, for pairs, where it promises less than 1."""
    context.ledger.spend(f"{STATEMENT.id}: known", context.false_alarm)
    rows, draw = _rows(context), _fourier("pairs")
    mu = np.linalg.eigvalsh(draw(2, seed=0).kernel(rows))
    cases = []
    for ridge, m in ((3.5, 800), (2.0, 1600)):
        drawn = _errors(context, draw, f"known/{ridge}", rows, m, ridge)
        found = bound(m, ridge=ridge, delta=_DELTA, eigenvalues=mu)
        below = best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)
        where = {"ridge": ridge, "m": m}
        cases.append(Case(drawn=drawn, bound=found, lower=below, where=where))
    return hold_bounds(
        cases,
        form="printed",
        claim="the spectral error of pairs keeps the known bound",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 1600,
    )


def drawn(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Count violations by bounded and unbounded maps."""
    context.ledger.spend(f"{STATEMENT.id}: drawn", context.false_alarm)
    cases = list(_cases(context, bound))
    return hold_bounds(
        cases,
        form="proved",
        claim="the spectral error of pairs, offsets and maxout features keeps its bounds",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 400,
    )


def _cases(context: Context, bound: Bounding) -> Iterator[Case]:
    for form, draw, known in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("offset", _fourier("offset"), {"sup": math.sqrt(2.0)}),
        ("maxout", _maxout, None),
    ):
        rows = _rows(context, unit=form == "maxout")
        phi = draw(2, seed=0)
        kernel, stretch = phi.kernel(rows), float(np.linalg.norm(rows, 2))
        told: tuple[dict[str, Any], ...] = ({"variance": phi.variance(rows)},)
        told += ({"lipschitz": stretch} if known is None else dict(known),)
        for ridge, m in ((1.0, 100),) if context.quick else ((0.1, 400), (1.0, 100), (10.0, 16)):
            found = _errors(context, draw, f"{form}/{ridge}", rows, m, ridge)
            below = _below(form, rows, m, ridge)
            for one in told:
                yield Case(
                    drawn=found,
                    lower=below,
                    bound=bound(m, ridge=ridge, delta=_DELTA, gram=kernel, **one),
                    where={"map": form, "ridge": ridge, "m": m, "by": next(iter(one))},
                )


def _below(form: str, rows: Any, m: int, ridge: float | None) -> LowerBound | None:
    """Return the lower bound by one direction, whose moments are known for pairs alone."""
    if form != "pairs":
        return None
    return best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)


def operator(context: Context, *, bound: Bounding = spectral.operator_error) -> Evidence:
    """Count violations of the bound of the operator norm."""
    context.ledger.spend(f"{STATEMENT.id}: operator", context.false_alarm)
    rows, cases = _rows(context, unit=True), []
    for name, draw, known in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("maxout", _maxout, {"lipschitz": float(np.linalg.norm(rows, 2))}),
    ):
        found = _errors(context, draw, f"operator/{name}", rows, 100, None)
        limit = bound(100, delta=_DELTA, gram=draw(2, seed=0).kernel(rows), **known)
        below = _below(name, rows, 100, None)
        cases.append(Case(drawn=found, bound=limit, lower=below, where={"map": name}))
    return hold_bounds(
        cases,
        form="proved",
        claim="the operator norm of the error keeps its bound",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 100,
    )


def tight(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Hold the bounds of bounded features where errors are those of binomial shares."""
    return hold_worlds(
        [*worlds.one_for_each(bound), *worlds.one_row(bound)], form="proved", claim="spectral error"
    )


def tight_without_bound(context: Context, *, bound: Bounding = spectral.operator_error) -> Evidence:
    """Hold the bounds of unbounded features for squares of normals, and Chebyshev's."""
    return hold_worlds(
        [*worlds.one_square(bound), *worlds.one_variance(bound)],
        form="proved",
        claim="operator norm of the error",
    )


STATEMENT = Statement(
    id="features.gram-error",
    source="Ours, after Avron, Kapralov, Musco, Musco, Velingker, Zandieh (2017) and Tropp (2015)",
    place="A known result, as recalled, and ours; we have no copy of the papers",
    copy="none",
    hypotheses=prose(
        r"""
        Independent blocks of columns with the mean $K$ on $n$ rows; cosine and sine of one
        frequency are a block. Known: pairs, and a ridge of at most $\|K\|$.
        """
    ),
    title="Spectral error of the Gram matrix",
    expected="holds",
    ground=prose(
        r"""
        Norms over draws for cosines, sines and maxout features; and one feature for each row, and
        one row, where the error is that of binomial shares, computed.
        """
    ),
    printed=(
        r"M \ge \frac{8}{3\Delta^2}\frac{n}{\lambda}\log\frac{16 d(\lambda)}{\delta} \;"
        r"\Rightarrow\; P\left(\left\|(K+\lambda)^{-1/2}(\hat K - K)(K+\lambda)^{-1/2}\right\| "
        r"> \Delta\right) \le \delta"
    ),
    printed_text=prose(
        r"""
        That many frequencies keep $K + \lambda$ within a factor of $1 \pm \Delta$ for $\Delta \le
        1/2$.
        """
    ),
    proved=(
        r"P(\|\cdot\| > \Delta) \le \sum_{\pm}\inf_{\theta,L}\frac{\sum_i\left(e^{a_{\pm}\beta_i +"
        r" w_{\pm}1\{i=1\}} - 1\right)}{\psi(\theta\Delta)}, \quad a_{\pm} = \frac ML"
        r"\psi\left(\pm\frac{\theta L}{M}\right), \quad w_{\pm} = M\,\mathbb{E}\left[\psi\left("
        r"\pm\frac{\theta s}{M}\right); s > L\right]"
    ),
    proved_text=prose(
        r"""
        $\psi(x) = e^x - 1 - x$, $\beta_i = \mu_i/(\mu_i+\lambda)$ for the eigenvalues of $K$, $s =
        \langle\phi, (K+\lambda)^{-1}\phi\rangle$ of one block. For features that are
        $\ell$-Lipschitz in standard normals, $\sqrt s$ exceeds $\sqrt{d(\lambda)} +
        u\,\ell/\sqrt\lambda$ with probability at most $e^{-u^2/2}$. All spectra and all $\Delta$,
        no condition on $\lambda$.
        """
    ),
    proof=prose(
        r"""
        Tropp's bound of $E\,\mathrm{tr}\,\psi(\theta Y)$ by the sum of the logarithms of the
        exponential moments, with $e^{cA} - 1 - cA \preceq \psi(cL)/L\;A$ for $A \succeq 0$ of norm
        at most $L$. What is beyond $L$ has a small trace, and at worst adds to the largest
        eigenvalue.
        """
    ),
    note=prose(
        r"""
        The number of features grows with the largest $s$, at most $n\kappa^2/\lambda$, not with
        $d(\lambda)$: one block that is seldom drawn may carry a direction.
        """
    ),
    checks=(
        Check(form="printed", name="the known form", run=printed),
        Check(form="proved", name="bounded and unbounded features", run=drawn),
        Check(form="proved", name="operator norm", run=operator),
        Check(form="proved", name="bounded features, where it is tight", run=tight),
        Check(form="proved", name="unbounded features, where it is tight", run=tight_without_bound),
    ),
)
