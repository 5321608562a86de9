"""Lemma 7: how far a mean of m independent bounded vectors f is from E f, in a Hilbert space.

The bound of Mroueh, Voinea and Poggio (2015), and ours by the variance of f, are compared with
drawn means of group-invariant features, and in instances with the exact chance of an error.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.bounds import Bound, Term
from mehler.statements import Context, Evidence, check

from ..._comparisons import Case, compare_instances, compare_with_bounds
from ...kitchen_sinks import _extremal_instances as extremal
from .._tokens import BINS, SHARE, WINDOW, columns

Lemma = Callable[..., Bound]
_DELTA = 0.05
_TEMPLATES = 60


@dataclass(frozen=True)
class Pool:
    """Vectors f_i by their inner products; means of m of them are drawn with replacement."""

    gram: Any

    @property
    def largest(self) -> float:
        """M, the largest norm."""
        return float(np.sqrt(self.gram.diagonal().max()))

    @property
    def mean_square(self) -> float:
        """E |f|^2."""
        return float(self.gram.diagonal().mean())

    @property
    def norm(self) -> float:
        """|E f|."""
        return float(np.sqrt(self.gram.mean()))

    def errors(self, rng: Any, m: int, n_draws: int) -> Any:
        """Draw |mean of m - E f|, (n_draws,)."""
        n = len(self.gram)
        shares = rng.multinomial(m, np.full(n, 1 / n), size=n_draws) / m - 1 / n
        return np.sqrt(np.maximum(0.0, np.einsum("di,ij,dj->d", shares, self.gram, shares)))


def mean_bound(
    n_vectors: int,
    *,
    scale: float,
    delta: float,
    mean_square: float | None = None,
    norm: float = 0.0,
) -> Bound:
    """Bound |mean - E f| for vectors of at most `scale`, and E |f|^2 and |E f| if declared."""
    spread = scale if mean_square is None else math.sqrt(mean_square - norm**2)
    root = math.sqrt(n_vectors)
    return Bound(
        statement="group-invariant.lemma-7",
        form="proved",
        quantity="distance of a mean of vectors from its expectation",
        terms=(
            Term("mean", spread / root),
            Term("confidence", scale * math.sqrt(-2 * math.log(delta)) / root),
        ),
        probability=1 - delta,
    )


def pool(context: Context) -> Pool:
    """Return functions +-P(<gt, x> <= tau) of ten orbits of x and all thresholds tau, 60 random t.

    Signs are those of weights in Lemma 4: else all functions are near their mean.
    """
    psi = columns(context.seed_for("pool"), _TEMPLATES)
    psi[:, 1::2] *= -1
    return Pool(np.einsum("o,oik,ojk->ij", SHARE, psi, psi) * WINDOW / BINS)


def _compare(context: Context, bound: Lemma, *, claim: str, variance: bool) -> Evidence:
    vectors, n_draws = pool(context), 2000 if context.quick else 20_000
    moments = {"mean_square": vectors.mean_square, "norm": vectors.norm} if variance else {}
    cases = [
        Case(
            draws=vectors.errors(context.rng(f"means {m}"), m, n_draws),
            bound=bound(m, scale=vectors.largest, delta=_DELTA, **moments),
            where={"m": m},
        )
        for m in (3, 10, 100)
    ]
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws * 100)


@check(
    "group-invariant.lemma-7", form="restored", name="means of distribution functions", pays=True
)
def means(context: Context, *, bound: Lemma = mean_bound) -> Evidence:
    """Count how often means of distribution functions deviate by more than the bound."""
    claim = (
        r"the mean of $m$ functions $\pm\psi(\cdot, t_i, \cdot)$ misses theirs by more than "
        r"the bound with probability at most $\delta$ (60 templates, ten orbits)"
    )
    return _compare(context, bound, claim=claim, variance=False)


@check("group-invariant.lemma-7", form="proved", name="the variance known", pays=True)
def moments(context: Context, *, bound: Lemma = mean_bound) -> Evidence:
    """Count as `means` does, for the bound by the variance of f."""
    claim = r"the same with $\sqrt{E\|f\|^2 - \|Ef\|^2}$ for the first $M$"
    return _compare(context, bound, claim=claim, variance=True)


@check("group-invariant.lemma-7", form="restored", name="extremal instances")
def tight(context: Context, *, bound: Lemma = mean_bound) -> Evidence:
    """Compare both terms with random signs on a line, and with an orthogonal basis."""
    return compare_instances(
        "distance of a mean from its expectation",
        *extremal.random_signs(bound),
        extremal.basis(bound),
    )


@check("group-invariant.lemma-7", form="proved", name="an extremal instance of the variance")
def tight_moments(context: Context, *, bound: Lemma = mean_bound) -> Evidence:
    """Compare the sharper first term with an orthogonal basis, whose mean is not 0."""
    return compare_instances(
        "distance of a mean from its expectation, the variance known",
        extremal.basis(bound, moments=True),
    )
