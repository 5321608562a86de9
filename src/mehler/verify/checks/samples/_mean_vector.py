"""check_mean_vector: is the mean of these independent vectors as claimed?"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from mehler._arrays import Array
from mehler._validate import (
    require_iterable,
    require_mapping,
    require_positive,
    require_probability,
    require_text,
)
from mehler.verify._arguments import pay
from mehler.verify._certificate import joined
from mehler.verify._verdict import Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks._mean import check_mean
from mehler.verify.checks.samples._products import claimed, sample_matrix, spread


@passed_to_ledger
def check_mean_vector(
    samples: Array,
    exact: Array,
    *,
    variance: float | Array | None = None,
    bounds: tuple[float | Array, float | Array] | None = None,
    scale: float | Array | None = None,
    false_alarm: float = 1e-9,
    resolution: float,
    miss: float = 1e-6,
    ledger: Ledger | None = None,
    name: str = "mean vector",
    claim: str | None = None,
    where: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None,
) -> Verdict:
    r"""Check a claimed mean vector against independent samples, each coordinate by `check_mean`.

    .. math:: |\bar X_j - \mu_j| \le h_j \quad \text{for all } j \le p,
              \qquad P(\text{any is wrong}) \le \sum_j \alpha/p = \alpha

    *refuted* when the interval of a coordinate excludes its claim, *holds* when all contain theirs
    and are at most `resolution` wide, else *inconclusive*.

    Parameters
    ----------
    samples : array, shape (n, p)
        Independent rows of a common mean; coordinates may be dependent; n fixed before the data.
    exact : array, shape (p,)
        The claim.
    variance : float or array, shape (p,), optional
        Upper bounds on the variances of the coordinates; selects Catoni's interval, for any tails.
    bounds : (low, high), optional
        Range of the coordinates, each end a number or an array of shape (p,). With neither,
        `intervals.self_normalised` needs a bounded kurtosis: coordinates of large kurtosis refute
        nothing.
    scale : float or array, shape (p,), optional
        Units of the coordinates for `resolution`, default 1.
    false_alarm : float
        Probability of refuting a correct claim, shared by the coordinates.
    resolution : float
        A coordinate that is off by more than ``resolution * scale`` must not hold.
    miss, ledger, name, claim, where, seeds
        As for `check_mean`.

    Returns
    -------
    Verdict
        The verdict on the worst coordinate, named in ``where``.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls, as for `check_mean`.
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_mean : One coordinate.
    check_covariance : The covariance of the same samples.

    Notes
    -----
    Cost: p times that of `check_mean`. The union bound adds log p to log(2/alpha): a thousand
    coordinates take a third more samples than one.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(3).standard_normal((20_000, 3)) + [0.0, 1.0, 2.0]
    >>> check_mean_vector(x, [0, 1, 2], variance=1.0, resolution=0.2).status
    'holds'
    >>> verdict = check_mean_vector(x, [0, 1, 2.2], resolution=0.2)
    >>> verdict.status, verdict.where["coordinate"]
    ('refuted', 2)
    """
    name = require_text("name", name, default="mean vector")
    where, seeds = require_mapping("where", where), require_mapping("seeds", seeds)
    x = sample_matrix(samples)
    p = x.shape[1]
    wanted = claimed(exact, (p,), "exact")
    false_alarm = require_probability("false_alarm", false_alarm)
    resolution, miss = require_positive("resolution", resolution), require_probability("miss", miss)
    variances, scales = spread(variance, p, "variance"), spread(scale, p, "scale")
    units = [1.0 if each is None else require_positive("scale", each) for each in scales]
    ends = [spread(end, p, "bounds") for end in _pair(bounds)]
    pay(ledger, name, false_alarm)
    verdicts = [
        check_mean(
            x[:, j],
            float(wanted[j]),
            variance=variances[j],
            bounds=None if bounds is None else (ends[0][j], ends[1][j]),
            false_alarm=false_alarm / p,
            resolution=resolution * units[j],
            miss=miss,
            name=name,
        )
        for j in range(p)
    ]
    worst = max(range(p), key=lambda j: _badness(verdicts[j]))
    place = {**where, "coordinate": worst}
    if scale is not None:
        place["relative_to"] = units[worst]
    return dataclasses.replace(
        verdicts[worst],
        claim=claim or f"the mean is the claimed vector of {p} coordinates",
        n_intervals=p,
        false_alarm=false_alarm,
        resolution=resolution,
        detectable=max(v.detectable / unit for v, unit in zip(verdicts, units)),
        where=place,
        seeds=seeds,
        statistics=joined([each for v in verdicts for each in v.statistics], relative_to=units)
        if all(v.statistics for v in verdicts)
        else (),
    )


def _pair(bounds: Any) -> tuple[Any, ...]:
    ends = (None, None) if bounds is None else require_iterable("bounds", bounds)
    if len(ends) != 2:
        raise ValueError(f"bounds={bounds!r} must be a pair (low, high)")
    return ends


def _badness(verdict: Verdict) -> tuple[int, float]:
    """Return a sort key: refuted verdicts last, then open ones, then those near an end."""
    rank = {"holds": 0, "inconclusive": 1, "refuted": 2}[verdict.status]
    low, high = verdict.interval
    off = abs(verdict.observed - verdict.exact)
    if rank == 1:
        return rank, float(max(high - low, 2.0 * off) / verdict.resolution)
    return rank, float(2.0 * off / (high - low))
