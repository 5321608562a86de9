"""check_precision: were the weights of float64 features rounded to float32?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array, from_host, is_array, resolve_place, to_host
from mehler._validate import require_integer, require_reals
from mehler.verify import intervals
from mehler.verify._arguments import DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Status, Verdict
from mehler.verify.sampling._draws import Draws

# Rounding in ulps of a weight times the map's constant, divided by ours.
_ULPS = 8

# Spacing of float32 numbers in ulps of float64, 53 - 24 bits.
_CELL = 2**29

# Coordinate vectors used, and entries needed; of 1000 a handful of hits is proof.
_ROWS, _ENTRIES = 64, 1000


def coincidence_probability() -> float:
    r"""Return a bound on the probability that a true float64 weight looks like a float32 one.

    .. math:: p_0 = \frac{2 (2 \cdot 8 + 1)}{2^{29}} = 6.4 \cdot 10^{-8}

    Between two neighbouring float32 numbers lie 2^29 float64 steps; 8 on either side of a float32
    number and itself count as a hit. The factor 2 allows the density to vary by as much across
    one such gap, 2^-23 relative: for a maximum of q Gaussians it varies by less than 10^-4.
    """
    return 2.0 * (2 * _ULPS + 1) / _CELL


@accepts("seed")
def check_precision(
    draw: Callable[[int], Any],
    n_inputs: int,
    *,
    resolution: float = 0.5,
    scale: Array | float | None = None,
    like: Any = None,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that float64 features are made of float64 weights, not of rounded ones.

    At a coordinate vector every projection is a single weight, so where the features are one
    projection times a constant (maxout, linear, signed maps), phi_l(e_i) * scale is a weight.

    .. math:: P\big(|t - \mathrm{float32}(t)| \le 8\,\mathrm{ulp}(t)\big) \le p_0
              = 2 \cdot 17 / 2^{29} = 6.4 \cdot 10^{-8}

    for a float64 Gaussian weight t, and 1 for a rounded one. *refuted* if the number of hits among
    the distinct entries has binomial tail probability at most `false_alarm`.

    Parameters
    ----------
    draw : callable
        seed -> map X -> Z with float64 features.
    n_inputs : int
        Number of columns of X.
    false_alarm : float
        Probability of refuting float64 weights.
    resolution : float
        Smallest fraction of rounded weights that must not be missed, in (0, 1).
    scale : float or array, shape (n_features,), optional
        Factor that turns a feature into a weight; default sqrt(n_features), the scale of
        Definition 1.
    like : array or namespace, optional
        Library and device of the map's inputs.
    seed : int, optional
        Determines the draws and the coordinate vectors.
    ledger : Ledger, optional
        Budget charged `false_alarm` before the test.
    miss : float
        Probability of missing a fraction `detectable` of rounded weights.
    name : str
        Name in the verdict and the ledger.

    Returns
    -------
    Verdict
        ``observed`` is the fraction of hits, ``exact`` the bound on its expectation, ``interval``
        its Clopper-Pearson interval.

    Raises
    ------
    TypeError, ValueError
        If the features are not float64.

    See Also
    --------
    check_backends : Agreement of array libraries.
    check_finite : Overflow of extreme inputs.

    Notes
    -----
    Power depends on the scale: with a wrong one rounded weights go undetected, so a verdict that
    holds is only as good as that assumption. Equal entries, as from shared pools, count once.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed, dtype):
    ...     w = np.random.default_rng(seed).standard_normal((5, 400)).astype(dtype)
    ...     return lambda X: X @ w / np.sqrt(400)
    >>> check_precision(lambda s: draw(s, np.float64), 5).status
    'holds'
    >>> check_precision(lambda s: draw(s, np.float32), 5).status
    'refuted'
    """
    asked = require_options("precision", options, resolution)
    n_inputs = require_integer("n_inputs", n_inputs, most=10**8)
    if scale is not None:
        scale = require_reals("scale", to_host(scale) if is_array(scale) else scale)
    asked.require_below(1.0, "a share of weights is below 1")
    draws = Draws(draw, asked.seed)
    asked.pay()

    entries = np.empty(0)
    n_draws = n_features = 0
    while entries.size < _ENTRIES and n_draws < _ENTRIES:
        weights = _single_weights(draws, n_draws, n_inputs, scale, like)
        entries = np.unique(np.concatenate([entries, weights]))
        n_draws, n_features = n_draws + 1, n_features + weights.size
    if entries.size == 0:
        raise ValueError("every feature is 0 at the coordinate vectors, or scale is")

    # Change by rounding to float32, in ulps of float64.
    rounded = entries.astype(np.float32).astype(np.float64)
    hits = int((np.abs(entries - rounded) <= _ULPS * np.spacing(np.abs(entries))).sum())
    alarm = _threshold(entries.size, coincidence_probability(), asked.false_alarm)
    detectable = _visible_share(entries.size, alarm, asked.miss)
    status: Status = "holds" if detectable <= asked.resolution else "inconclusive"
    if hits >= alarm:
        status = "refuted"
    reason = ""
    if status == "inconclusive":
        reason = f"{entries.size} distinct entries are too few: draw maps with more features."
    share = hits / entries.size
    return asked.verdict(
        status=status,
        claim="the weights of a float64 map are float64, not rounded to float32",
        observed=share,
        exact=coincidence_probability(),
        interval=intervals.binomial(hits, int(entries.size), asked.false_alarm),
        n_features=n_features,
        n_draws=n_draws,
        n_intervals=1,
        detectable=detectable,
        method="binomial tail of coincidences with float32 numbers",
        assumptions=(
            "at a coordinate vector a feature times scale is one weight of smooth density",
            "distinct entries are independent",
        ),
        where={"hits": hits, "entries": int(entries.size), "alarm_from": alarm},
        seeds={"seed": draws.root, "first_draw": draws.seed(0)},
        reason=reason,
        statistics=(
            Statistics(
                "coincidences",
                {"alarm": alarm, "chance": coincidence_probability(), "miss": asked.miss},
                {"n": [int(entries.size)], "count": [hits]},
            ),
        ),
    )


def _single_weights(
    draws: Draws, k: int, n_inputs: int, scale: Array | float | None, like: Any
) -> Any:
    """Return the distinct non-zero values of feature * scale at coordinate vectors of draw k."""
    rng = np.random.default_rng([draws.root, k])
    axes = rng.permutation(n_inputs)[:_ROWS]
    rows = np.zeros((axes.size, n_inputs))
    rows[np.arange(axes.size), axes] = 1.0
    phi = draws[k]
    z = np.asarray(to_host(phi(from_host(rows, resolve_place(like)))))
    if z.ndim != 2 or z.shape[0] != axes.size:
        raise ValueError(
            f"draw(seed)(X) has shape {z.shape} for X of shape {rows.shape}: "
            f"a map returns ({axes.size}, n_features)"
        )
    if z.dtype != np.float64:
        raise ValueError(
            f"the features are {z.dtype}, so their weights may be too: draw the map with "
            'dtype="float64", or do not check its precision'
        )
    if scale is not None and np.shape(scale) not in ((), (1,), (z.shape[1],)):
        raise ValueError(
            f"scale has shape {np.shape(scale)}, but there are {z.shape[1]} features: pass a "
            "number, or one for each of them"
        )
    factor = math.sqrt(z.shape[1]) if scale is None else scale
    values = np.unique(z * factor)
    return values[np.isfinite(values) & (values != 0.0)]


def _threshold(n: int, p: float, false_alarm: float) -> int:
    """Return the least count with P(Binomial(n, p) >= count) <= false_alarm."""
    from scipy.special import betainc

    c = 1
    while c <= n and float(betainc(c, n - c + 1, p)) > false_alarm:
        c += 1
    return c


def _visible_share(n: int, alarm: int, miss: float) -> float:
    """Return the least fraction f of rounded weights with P(Binomial(n, f) < alarm) <= miss."""
    from scipy.special import betaincinv

    if alarm > n:
        return math.inf
    # P(Binomial(n, f) < c) = I_{1-f}(n - c + 1, c)
    return 1.0 - float(betaincinv(n - alarm + 1, alarm, miss))
