"""Weights of float64 features that were rounded to float32, seen at coordinate vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betainc

from mehler._plural import counted
from mehler.verify.checks.structure._subject import Finding, Subject

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


def check_weights(subject: Subject) -> list[Finding]:
    """Look for entries that are float32 numbers times 1/sqrt(n_features).

    At a coordinate vector every projection is a single weight, so where the features are one
    projection over sqrt(n_features), as of linear, maxout and signed maps, they are weights over
    it. With another factor nothing is seen. Equal entries, as from shared pools, count once. Of
    1,000 float64 entries 4 coincide with probability 1e-18: a thousandth of rounded ones is seen.
    """
    entries, n_draws = np.empty(0), 0
    while entries.size < _ENTRIES and n_draws < _ENTRIES and not subject.clock.over:
        weights = _single_weights(subject, n_draws)
        if weights is None:
            return []
        if not weights.size:
            break
        entries, n_draws = np.unique(np.concatenate([entries, weights])), n_draws + 1
    if entries.size < _ENTRIES:
        subject.notes.skip("rounded weights", f"{counted(entries.size, 'distinct value')}")
        return []
    # Change by rounding to float32, in ulps of float64.
    rounded = entries.astype(np.float32).astype(np.float64)
    hits = int((np.abs(entries - rounded) <= _ULPS * np.spacing(np.abs(entries))).sum())
    subject.n_tests += 1
    # P(Binomial(n, p) >= hits)
    n, p = entries.size, coincidence_probability()
    if not hits or float(betainc(hits, n - hits + 1, p)) > subject.rate:
        return []
    cause = f"weights are rounded to float32: {hits} of {counted(n, 'distinct value')} of features"
    assumed = "at a coordinate vector a feature is one weight of smooth density over a constant"
    return [Finding(cause=cause, check="weights", where={"hits": hits}, assumes=(assumed,))]


def _single_weights(subject: Subject, k: int) -> Any:
    """Return the distinct weights of draw k at coordinate vectors; None if they need not be."""
    n_inputs = subject.rows.shape[1]
    axes = np.random.default_rng([subject.seed, k]).permutation(n_inputs)[:_ROWS]
    rows = np.zeros((axes.size, n_inputs))
    rows[np.arange(axes.size), axes] = 1.0
    z = subject.call(subject.map(subject.seeds(0).seed(k)), rows)
    if z.dtype != np.float64:
        subject.notes.skip("rounded weights", f"features are {z.dtype}, as their weights may be")
        return None
    values = np.unique(z * math.sqrt(z.shape[1]))
    return values[np.isfinite(values) & (values != 0.0)]
