"""The distribution of a map's frequencies, recovered from its own features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler import FourierFeatures, _arrays
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._measured_products import MISS, Measured, compare_with_claims
from ._blocks import Draw

# Kernels of one column, and the distribution of their frequency.
_KERNELS: tuple[tuple[dict[str, Any], Any], ...] = (
    ({"kernel": "rbf", "gamma": 0.3}, stats.norm(scale=math.sqrt(0.6))),
    ({"kernel": "laplacian", "gamma": 0.3}, stats.cauchy(scale=0.3)),
    ({"kernel": "matern", "nu": 1.5, "length_scale": 1.5}, stats.t(3, scale=1 / 1.5)),
)
_LEVELS = (0.25, 0.5, 0.75)
# So near the origin that angles wrap with probability 1e-6 at most; floats keep ten digits.
_NEAR = 1e-6
_BLOCK = 500_000


def _sizes(
    context: Context, draw: Draw, options: dict[str, Any], n: int, seed: int
) -> Iterator[Any]:
    """Return absolute frequencies: angles of cosine and sine at a row near the origin, rescaled."""
    row = context.asarray(np.full((1, 1), _NEAR))
    for block in range(n // _BLOCK):
        child = int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])
        phi = draw(1, 2 * _BLOCK, seed=child, like=context.like(), form="pairs", **options)
        cosine, sine = _arrays.to_host(phi(row)).reshape(2, -1)
        yield np.abs(np.arctan2(sine, cosine)) / _NEAR


@check("fourier.kernel", form="printed", name="the law of the frequencies", pays=True)
def frequencies(
    context: Context,
    *,
    draw: Draw = FourierFeatures.draw,
    wider: float = 1.0,
    named: Callable[[dict[str, Any]], bool] = lambda options: True,
) -> Evidence:
    """Count the frequencies below the quartiles of the distribution of their size.

    `wider` stretches the claimed distributions of the kernels that `named` picks.
    """
    n = 2_000_000 if context.quick else 12_000_000
    share = context.false_alarm / (len(_KERNELS) * len(_LEVELS))
    reach = sum(math.sqrt(math.log(2 / rate) / (2 * n)) for rate in (share, MISS))
    counts, claimed = [], []
    for place, (options, law) in enumerate(_KERNELS):
        ends = [law.isf((1 - level) / 2) for level in _LEVELS]
        stretch = wider if named(options) else 1.0
        claimed += [1 - 2 * float(law.sf(end / stretch)) for end in ends]
        found = np.zeros(len(ends), dtype=np.int64)
        seed = context.seed_for(f"frequencies {place}")
        for sizes in _sizes(context, draw, options, n, seed):
            found += [int(np.sum(sizes <= end)) for end in ends]
        counts += found.tolist()
    each = [intervals.binomial(count, n, share) for count in counts]
    points = len(counts)
    measured = Measured(
        pool_size=(1,) * points,
        rho=_LEVELS * len(_KERNELS),
        mean=tuple(count / n for count in counts),
        low=tuple(low for low, _ in each),
        high=tuple(high for _, high in each),
        n_units=(n,) * points,
        detectable=(reach,) * points,
        false_alarm=context.false_alarm,
        method="binomial (Clopper-Pearson), union bound over quartiles and kernels",
    )
    return compare_with_claims(
        measured,
        claimed,
        # Clopper and Pearson's intervals lie within Hoeffding's.
        resolution=2 * reach,
        form="printed",
        claim="shares of frequencies below the quartiles of normal, Cauchy and Student's laws",
    )
