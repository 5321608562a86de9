r"""Decide a certificate of mehler again, without mehler: ``python recheck.py FILE``.

Exit status: 0 *confirmed*, 1 *contradicted*, 2 no certificate, 3 *cannot be decided*, given the
statistics, plan and assumptions. Arithmetic is that of the intervals of ``mpmath``.

The rule, for means with claims c, resolution r and endpoints l < h, all in units of the test:

- *refuted* if some c is excluded, r/20 or more from the sample mean, and the method may refute;
- else *holds* if all l and h are excluded, no c is so, and max(h, c) - min(l, c) <= r;
- else *inconclusive*: at some mean, points farther than r apart are not excluded.

Nothing is inverted: a formula says at which level a point m is excluded, with all beyond it. First
the plan's ``rounding`` moves m towards the mean; sums are known within their radii. Of the rate
(`rate_of`), divided by P means, catoni has 3/4 at its last inspection, 1/(4 k (k + 1)) at the k-th
before it; the stages of variances 1/20 and 19/20; bets on 2 P squared lengths, where made, half.
"""

# ruff: noqa: E402 (imports after a change of sys.path)
from __future__ import annotations

import sys
from pathlib import Path

# Run by its path, this file finds modules beside it first, and takes a _random for Python's own.
sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path(__file__).parent.resolve()]

import argparse
import hashlib
import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from mpmath import iv

iv.prec = 120
SCHEMA = "mehler-certificate/2"
FLOOR, MOST, MARGIN, EPS = iv.mpf(1) / 20, iv.mpf(3) / 4, 5, iv.mpf(2) ** -52
Test = dict[str, Any]


class Undecided(Exception):
    """The statistics do not decide, or are not stored."""


class Impossible(Exception):
    """No samples have these statistics, or no plan this inspection."""


class Mean(NamedTuple):
    """A test of one mean; `excludes` takes a point, from the claim on, and a side of it, +-1."""

    mean: Any
    excludes: Callable[[Any, int], bool]
    may_refute: bool = True
    may_hold: bool | None = True  # None: not all points beyond an excluded one need be


def compare(x: Any, relation: str, y: Any) -> bool | None:
    """Return whether x < y, <=, > or >= for all numbers of two intervals, None if for some only."""
    x, y = (iv.mpf(x), iv.mpf(y)) if relation[0] == ">" else (iv.mpf(y), iv.mpf(x))
    if relation.endswith("="):
        return True if x.a >= y.b else False if x.b < y.a else None
    return True if x.a > y.b else False if x.b <= y.a else None


def sure(x: iv.mpf, relation: str, y: iv.mpf) -> bool:
    """Return a comparison of intervals that is certain either way."""
    if (certain := compare(x, relation, y)) is None:
        raise Undecided("the statistics are known too roughly")
    return certain


def ball(value: float, radius: float = 0.0) -> Any:
    """Return the interval of a number and its radius."""
    if not math.isfinite(value):
        raise Undecided(f"{value} is no number")
    return iv.mpf(value) + iv.mpf([-radius, radius])


def larger(x: iv.mpf, y: iv.mpf) -> Any:
    """Return the interval of max(x, y)."""
    return iv.mpf([max(x.a, iv.mpf(y).a), max(x.b, iv.mpf(y).b)])


def moved(sums: list[Any], e: iv.mpf) -> list[Any]:
    """Return sum (X - c - e)^k for k = 0 to 4 from those at e = 0."""
    signed = [(-e) ** k for k in range(5)]
    return [sum(math.comb(k, j) * signed[k - j] * sums[j] for j in range(k + 1)) for k in range(5)]


def power_sums(test: Test) -> tuple[int, list[Any], Any]:
    """Return n, the sums about the claim for k = 0 to 4, of which no minor is < 0, and the mean."""
    n, (m1, m2, m3, m4) = test["n"], map(ball, test["sums"], test["radii"])
    determinant = n * (m2 * m4 - m3**2) - m1 * (m1 * m4 - m2 * m3) + m2 * (m1 * m3 - m2**2)
    if any(compare(minor, "<", 0) for minor in (m2, n * m2 - m1**2, m2 * m4 - m3**2, determinant)):
        raise Impossible("no samples have these power sums")
    return n, [iv.mpf(n), m1, m2, m3, m4], m1 / n


def catoni(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""S(m) = sum psi(a (X - m)) beyond B = (1 + n/N) L, psi(u) = sign(u) log(1 + \|u\| + u^2/2).

    L = log(2/rate), a = sqrt(2 L/(N V)), V declared, N planned, or n at an earlier look. S falls in
    m, within a^4 sum (X - m)^4 / 8 of a sum (X - m) - a^3 sum (X - m)^3 / 6. Catoni (2012).
    """
    (n, sums, mean), planned, look = power_sums(test), plan["planned"], plan["look"]
    per_draw = plan.get("per_draw", 1)
    if n > planned or (look and n != per_draw * math.ceil(planned / 1.3**look / per_draw)):
        raise Impossible(f"inspection {look} of {planned} samples is not at {n}")
    planned, cost = n if look else planned, iv.log(2 / rate)
    bound, variance = cost * (1 + iv.mpf(n) / planned), ball(test["variance"])
    a = iv.sqrt(2 * cost / planned / variance)

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * ball(plan.get("rounding", 0.0))
        _, m1, _, m3, m4 = moved(sums, e)
        total = a * m1 - a**3 * m3 / 6 + iv.mpf([-1, 1]) * a**4 * m4 / 8
        if compare(-side * total, ">", bound) is None and test["samples"]:
            us = [a * (ball(x) - e) for x in test["samples"]]
            total = sum((1 if sure(u, ">=", 0) else -1) * iv.log(1 + abs(u) + u**2 / 2) for u in us)
        return sure(n, ">", 2 * bound) and sure(-side * total, ">", bound)

    return Mean(mean, excludes, not plan.get("pilot", False), not look)


def won(stake: iv.mpf, sums: list[Any], most: iv.mpf) -> Any:
    r"""Return a lower bound of prod (1 + s Y) where s Y >= -c, from sums of Y^k; c is `most`.

    log(1 + u) >= u - u^2/2 + u^3/3 - k u^4 for u >= -c, k = (-log(1 - c) - c - c^2/2 - c^3/3)/c^4.
    """
    k = (-iv.log(1 - most) - most - most**2 / 2 - most**3 / 3) / most**4
    powers = (stake * sums[1], stake**2 * sums[2], stake**3 * sums[3], stake**4 * sums[4])
    return iv.exp(powers[0] - powers[1] / 2 + powers[2] / 3 - k * powers[3])


def wealth(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""Mean over 13 stakes s = 3/4, 3/8, ... of prod (1 +- s (X - m)/w) at least 2/rate, by `won`.

    w: range, about the claim, and twice the rounding; no mean is beyond. Waudby-Smith, Ramdas 2024.
    """
    (_, sums, mean), rounding = power_sums(test), ball(plan["rounding"])
    low, high = map(ball, test["range"])
    stakes, span = [iv.mpf(3) / 4 / 2**j for j in range(13)], high - low + 2 * rounding

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * rounding
        total = sum(won(-side * s / span, moved(sums, e), s) for s in stakes)
        beyond = bool(compare(side * e, ">", high if side > 0 else -low))
        return beyond or sure(total, ">=", 13 * 2 / rate)

    return Mean(mean, excludes)


def mixture(plan: Test, test: Test, r: Any, c: Any, level: Any, lack: Any, may: bool) -> Mean:
    r"""Mean over 29 stakes s = 2^k/r of exp(s n d - s^2 c (Q + n d^2)) at least `level`.

    d is the distance of m from the mean, divided by `lack`; Q = sum (X - mean)^2. Beyond an
    excluded point all are if n/(9 c) >= log(29 level): the sum grows with d up to a standard
    deviation; then one stake is so near the best that its exponent is 8/9 of n/(8 c) or more.
    """
    n, sums, mean = power_sums(test)
    squares = moved(sums, mean)[2]

    def excludes(e: iv.mpf, side: int) -> bool:
        d = (side * (e - mean) - ball(plan["rounding"])) / lack
        stakes = [iv.mpf(2) ** k / r for k in range(-20, 9)]
        terms = [iv.exp(s * n * d - s**2 * c * (squares + n * d**2)) for s in stakes]
        return sure(d, ">", 0) and sure(sum(terms) / 29, ">=", level)

    return Mean(mean, excludes, may, sure(n / (9 * c), ">=", iv.log(29 * level)) or None)


def symmetric(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    """`mixture` at c = 1/2 and 2/rate, of samples symmetric about their mean: de la Pena 1999."""
    return mixture(plan, test, r, iv.mpf(1) / 2, 2 / rate, 1, True)


def unseen(test: Test, rate: iv.mpf, r: iv.mpf) -> bool:
    r"""Bets that a mean is off by e = r/20 or more, but for events rarer than log(4/rate)/n.

    Z = X - c or c - X, of positive sample mean, M the largest -Z. The mean over 29 stakes
    s = 2^k/r, without those above 3/(4 (M + e)), of prod (1 + s (Z - e)) reaches 4/rate, by `won`.
    """
    (n, sums, mean), e = power_sums(test), FLOOR * r
    reach = iv.sqrt(iv.sqrt(larger(sums[4], 0)))
    low, high = map(ball, test["ends"]) if "ends" in test else (-reach, reach)
    if compare(n * (mean - low) * (high - mean), "<", moved(sums, mean)[2] * (1 - 1e-9)):
        raise Impossible("no samples between these ends scatter that much")  # Bhatia and Davis 2000
    sign = 1 if sure(mean, ">", 0) else -1
    gaps = moved([sign**k * each for k, each in enumerate(sums)], e)
    stakes = (iv.mpf(2) ** k / r for k in range(-20, 9))
    stakes = (s for s in stakes if sure(s * ((-low if sign > 0 else high) + e), "<=", MOST))
    return sure(sum(won(s, gaps, MOST) for s in stakes), ">=", 4 * 29 / rate)


def seen(test: Test, rate: iv.mpf, r: iv.mpf) -> bool:
    """Whether samples of a number fixed before refute: 100 effective ones, r/20 off, `unseen`."""
    _, sums, mean = power_sums(test)
    _, _, squares, _, fourths = moved(sums, mean)
    if not (compare(fourths, ">", 0) and compare(squares**2, ">=", 100 * fourths)):
        return False
    return sure(abs(mean), ">=", FLOOR * r) and unseen(test, rate, r)


def self_normalised(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Any:
    r"""`mixture` at c = 1/6 + 1/(3 (1 - t)) and 2/(7 rate/8): Delyon (2009).

    t = 1/4 where E = Q^2 / sum (X - mean)^4 >= W(1/4), 0 of constants, else 1/2.
    W(t) = 5 log(1/p)/h(t), h(t) = (1 - t) log(1 - t) + t; p is 1/8 of the rate over 2 j (j + 1) at
    inspection j, over 2 at a single one. Where 0 < E < W(t), distances are divided by sqrt(W/E).
    Refuted by `seen`, of ``fresh`` samples, half or more, unless n was fixed; or by one fixed map.
    """
    (n, sums, mean), look = power_sums(test), plan["look"]
    _, _, squares, _, fourths = moved(sums, mean)
    paid = rate / 8 / (2 * look * (look + 1) if look else 2)
    floor = n * (ball(plan["rounding"]) ** 2 + iv.mpf(1e-24)) + 64 * EPS * iv.sqrt(n) * sums[2]
    varies = sure(squares, ">", iv.mpf([0, floor.b]) if look is None else floor)  # finer for one
    if look is None and varies and seen(test, rate, r):
        return True, False
    if "fresh" in test and (fresh := test["fresh"]) and n <= 2 * fresh["n"] < 2 * n:
        first = [x - y for x, y in zip(test["sums"], fresh["sums"], strict=True)]
        radii = [x + y for x, y in zip(test["radii"], fresh["radii"], strict=True)]
        power_sums({"n": n - fresh["n"], "sums": first, "radii": radii})
        if compare(mean * power_sums(fresh)[2], ">", 0) and seen(fresh, rate, r):
            return True, False
    effective = squares**2 / fourths if varies else iv.mpf(0)
    needs = {t: MARGIN * -iv.log(paid) / ((1 - t) * iv.log(iv.mpf(1 - t)) + t) for t in (0.25, 0.5)}
    t = 0.25 if sure(effective, ">=", needs[0.25]) else 0.5
    few = varies and not sure(effective, ">=", needs[t])
    lack = iv.sqrt(needs[t] / larger(effective, 1)) if few else 1
    c, level = iv.mpf(1) / 6 + 1 / iv.mpf(3 * (1 - t)), 2 / (rate * 7 / 8)
    return mixture(plan, test, r, c, level, lack, plan["fixed"] and not varies)


def bets(test: Test) -> Any:
    r"""Return the mean over 11 stakes s = 0.96/2^k of prod (1 + s (Q/q - 1)), from its logarithms.

    Each is at most exp(s (sum Q/q - n)), and rounded by at most 8 n units in the last place.
    """
    n, total = test["n"], iv.mpf(0)
    for k, w in enumerate(map(ball, test["log_wealths"])):
        w += iv.mpf([-1, 1]) * (8 * n + 64) * EPS * (1 + abs(w))
        if compare(w, ">", iv.mpf(0.96) / 2**k * (ball(test["sum"]) / ball(test["bet"]) - n)):
            raise Impossible("no bets win that much from samples of this sum")
        total += iv.exp(w)
    return total / 11


def squared_lengths(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    r"""Q = \|u +- v\|^2, mean q: refuted if `bets` reach 1/rate and Q exceeds q by r/10; Ville."""
    off = (ball(test["sum"]) / test["n"] - ball(test["claim"])) / 2
    return sure(off, ">=", FLOOR * r) and sure(bets(test), ">=", 1 / rate), True


def tail(n: int, k: int, p: iv.mpf) -> Any:
    """Return P(Bin(n, p) >= k) for k above its mean, by its terms and a geometric rest."""
    term = iv.exp(iv.loggamma(n + 1) - iv.loggamma(k + 1) - iv.loggamma(n - k + 1))
    term *= iv.exp(k * iv.log(p) + (n - k) * iv.log(1 - p))
    total, q = term, p / (1 - p)
    while k < n and not compare(term, "<", total / 2**80):
        term *= q * (n - k) / (k + 1)
        total, k = total + term, k + 1
    ratio = q * (n - k) / (k + 1)
    return total + iv.mpf([0, 1]) * term * ratio / (1 - ratio)


def binomial(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    """P(Bin(n, m) >= k) or P(Bin(n, m) <= k) at most half of the rate: Clopper and Pearson."""
    n, count, claim = test["n"], test["count"], ball(test["claim"])

    def excludes(e: iv.mpf, side: int) -> bool:
        p, k = (claim + e, count) if side < 0 else (1 - claim - e, n - count)
        return sure(n * p, "<", k) and bool(p.b <= 0 or sure(tail(n, k, p), "<=", rate / 2))

    return Mean(iv.mpf(count) / n - claim, excludes)


def betting(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""K+ = prod (1 + min(s_i, 3/(4 m)) (X_i - m)) at least 2/rate for X in [0, 1], or of 1 - X.

    s_i = sqrt(2 log(2/rate)/(n v_i)), v_1 = 1/4, v_{i+1} = (1/4 + sum_{j<=i} (X_j - m_j)^2)/(i + 1)
    with m_i = (1/2 + sum_{j<=i} X_j)/(i + 1). Needs the samples in their order.
    """
    if not test["samples"]:
        raise Undecided("the samples are not stored")
    (low, high), claim, n = map(ball, test["range"]), ball(test["claim"]), test["n"]
    xs = [(ball(x) - low) / (high - low) for x in test["samples"]]
    total, scatter, stakes = iv.mpf(1) / 2, iv.mpf(1) / 4, []
    for i, x in enumerate(xs, 1):
        stakes.append(iv.sqrt(2 * iv.log(2 / rate) / (n * scatter / i)))
        total += x
        scatter += (x - total / (i + 1)) ** 2

    def excludes(e: iv.mpf, side: int) -> bool:
        m = (claim + e - low) / (high - low)
        m, signed = (m, xs) if side < 0 else (1 - m, [1 - x for x in xs])
        if compare(m, "<", 0):
            return True
        least = [s if compare(s * m, "<", MOST) else -larger(-s, -MOST / m) for s in stakes]
        return sure(math.prod(1 + s * (x - m) for s, x in zip(least, signed)), ">=", 2 / rate)

    return Mean((total - 0.5) / n * (high - low) + low - claim, excludes)


def no_event(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Probability 0 is claimed: one occurrence refutes; holds if (1 - r)^n <= rate/2."""
    return test["count"] > 0, sure((1 - r) ** test["n"], "<=", rate / 2)


def beyond_range(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """One sample outside the declared range, by more than rounding, refutes it."""
    (low, high), slack = test["range"], test["slack"]
    return not low - slack <= test["value"] <= high + slack, False


def kolmogorov(n: int, d: iv.mpf) -> Any:
    """P(D_n^+ >= d) = d sum_j C(n, j) (d + j/n)^(j-1) (1 - d - j/n)^(n-j), or exp(-2 n d^2)."""
    if n > 10_000:  # Massart (1990); up to there Birnbaum and Tingey (1951)
        return iv.exp(-2 * n * d**2)
    points = [(j, iv.mpf(j) / n) for j in range(int(n * (1 - float(d.a))) + 1)]
    parts = ((d + t) ** (j - 1) * larger(1 - d - t, 0) ** (n - j) for j, t in points)
    return d * sum(math.comb(n, j) * part for j, part in enumerate(parts))


def distribution(plan: Test, test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Distance of two distribution functions at sample i of n, (i + 1)/n - F(t) or F(t-) - i/n.

    Refuted if the largest has a tail of at most rate/2, holds if r/2 has, and between samples i and
    j of the grid, where distances are below j/n - F(t_i) or F(t_j-) - (i + 1)/n, none is larger.
    """
    n, gaps, between = test["n"], [iv.mpf(0)], [iv.mpf(0)]
    if any(map(math.isnan, test["above"] + test["below"])):
        return True, False
    rows = sorted(zip(test["index"], test["above"], test["below"], strict=True))
    for (i, above, below), (j, _, later) in zip(rows, rows[1:] + rows[-1:]):
        gaps += [iv.mpf(i + 1) / n - ball(above), ball(below) - iv.mpf(i) / n]
        between += [iv.mpf(j) / n - ball(above), ball(later) - iv.mpf(i + 1) / n][: 2 * (j > i + 1)]
    gap, farther = (max(each, key=lambda x: x.b) for each in (gaps, between))
    if compare(gap, ">", 0) and sure(kolmogorov(n, gap), "<", rate / 2):
        return True, False
    if compare(farther, ">", 0) and compare(kolmogorov(n, farther), ">=", rate / 2) is not True:
        raise Undecided("samples between those of the grid may be farther")
    return False, sure(kolmogorov(n, r / 2), "<=", rate / 2)


_ALL: tuple[Callable[..., Any], ...] = (catoni, wealth, symmetric, self_normalised, binomial)
_ALL += (betting, squared_lengths, no_event, beyond_range, distribution)
METHODS = {each.__name__.replace("_", " "): each for each in _ALL}


def rate_of(method: str, plan: Test, alpha: Any, count: int) -> Any:
    """Return the error rate of one mean at this inspection."""
    alpha = alpha * {"coarse": 1, "fine": 19}.get(plan.get("stage", ""), 20) / 20
    if method == "catoni" and (look := plan.get("look")) is not None:
        alpha = alpha * 3 / 4 if look == 0 else alpha / (4 * look * (look + 1))
    return alpha / (max(count, plan.get("count", 0)) * (2 if plan.get("shared") else 1))


def is_outside(result: Mean, r: iv.mpf) -> bool:
    """Return whether the claim is excluded and far enough from the mean."""
    far = sure(abs(result.mean), ">=", FLOOR * r)
    return far and any(result.excludes(iv.mpf(0), side) for side in (-1, 1))


def judge(result: Mean, test: Test, r: iv.mpf) -> tuple[bool, bool | None]:
    """Return whether one mean refutes, and whether it is known within the resolution."""
    (mean, excludes, may_refute, may_hold), sides = result, (-1, 1)
    if is_outside(result, r):
        return may_refute, False
    ends = [mean - r, mean + r]
    if math.isfinite(test["low"]) and math.isfinite(test["high"]):
        ends = [ball(test[end]) - ball(test["claim"]) for end in ("low", "high")]
        narrow = compare(larger(ends[1], 0) + larger(-ends[0], 0), "<=", r)
        if narrow and all(map(excludes, ends, sides)):
            return False, may_hold
    middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
    for inner in ([middle - x, middle + x] for x in (-larger(-half, -r * 0.501), half * 0.999)):
        if compare(larger(inner[1], 0) + larger(-inner[0], 0), ">", r):
            with suppress(Undecided):
                if not any(map(excludes, inner, sides)):
                    return False, False
    raise Undecided("the endpoints are not where the statistics put them")


def require_sound(groups: list[Test], alpha: float, r: float) -> None:
    """Raise `Impossible` for numbers, pairs or samples that no check writes."""
    sizes, most = ("n", "planned", "per_draw", "draws"), 10**10  # whose terms can be summed
    rules: dict[str, Callable[[Any], bool]] = {
        **dict.fromkeys(sizes, lambda x: type(x) is int and 0 < x <= most),
        **dict.fromkeys(("count", "look"), lambda x: x is None or (type(x) is int and x >= 0)),
        "claim": math.isfinite,
        **dict.fromkeys(("rounding", "slack"), lambda x: x >= 0),
        **dict.fromkeys(("bet", "relative_to", "variance"), lambda x: x > 0),
        "sums": lambda x: len(x) == 4,
        "radii": lambda x: len(x) == 4 and min(x) >= 0,
        "range": lambda x: x[0] <= x[1],
        "log_wealths": lambda x: len(x) == 11,
    }
    sound = 0 < alpha < 1 and 0 < r < math.inf and all(group["tests"] for group in groups)
    methods, split = [group["method"] for group in groups], ["self normalised", "squared lengths"]
    sound = sound and methods in (methods[:1], split) and methods != split[1:]  # who share a rate
    for group in groups:
        plan, tests = group["plan"], group["tests"]
        sound = sound and (len(groups) == 1 or plan["shared"] is True)
        pairs = [tuple(test["pair"]) for test in tests if "pair" in test]
        sound = sound and len(pairs) in (0, len(tests)) and len(set(pairs)) == len(pairs)
        count = sum(1 + ("pair" in test) for test in groups[0]["tests"])
        sound = sound and (group is groups[0] or plan["count"] == count)
        if group is not groups[0] and "unit_X" in groups[0]["plan"]:
            claims = {tuple(each["pair"]): each["claim"] for each in groups[0]["tests"]}
            c = claims.get(pairs[0], math.nan)
            off = tests[0]["claim"] - max(0.0, 2 + math.copysign(2, tests[0]["sign"]) * c)
            sound = sound and len(tests) == 1 and (c == 0 or abs(off) <= 1e-9)
        if plan.keys() & {"unit_X", "source"}:
            n, m, same = len(plan["unit_X"]), len(plan["unit_Y"]), plan["same"]
            sound = sound and len(pairs) == (n * (n + 1) // 2 if same else n * m)
            sound = sound and all(i in range(n) and j in range(same and i, m) for i, j in pairs)
        for each in (plan, *tests, *(test["fresh"] for test in tests if "fresh" in test)):
            sound = sound and all(rules[key](each[key]) for key in rules.keys() & each.keys())
            sound = sound and each.get("bet", math.inf) >= each.get("claim", 0.0) * (1 - 1e-12)
        sound = sound and all(map(is_sample, tests))
    if not sound:
        raise Impossible("no check writes such numbers, pairs or samples")


def is_sample(test: Test) -> bool:
    """Return whether samples, counts on a grid and the range of a mean fit together."""
    samples, n = test.get("samples") or [], test.get("n", 0)
    low, high = test.get("range", (-1e300, 1e300))
    slack = 1e-9 * (1 + abs(low) + abs(high))
    fits = test.get("count", 0) <= n and len(samples) in (0, n)
    fits = fits and all(low - slack <= x <= high + slack for x in samples)
    for k, total in enumerate(test.get("sums", ())):
        powers, radius = [x ** (k + 1) for x in samples], test["radii"][k]
        room = radius + 1e-12 * math.fsum(map(abs, powers))
        fits = fits and (not samples or abs(math.fsum(powers) - total) <= room)
        if k == 0 and math.isfinite(total):
            fits = fits and (low - slack) * n - radius <= total <= (high + slack) * n + radius
    if "index" in test:
        rows = sorted(zip(test["index"], test["below"], test["above"], strict=True))
        values = [0.0, *(each for _, *both in rows for each in both), 1.0]
        fits = fits and bool(rows) and (rows[0][0], rows[-1][0]) == (0, n - 1)
        fits = fits and not any(map(lambda x, y: x > y + 1e-9, values, values[1:]))
    return fits


def outcome(group: Test, test: Test, alpha: Any, r: iv.mpf) -> tuple[bool | None, bool | None, str]:
    """Return whether a test refutes, whether it is narrow, and why that is open."""
    plan, name = group["plan"], group["method"]
    r = r * ball(test.get("relative_to", 1.0)) * (4 if plan.get("stage") == "coarse" else 1)
    if not all(map(math.isfinite, test.get("sums", ()))):
        return True, False, ""
    try:
        result = METHODS[name](plan, test, rate_of(name, plan, alpha, len(group["tests"])), r)
        refutes, narrow = judge(result, test, r) if isinstance(result, Mean) else result
        return refutes, narrow and plan.get("stage") != "coarse", ""
    except Undecided as why:
        return None, None, f"{name}: {why}"


def decide(certificate: Test) -> tuple[int, str]:
    """Return the exit status and a line that says why."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    if certificate["digest"] != "sha256:" + hashlib.sha256(text).hexdigest():
        return 1, "contradicted: the digest is not that of the content"
    certificate = numbers(certificate)
    groups, alpha, r = (certificate[key] for key in ("statistics", "false_alarm", "resolution"))
    if not groups or any(group["method"] not in METHODS for group in groups):
        return 3, "cannot be decided: it has no statistics of a method that is known here"
    try:
        require_sound(groups, alpha, r)
        outcomes = [outcome(g, test, ball(alpha), ball(r)) for g in groups for test in g["tests"]]
    except Impossible as why:
        return 1, f"contradicted: {why}"
    refutes, narrow = {each[0] for each in outcomes}, {each[1] for each in outcomes}
    if not (True in refutes or (None not in refutes and (False in narrow or None not in narrow))):
        return 3, "cannot be decided: " + (max(each[2] for each in outcomes) or "too few samples")
    status = "refuted" if True in refutes else "inconclusive" if False in narrow else "holds"
    line = f"the statistics of {len(outcomes)} tests: {status}, at a rate of {alpha:.3g} and a"
    said = "confirmed" if status == certificate["status"] else "contradicted"
    return int(said != "confirmed"), f"{said}: {line} resolution of {r:.3g}"


def once(pairs: list[tuple[str, Any]]) -> Test:
    """Return a JSON object, whose keys another reader would take from the first of two."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def numbers(value: Any) -> Any:
    """Return JSON with hexadecimal strings as floats, which decimal digits keep exactly."""
    hexes = r'"(-?(?:0x[^"]+p[^"]+|inf|nan))"'
    return json.loads(re.sub(hexes, lambda m: json.dumps(float.fromhex(m[1])), json.dumps(value)))


def seeds(root: int, count: int) -> list[int]:
    """Return the seeds of a check: first words of the children of a root, in 31 bits, each once."""
    import numpy as np

    children = (np.random.SeedSequence(root, spawn_key=(0, k)) for k in range(2 * count + 8))
    return list(dict.fromkeys(int(each.generate_state(1)[0]) >> 1 for each in children))[:count]


def replay(certificate: Test, draw: Callable[[int], Any]) -> tuple[int, str]:
    """Draw the maps again, multiply their columns in plain loops, and compare the statistics.

    The j-th sum may differ by its radius and j e sum (|X - c| + 2 |c| + e)^(j-1), e the plan's
    ``rounding``. A sample is m times a product of columns, or a whole inner product; of units of
    several columns the first sum is compared. Bets are, at the largest stake, to a millionth.
    """
    import numpy as np

    groups, root = numbers(certificate["statistics"]), certificate["seeds"].get("seed")
    plan = groups[0]["plan"] if groups else {}
    if not plan.get("source") or plan["X"] is None or (plan["Y"] is None) != plan["same"]:
        return 3, "cannot be replayed: samples are no products of rows, or rows are too many"
    tests, e, source = groups[0]["tests"], plan["rounding"], plan["source"]
    bets = [[test, 0.0] for each in groups[1:] for test in each["tests"]]
    fresh = [{**each, **each["fresh"]} for each in tests if "fresh" in each]
    sums = [(test, [0.0] * 4, [0.0] * 4) for test in tests + fresh]
    for drawn, seed in enumerate(seeds(root, plan["draws"])):
        phi = draw(seed)
        left = np.asarray(phi(np.array(plan["X"])), dtype=float).tolist()
        right = left if plan["same"] else np.asarray(phi(np.array(plan["Y"])), dtype=float).tolist()
        columns = len(left[0]) if source == "independent features" else plan["per_draw"]
        for test, total, size in sums:
            if (plan["draws"] - drawn) * columns > test["n"]:
                continue  # one of the first draws, before fresh ones
            a, b = left[test["pair"][0]], right[test["pair"][1]]
            samples, weight = [len(a) * x * y / test["unit"] for x, y in zip(a, b, strict=True)], 1
            if source != "independent features":
                samples, weight = [math.fsum(samples) / len(a)], plan["per_draw"]
            for gap in (sample - test["claim"] for sample in samples):
                for k in range(4):
                    total[k] += weight * gap ** (k + 1)
                    size[k] += weight * (abs(gap) + 2 * abs(test["claim"]) + e) ** k
        for bet in bets:
            (i, j), test = bet[0]["pair"], bet[0]
            u, v = plan["unit_X"][i], test["sign"] * plan["unit_Y"][j]
            squares = [(x / u + y / v) ** 2 for x, y in zip(left[i], right[j], strict=True)]
            m, step = len(squares), int(groups[1]["plan"]["block"]) or len(squares)
            for part in (squares[k : k + step] for k in range(0, m, step)):
                bet[1] += math.log1p(0.96 * (m / len(part) * math.fsum(part) / test["bet"] - 1))
    if any(test["n"] != plan["draws"] * columns for test in tests):
        return 1, f"contradicted: the samples are not those of {plan['draws']} draws"
    for test, total, size in sums:
        for k in range(1 if source == "independent units" else 4):
            room = 2 * test["radii"][k] + (k + 1) * e * size[k]
            if not abs(total[k] - test["sums"][k]) <= room:
                return 1, f"contradicted: sum {k + 1} of pair {test['pair']} is {total[k]!r} again"
    if any(not abs(x - test["log_wealths"][0]) <= 1e-6 * (1 + abs(x)) for test, x in bets):
        return 1, "contradicted: bets on squared lengths win otherwise"
    return 0, f"replayed: {plan['draws']} draws, {len(tests)} pairs"


def main(arguments: list[str] | None = None) -> int:
    """Decide the certificates of a file, and return the worst exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a certificate, or several, as JSON")
    parser.add_argument("--draw", metavar="MODULE:NAME", help="draw again: seed -> map")
    options = parser.parse_args(arguments)
    try:
        content = json.loads(Path(options.file).read_text("utf-8"), object_pairs_hook=once)
        listed, names = content.get("certificates", [content]), content.get("of", [options.file])
        checks = [f"{of}: {each['check']}" for of, each in zip(names, listed, strict=True)]
        if not all(
            (checks, *map(str.isprintable, checks), *(x["schema"] == SCHEMA for x in listed))
        ):
            raise ValueError(f"it holds no {SCHEMA} with a name that can be printed")
        outcomes = [(check, *decide(each)) for check, each in zip(checks, listed)]
        if options.draw:
            module, _, name = options.draw.rpartition(":")
            sys.path.insert(0, str(Path(module).resolve().parent if module.endswith(".py") else ""))
            draw = getattr(import_module(Path(module).name.removesuffix(".py")), name)
            again = [(first[0], *replay(each, draw)) for first, each in zip(outcomes, listed)]
            outcomes += [each for each in again if each[1] != 3] or again
    except Exception as error:  # whatever the file holds, and whatever the draw raises
        sys.stderr.write(f"{options.file}: {type(error).__name__}: {error}\n")
        return 2
    sys.stdout.writelines(f"{check}: {line}\n" for check, _, line in outcomes)
    return next((status for status in (1, 3) if status in [each[1] for each in outcomes]), 0)


if __name__ == "__main__":
    sys.exit(main())
