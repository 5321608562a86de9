"""check_finite and check_backends: events claimed to have probability 0, counted in trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np

from mehler._arrays import (
    Array,
    from_host,
    has_float64,
    installed_namespaces,
    place_of,
    resolve_place,
)
from mehler._plural import counted
from mehler._validate import (
    require_choice,
    require_integer,
    require_iterable,
    require_mapping,
    require_positive,
)
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import binomial
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim
from mehler.verify.sampling._sources import call


def trials_for(asked: CheckOptions) -> int:
    """Return the least n for which 0 of n leaves an interval no wider than the resolution."""
    return math.ceil(math.log(2.0 / asked.false_alarm) / -math.log1p(-asked.resolution))


def zero_failures_verdict(
    asked: CheckOptions,
    happened: int,
    trials: int,
    *,
    claim: str,
    method: str,
    n_features: int,
    n_draws: int,
    assumptions: tuple[str, ...],
    where: Mapping[str, Any],
    seeds: Mapping[str, Any],
    reason: str,
) -> Verdict:
    """Return the verdict on an event claimed to have probability 0: one occurrence refutes."""
    interval = binomial(happened, trials, asked.false_alarm)
    status: Status = "holds"
    if happened:
        status = "refuted"
    elif interval[1] > asked.resolution:
        status = "inconclusive"
        reason = f"{trials} trials were allowed; {trials_for(asked)} would decide."
    return asked.verdict(
        status=status,
        claim=claim,
        observed=happened / trials,
        exact=0.0,
        interval=interval,
        n_features=n_features,
        n_draws=n_draws,
        n_intervals=1,
        # An event of probability p goes unseen in n trials with probability (1 - p)^n.
        detectable=-math.expm1(math.log(asked.miss) / trials),
        method=method,
        assumptions=assumptions,
        where=where,
        seeds=seeds,
        reason=reason,
        statistics=(Statistics("no event", {}, {"n": [trials], "count": [happened]}),),
    )


@accepts("seed")
def check_finite(
    draw: Callable[[int], Any],
    X: Array,
    *,
    largest: float | None = None,
    resolution: float = 0.1,
    max_draws: int | None = None,
    **options: Unpack[DrawOptions],
) -> Verdict:
    """Check that features are finite for zero rows, denormals, huge norms and single rows.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Ordinary rows, which give dtype and shape of the extreme ones.
    largest : float, optional
        Largest norm to try; default the fourth root of the dtype's largest number (3e77 in
        float64, 4e9 in float32), at which <phi(x), phi(x)> of any map of degree 2 is finite.
    resolution : float
        Largest fraction of draws that may fail undetected.
    max_draws : int, optional
        Largest number of draws.
    **options : DrawOptions
        false_alarm, miss, ledger, name; seed.

    Returns
    -------
    Verdict
        ``observed`` is the fraction of draws with non-finite features; one such draw refutes.

    See Also
    --------
    check_structure : Other properties that need no claim.
    check_precision : Weights that were rounded to float32.

    Notes
    -----
    Correct maps never fail, so a false alarm is impossible; the interval is that of Clopper and
    Pearson. A map that raises an error for finite rows fails, too.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: X @ w / np.sqrt(20)
    >>> check_finite(draw, np.eye(3)).status
    'holds'
    >>> def normalised(seed):
    ...     return lambda X: draw(seed)(X / np.linalg.norm(X, axis=1, keepdims=True))
    >>> check_finite(normalised, np.eye(3)).where["row"]
    'zero'
    """
    asked = require_options("finite", options, resolution)
    asked.require_below(1.0, "a share lies in [0, 1]")
    asked.pay()
    draws, rows = Draws(draw, asked.seed), rows_without_claim(X)
    kind = rows.host.dtype if rows.host.dtype.kind == "f" else np.dtype(np.float64)
    info = np.finfo(kind)
    top = float(info.max) ** 0.25 if largest is None else require_positive("largest", largest)
    if top > float(info.max):
        raise ValueError(
            f"largest={largest!r} is not representable in {kind}: give at most {info.max}"
        )
    hostile = _hostile(rows, kind, top)
    trials = trials_for(asked)
    if max_draws is not None:
        trials = min(trials, require_integer("max_draws", max_draws))
    happened, done, reason = 0, 0, ""
    where: dict[str, Any] = {}
    n_features = 0
    while done < trials and not happened:
        phi = draws[done]
        done += 1
        for label, block in hostile.items():
            with np.errstate(all="ignore"):
                try:
                    z = call(phi, block)
                except (ArithmeticError, ValueError) as error:
                    happened, reason = 1, f"The map raised {type(error).__name__}: {error}"
                    where = {"row": label, "seed": draws.seed(done - 1)}
                    break
            n_features = z.shape[1]
            if not np.isfinite(z).all():
                happened, reason = 1, f"Features of the {label} row are not finite."
                where = {"row": label, "seed": draws.seed(done - 1)}
                break
    return zero_failures_verdict(
        asked,
        happened,
        done,
        claim=f"features are finite for {len(hostile)} kinds of hostile finite rows",
        method="binomial (share of draws that fail)",
        n_features=done * n_features,
        n_draws=done,
        assumptions=("draws from different seeds are independent",),
        where=where,
        seeds={"seed": asked.seed},
        reason=reason,
    )


@np.errstate(under="ignore")
def _hostile(rows: EvaluatedRows, kind: Any, top: float) -> dict[str, EvaluatedRows]:
    """Return named blocks of extreme rows, each on the device of the caller's rows."""
    host = rows.host.astype(kind)
    d = host.shape[1]
    info = np.finfo(kind)
    norms = np.linalg.norm(host.astype(np.float64), axis=1, keepdims=True)
    unit = (host / np.where(norms > 0.0, norms, 1.0)).astype(kind)
    mixed = np.resize(np.array([top / np.sqrt(d), float(info.tiny)]), d)
    blocks = {
        "ordinary": host,
        "zero": np.zeros((1, d)),
        "negative zero": -np.zeros((1, d)),
        "zero among ordinary": np.vstack([host[:1], np.zeros((1, d))]),
        "denormal": np.full((1, d), float(info.smallest_subnormal)),
        "tiny": unit * float(info.tiny),
        "huge": unit * top,
        "huge and tiny": mixed[None, :],
        "constant": np.ones((1, d)),
        "axis": np.eye(1, d),
    }
    place = place_of(rows.given)
    made = {}
    for label, block in blocks.items():
        block = np.asarray(block, dtype=kind)
        made[label] = EvaluatedRows(from_host(block, place), block, np.ones(block.shape[0]))
    return made


# Seeds compared on every library.
_SEEDS = 3

# Rounding allowed, in units of sqrt(d) eps, and the pieces of a feature with jumps (signs, codes,
# a projection chosen by an argmax): an input lies within rounding of a jump with probability at
# most 8 sqrt(d) eps per piece.
_ULPS, _PIECES = 64.0, 16.0

_DTYPES = ("float32", "float64")


@accepts("seed")
def check_backends(
    draw: Callable[[int, Any], Any],
    X: Array,
    *,
    places: Mapping[str, Any] | None = None,
    dtypes: tuple[str, ...] = ("float32", "float64"),
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that each array library gives NumPy's features, up to rounding.

    .. math:: |\phi_{\text{there}}(x)_l - \phi_{\text{NumPy}}(x)_l|
              \le 64 \sqrt{d}\,\epsilon \max_l |\phi(x)_l|

    with eps of the dtype of the computation, except at the few entries within rounding of a jump
    of the feature.

    Parameters
    ----------
    draw : callable
        (seed, like) -> map, `like` being an array or a namespace; the map takes rows of that
        library.
    X : array, shape (n, d)
        Rows to compare on.
    places : dict, optional
        Name -> namespace or array to draw like; default all installed libraries that run on the
        CPU.
    dtypes : tuple of str
        Dtypes of the rows; float64 is skipped where a library lacks it.
    resolution : float
        Largest fraction of feature columns that may differ undetected.
    **options : DrawOptions
        false_alarm, miss, ledger, name; seed.

    Returns
    -------
    Verdict
        ``observed`` is the fraction of columns that differ; ``where`` names the library.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls, among them no library but NumPy.

    See Also
    --------
    check_reproducible : Equal features for equal seeds, in one library.
    check_same : Two versions of one map.

    Notes
    -----
    A library that refuses the rows fails. An entry lies within rounding of a jump (a sign, an
    argmax of q values) with probability at most 8 max(16, q) sqrt(d) eps. The binomial tail at
    `false_alarm` gives the number of entries that may differ, one or two in float64.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> check_backends(
    ...     lambda seed, like: mehler.MaxoutFeatures.draw(3, 50, 4, seed=seed, like=like), np.eye(3)
    ... ).status
    'holds'
    """
    asked = require_options("backends", options, resolution)
    asked.require_below(1.0, "a share lies in [0, 1]")
    if not callable(draw):
        raise TypeError(f"draw={draw!r} must be callable: (seed, like) -> map")
    rows = rows_without_claim(X)
    dtypes = tuple(
        require_choice("dtypes", one, _DTYPES) for one in require_iterable("dtypes", dtypes)
    )
    if not dtypes:
        raise ValueError("dtypes is empty: name 'float32' or 'float64'")
    if places is None:
        places = {k: v for k, v in installed_namespaces().items() if k != "numpy"}
    places = require_mapping("places", places)
    if not places:
        raise ValueError("places is empty: install another array library, or name one")
    asked.pay()
    draws = Draws(lambda s: s, asked.seed)
    trials, happened, n_draws, m = 0, 0, 0, 0
    where: dict[str, Any] = {}
    reason = ""
    least = trials_for(asked)
    share = asked.false_alarm / (len(places) * len(dtypes) * max(_SEEDS, least))
    k = 0
    while not happened and (k < _SEEDS or trials < least):
        word = draws.seed(k)
        k += 1
        for dtype in dtypes:
            values = rows.host.astype(dtype)
            host = EvaluatedRows(values, values, rows.unit)
            reference = call(draw(word, None), host)
            m = reference.shape[1]
            for label, like in places.items():
                place = resolve_place(like)
                if dtype == "float64" and not has_float64(place.xp, place.device):
                    continue
                n_draws += 1
                wrong, reason = _compare(draw, word, like, place, values, reference, share)
                if wrong:
                    happened = wrong
                    where = {"place": label, "dtype": dtype, "seed": word}
                    break
            if happened:
                break
        trials += m
    return zero_failures_verdict(
        asked,
        min(happened, trials),
        trials,
        claim=f"features equal NumPy's to rounding on {', '.join(places)}",
        method="binomial (share of columns that differ)",
        n_features=n_draws * m,
        n_draws=n_draws,
        assumptions=("rounding errors stay within 64 sqrt(d) eps of a row's largest feature",),
        where=where,
        seeds={"seed": asked.seed},
        reason=reason,
    )


def _compare(
    draw: Callable[[int, Any], Any],
    word: int,
    like: Any,
    place: Any,
    values: Any,
    reference: Any,
    false_alarm: float,
) -> tuple[int, str]:
    """Return the number of columns that differ from NumPy's, and a description."""
    from scipy.stats import binom

    given = from_host(values, place)
    if place_of(given).xp is not place.xp:
        given = place.xp.asarray(given)  # Dask takes constants as NumPy arrays, but not the rows
    there = EvaluatedRows(given, values, np.ones(values.shape[0]))
    try:
        z = call(draw(word, like), there)
    except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError) as error:
        return reference.shape[1], f"The map raised {type(error).__name__}: {error}"
    if z.shape != reference.shape:
        return reference.shape[1], f"Features have shape {z.shape}, NumPy's {reference.shape}."
    rounding = math.sqrt(values.shape[1]) * float(np.finfo(values.dtype).eps)
    if reference.dtype.kind == "f":
        gap = np.abs(z.astype(np.float64) - reference.astype(np.float64))
        size = np.abs(reference.astype(np.float64)).max(axis=1, keepdims=True)
        wrong, pieces = ~(gap <= _ULPS * rounding * size), _PIECES
    else:
        wrong, pieces = z != reference, max(_PIECES, float(reference.max()) + 1.0)
    jumps = int(binom.isf(false_alarm, wrong.size, min(0.5, 8.0 * pieces * rounding)))
    if int(wrong.sum()) <= jumps:
        return 0, ""
    return (
        int(wrong.any(axis=0).sum()),
        f"{int(wrong.sum())} of {counted(wrong.size, 'feature')} differ by more than "
        f"rounding, where chance "
        f"allows {jumps}.",
    )
