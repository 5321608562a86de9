r"""Decide a certificate of mehler again, without mehler: ``python recheck.py FILE``.

Exit status: 0 *confirmed*, 1 *contradicted*, 2 no certificate, 3 *undecided*, given the statistics,
plan and assumptions, in the intervals of ``mpmath``. The rule, for means with claims c, resolution
r and endpoints l < h, all in units of the test:

- *refuted* if some c is excluded, r/20 or more from the sample mean, and the method may refute;
- else *holds* if all l and h are excluded, no c is so, and max(h, c) - min(l, c) <= r;
- else *inconclusive*: at some mean, points farther than r apart are not excluded.

Nothing is inverted: a formula says at which level a point m is excluded, with all beyond it. First
the plan's ``rounding`` moves m towards the mean; sums are known within their radii.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the folder of this file, or the working one: their modules are not Python's

import argparse
import hashlib
import json
import math
import os
import re
import runpy
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

try:
    from mpmath import iv
except ImportError as missing:
    sys.stderr.write(f"recheck.py needs mpmath: {missing}\n")
    sys.exit(2)

iv.prec = 120
SCHEMA = "mehler-certificate/3"
FLOOR, MOST, MARGIN, EPS, TINY = iv.mpf(1) / 20, iv.mpf(3) / 4, 5, iv.mpf(2) ** -52, 1e-300
Test = dict[str, Any]


class Undecided(Exception):
    """The statistics of a mean do not decide, or are not stored."""


class Impossible(Exception):
    """No samples have these statistics, or no plan this inspection."""


class Mean(NamedTuple):
    mean: Any
    excludes: Callable[[Any, int], bool]  # of a point, from the claim on, and a side of it, +-1
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
    return iv.mpf(value) + iv.mpf([-radius, radius])


def larger(x: iv.mpf, y: iv.mpf) -> Any:
    return iv.mpf([max(x.a, iv.mpf(y).a), max(x.b, iv.mpf(y).b)])


def moved(sums: list[Any], e: iv.mpf) -> list[Any]:
    """Return sum (X - c - e)^k for k = 0 to 4 from those at e = 0."""
    signed = [(-e) ** k for k in range(5)]
    return [sum(math.comb(k, j) * signed[k - j] * sums[j] for j in range(k + 1)) for k in range(5)]


def power_sums(test: Test) -> tuple[int, list[Any], Any]:
    """Return n, sums about the claim for k = 0 to 4, within Cauchy's inequality, and the mean."""
    n, (m1, m2, m3, m4) = test["n"], map(ball, test["sums"], test["radii"])
    impossible = any(compare(least, "<", 0) for least in (m2, n * m2 - m1**2, m2 * m4 - m3**2))
    if impossible or len(test.get("samples") or range(n)) != n:
        raise Impossible("no n samples have these power sums")
    return n, [iv.mpf(n), m1, m2, m3, m4], m1 / n


def catoni(test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""S(m) = sum psi(a (X - m)) beyond B = (1 + n/N) L, psi(u) = sign(u) log(1 + \|u\| + u^2/2).

    L = log(2/rate), a = sqrt(2 L/(N V)), V declared, N planned, or n at an earlier look. S falls in
    m, within a^4 sum (X - m)^4 / 8 of a sum (X - m) - a^3 sum (X - m)^3 / 6. Catoni (2012).
    """
    (n, sums, mean), planned, look = power_sums(test), test["planned"], test["look"]
    step = test.get("per_draw", 1)
    if n > planned or (look and n != step * math.ceil(planned / 1.3**look / step)):
        raise Impossible(f"inspection {look} of {planned} samples is not at {n}")
    planned, cost = n if look else planned, iv.log(2 / rate)
    bound, a = cost * (1 + iv.mpf(n) / planned), iv.sqrt(2 * cost / planned / test["variance"])

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * ball(test.get("rounding", 0.0))
        _, m1, _, m3, m4 = moved(sums, e)
        total = a * m1 - a**3 * m3 / 6 + iv.mpf([-1, 1]) * a**4 * m4 / 8
        if compare(-side * total, ">", bound) is None and test["samples"]:
            us = [a * (ball(x) - e) for x in test["samples"]]
            total = sum((1 if sure(u, ">=", 0) else -1) * iv.log(1 + abs(u) + u**2 / 2) for u in us)
        return sure(n, ">", 2 * bound) and sure(-side * total, ">", bound)

    return Mean(mean, excludes, not test.get("pilot", False), not look)


def won(stake: iv.mpf, sums: list[Any], most: iv.mpf) -> Any:
    r"""Return a lower bound of prod (1 + s Y) where s Y >= -c, from sums of Y^k; c is `most`.

    log(1 + u) >= u - u^2/2 + u^3/3 - k u^4 for u >= -c, k = (-log(1 - c) - c - c^2/2 - c^3/3)/c^4.
    """
    k = (-iv.log(1 - most) - most - most**2 / 2 - most**3 / 3) / most**4
    powers = (stake * sums[1], stake**2 * sums[2], stake**3 * sums[3], stake**4 * sums[4])
    return iv.exp(powers[0] - powers[1] / 2 + powers[2] / 3 - k * powers[3])


def wealth(test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""Mean over 13 stakes s = 3/4, 3/8, ... of prod (1 +- s (X - m)/w) at least 2/rate, by `won`.

    w: range, about the claim, and twice the rounding; no mean is beyond. Waudby-Smith, Ramdas 2024.
    """
    (_, sums, mean), rounding, (low, high) = power_sums(test), ball(test["rounding"]), test["range"]
    stakes, span = [iv.mpf(3) / 4 / 2**j for j in range(13)], ball(high) - low + 2 * rounding

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * rounding
        total = sum(won(-side * s / span, moved(sums, e), s) for s in stakes)
        beyond = bool(compare(side * e, ">", high if side > 0 else -low))
        return beyond or sure(total, ">=", 13 * 2 / rate)

    return Mean(mean, excludes)


def mixture(test: Test, r: Any, c: Any, level: Any, lack: Any, may: bool) -> Mean:
    r"""Mean over 29 stakes s = 2^k/r of exp(s n d - s^2 c (Q + n d^2)) at least `level`.

    d is the distance of m from the mean, divided by `lack`; Q = sum (X - mean)^2. Beyond an
    excluded point all are if n/(9 c) >= log(29 level): the sum grows with d up to a standard
    deviation; then one stake is so near the best that its exponent is 8/9 of n/(8 c) or more.
    """
    n, sums, mean = power_sums(test)
    squares, stakes = moved(sums, mean)[2], [iv.mpf(2) ** k / r for k in range(-20, 9)]

    def excludes(e: iv.mpf, side: int) -> bool:
        d = (side * (e - mean) - ball(test["rounding"])) / lack
        terms = [iv.exp(s * n * d - s**2 * c * (squares + n * d**2)) for s in stakes]
        return sure(d, ">", 0) and sure(sum(terms) / 29, ">=", level)

    return Mean(mean, excludes, may, sure(n / (9 * c), ">=", iv.log(29 * level)) or None)


def symmetric(test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    """`mixture` at c = 1/2 and 2/rate, of samples symmetric about their mean: de la Pena 1999."""
    return mixture(test, r, iv.mpf(1) / 2, 2 / rate, 1, True)


def unseen(test: Test, rate: iv.mpf, r: iv.mpf) -> bool:
    r"""Bets that a mean is off by e = r/20 or more, but for events rarer than log(4/rate)/n.

    Samples of a number fixed before, 100 effective ones, off by e. Z = X - c or c - X, of positive
    sample mean, M the largest -Z. The mean over 29 stakes s = 2^k/r, without those above
    3/(4 (M + e)), of prod (1 + s (Z - e)) reaches 4/rate, by `won`.
    """
    (_, sums, mean), e = power_sums(test), FLOOR * r
    _, _, squares, _, fourths = moved(sums, mean)
    ample = compare(fourths, ">", 0) and compare(squares**2, ">=", 100 * fourths)
    if not (ample and sure(abs(mean), ">=", e)):
        return False
    reach = iv.sqrt(iv.sqrt(larger(sums[4], 0)))
    low, high = map(ball, test["ends"]) if "ends" in test else (-reach, reach)
    sign = 1 if sure(mean, ">", 0) else -1
    gaps = moved([sign**k * each for k, each in enumerate(sums)], e)
    stakes = (iv.mpf(2) ** k / r for k in range(-20, 9))
    stakes = (s for s in stakes if sure(s * ((-low if sign > 0 else high) + e), "<=", MOST))
    return sure(sum(won(s, gaps, MOST) for s in stakes), ">=", 4 * 29 / rate)


def self_normalised(test: Test, rate: iv.mpf, r: iv.mpf) -> Any:
    r"""`mixture` at c = 1/6 + 1/(3 (1 - t)) and 2/(7 rate/8): Delyon (2009).

    t = 1/4 where E = Q^2 / sum (X - mean)^4 >= W(1/4), 0 of constants, else 1/2.
    W(t) = 5 log(1/p)/h(t), h(t) = (1 - t) log(1 - t) + t; p is 1/8 of the rate over 2 j (j + 1) at
    inspection j, over 2 at a single one. Where 0 < E < W(t), distances are divided by sqrt(W/E).
    Refuted by `unseen`, of ``fresh`` samples, half or more, unless n was fixed; or one fixed map.
    """
    (n, sums, mean), look = power_sums(test), test["look"]
    _, _, squares, _, fourths = moved(sums, mean)
    paid = rate / 8 / (2 * look * (look + 1) if look else 2)
    floor = n * (ball(test["rounding"]) ** 2 + iv.mpf(1e-24)) + 64 * EPS * iv.sqrt(n) * sums[2]
    varies = sure(squares, ">", iv.mpf([0, floor.b]) if look is None else floor)  # finer for one
    if look is None and varies and unseen(test, rate, r):
        return True, False
    if "fresh" in test and (fresh := test["fresh"]) and n <= 2 * fresh["n"] < 2 * n:
        first = [x - y for x, y in zip(test["sums"], fresh["sums"])]
        radii = [x + y for x, y in zip(test["radii"], fresh["radii"])]
        power_sums({"n": n - fresh["n"], "sums": first, "radii": radii})
        if compare(mean * power_sums(fresh)[2], ">", 0) and unseen(fresh, rate, r):
            return True, False
    effective = squares**2 / fourths if varies else iv.mpf(0)
    needs = {t: MARGIN * -iv.log(paid) / ((1 - t) * iv.log(iv.mpf(1 - t)) + t) for t in (0.25, 0.5)}
    t = 0.25 if sure(effective, ">=", needs[0.25]) else 0.5
    few = varies and not sure(effective, ">=", needs[t])
    lack = iv.sqrt(needs[t] / larger(effective, 1)) if few else 1
    c, level = iv.mpf(1) / 6 + 1 / iv.mpf(3 * (1 - t)), 2 / (rate * 7 / 8)
    return mixture(test, r, c, level, lack, test["fixed"] and not varies)


def squared_lengths(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    r"""Q = \|u +- v\|^2, mean q: refuted if bets reach 1/rate and Q exceeds q by r/10; Ville.

    They are the mean over 11 stakes s = 0.96/2^k of prod (1 + s (Q/q - 1)), from its logarithms,
    each at most exp(s (sum Q/q - n)), and rounded by at most 8 n units in the last place.
    """
    n, bets = test["n"], iv.mpf(0)
    for k, w in enumerate(map(ball, test["log_wealths"])):
        w += iv.mpf([-1, 1]) * (8 * n + 64) * EPS * (1 + abs(w))
        if compare(w, ">", iv.mpf(0.96) / 2**k * (ball(test["sum"]) / test["bet"] - n)):
            raise Impossible("no bets win that much from samples of this sum")
        bets += iv.exp(w)
    off = (ball(test["sum"]) / n - test["claim"]) / 2
    return sure(off, ">=", FLOOR * r) and sure(bets / 11, ">=", 1 / rate), True


def tail(n: int, k: int, p: iv.mpf) -> Any:
    """Return P(Bin(n, p) >= k) for k above its mean, p^a q^b / B(a, b) over a continued fraction.

    All its terms are positive: it is between two convergents. Didonato and Morris (1992), eq. 9.
    """
    a, b, q = k, n - k + 1, 1 - p
    (u, v), (x, y) = (1, 0), (a * (a * q - b * p + 1) / (a + 1), iv.mpf(1))
    for m in range(1, min(b, 2000)):
        c = (a + m - 1) * (a + b + m - 1) * m * (b - m) * p**2 / iv.mpf(a + 2 * m - 1) ** 2
        d = m + m * (b - m) * p / (a + 2 * m - 1)
        d += (a + m) * (a * q - b * p + 1 + m * (2 - p)) / (a + 2 * m + 1)
        (u, v), (x, y) = (x, y), (d * x + c * u, d * y + c * v)
        if m > 4 and abs(x / y - u / v) < x / y * iv.mpf(2) ** -60:
            break
    ends = [x / y, u / v] if v and b > 1 else [x / y, x / y]
    beta = iv.loggamma(a) + iv.loggamma(b) - iv.loggamma(a + b)
    fraction = iv.mpf([min(each.a for each in ends), max(each.b for each in ends)])
    return iv.exp(a * iv.log(p) + b * iv.log(q) - beta) / fraction


def binomial(test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    """P(Bin(n, m) >= k) or P(Bin(n, m) <= k) at most half of the rate: Clopper and Pearson."""
    n, count, claim = test["n"], test["count"], ball(test["claim"])

    def excludes(e: iv.mpf, side: int) -> bool:
        p, k = (claim + e, count) if side < 0 else (1 - claim - e, n - count)
        return sure(n * p, "<", k) and bool(p.b <= 0 or sure(tail(n, k, p), "<=", rate / 2))

    return Mean(iv.mpf(count) / n - claim, excludes)


def betting(test: Test, rate: iv.mpf, r: iv.mpf) -> Mean:
    r"""K+ = prod (1 + min(s_i, 3/(4 m)) (X_i - m)) at least 2/rate for X in [0, 1], or of 1 - X.

    s_i = sqrt(2 log(2/rate)/(n v_i)), v_1 = 1/4, v_{i+1} = (1/4 + sum_{j<=i} (X_j - m_j)^2)/(i + 1)
    with m_i = (1/2 + sum_{j<=i} X_j)/(i + 1). Needs the samples in their order.
    """
    if not test["samples"]:
        raise Undecided("the samples are not stored")
    (low, high), claim, n = map(ball, test["range"]), test["claim"], test["n"]
    xs = [(ball(x) - low) / (high - low) for x in test["samples"]]
    if len(xs) != n or not all(-1e-9 <= x.a <= x.b <= 1 + 1e-9 for x in xs):
        raise Impossible("the samples are not n of this range")
    total, scatter, stakes = iv.mpf(1) / 2, iv.mpf(1) / 4, []
    for i, x in enumerate(xs, 1):
        stakes.append(iv.sqrt(2 * iv.log(2 / rate) / (n * scatter / i)))
        total += x
        scatter += (x - total / (i + 1)) ** 2

    def excludes(e: iv.mpf, side: int) -> bool:
        m = (claim + e - low) / (high - low)
        m, signed = (m, xs) if side < 0 else (1 - m, [1 - x for x in xs])
        least = [s if compare(s * m, "<", MOST) else -larger(-s, -MOST / m) for s in stakes]
        won = math.prod(1 + s * (x - m) for s, x in zip(least, signed))
        return bool(compare(m, "<", 0)) or sure(won, ">=", 2 / rate)

    return Mean((total - 0.5) / n * (high - low) + low - claim, excludes)


def no_event(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Probability 0 is claimed: one occurrence refutes; holds if (1 - r)^n <= rate/2."""
    return test["count"] > 0, sure((1 - r) ** test["n"], "<=", rate / 2)


def beyond_range(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """One sample outside the declared range, by more than rounding, refutes it."""
    (low, high), slack = test["range"], test["slack"]
    return not low - slack <= test["value"] <= high + slack, False


def kolmogorov(n: int, d: iv.mpf) -> Any:
    """P(D_n^+ >= d) = d sum_j C(n, j) (d + j/n)^(j-1) (1 - d - j/n)^(n-j), or exp(-2 n d^2).

    It falls in d. Logarithms of terms are below 2e5, and so within 1e-6 if taken in floats.
    """
    if n > 10_000:  # Massart (1990); up to there Birnbaum and Tingey (1951)
        return iv.exp(-2 * n * d**2)

    def total(x: float) -> float:
        terms = []
        for j in range(math.ceil(n * (1 - x))):
            size = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
            size += (j - 1) * math.log(x + j / n) + (n - j) * math.log(max(1 - x - j / n, TINY))
            terms.append(math.exp(size))
        return x * math.fsum(terms)

    return iv.mpf([total(float(d.b)) * (1 - 1e-6), total(float(d.a)) * (1 + 1e-6) + TINY])


def distribution(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Distance of two distribution functions at sample i of n, (i + 1)/n - F(t) or F(t-) - i/n.

    Refuted if the largest has a tail of at most rate/2, holds if r/2 has, and between samples i and
    j of the grid, where distances are below j/n - F(t_i) or F(t_j-) - (i + 1)/n, none is larger.
    """
    n, gaps, between = test["n"], [iv.mpf(0)], [iv.mpf(0)]
    rows = sorted(zip(test["index"], test["below"], test["above"]))
    steps = [row[1:] for row in rows] + [(x[k], y[k]) for x, y in pairwise(rows) for k in (1, 2)]
    if any(x > y + 1e-9 for x, y in steps) or not rows or (rows[0][0], rows[-1][0]) != (0, n - 1):
        raise Impossible("this is no distribution function from the first sample to the last")
    for (i, below, above), (j, later, _) in zip(rows, rows[1:] + rows[-1:]):
        gaps += [iv.mpf(i + 1) / n - ball(above), ball(below) - iv.mpf(i) / n]
        between += [iv.mpf(j) / n - ball(above), ball(later) - iv.mpf(i + 1) / n][: 2 * (j > i + 1)]
    gap, farther = (max(each, key=lambda x: x.b) for each in (gaps, between))
    if compare(gap, ">", 0) and sure(kolmogorov(n, gap), "<", rate / 2):
        return True, False
    if compare(farther, ">", 0) and compare(kolmogorov(n, farther), ">=", rate / 2) is not True:
        raise Undecided("samples between those of the grid may be farther")
    return False, sure(kolmogorov(n, r / 2), "<=", rate / 2)


def real(x: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    return type(x) in (int, float) and math.isfinite(x) and least <= x <= most


def whole(x: Any, least: int = 0) -> bool:
    return type(x) is int and least <= x <= 10**12


def listed(rule: Callable[[Any], bool], *lengths: int) -> Callable[[Any], bool]:
    return lambda x: type(x) is list and all(map(rule, x)) and (not lengths or len(x) in lengths)


RULES: dict[str, Callable[[Any], bool]] = {
    "n planned per_draw draws": lambda x: whole(x, 1),
    "count draw": whole,
    "block look": lambda x: x is None or whole(x),
    "claim value": real,
    "low high": lambda x: type(x) is float and not math.isnan(x),
    "rounding slack sum": lambda x: real(x, 0),
    "variance unit bet": lambda x: real(x, TINY),
    "unit_X unit_Y": listed(lambda x: real(x, TINY)),
    "range ends": lambda x: listed(real, 2)(x) and x[0] <= x[1],
    "fixed shared same pilot": lambda x: type(x) is bool,
    "X Y": lambda x: x is None or (listed(listed(real))(x) and len({*map(len, x)}) == 1),
    "above below": listed(lambda x: real(x, 0, 1)),
    "radii": listed(lambda x: real(x, 0), 4),
    "sums": lambda x: listed(real, 4)(x) and min(x[1], x[3]) >= 0,
    "log_wealths": listed(real, 11),
    "samples": lambda x: x is None or listed(real)(x),
    "sign": lambda x: type(x) is int and abs(x) == 1,
    "pair": listed(whole, 1, 2),
    "index": listed(whole),
    "stage": lambda x: x in ("coarse", "fine"),
    "source": lambda x: x in [f"independent {kind}" for kind in ("features", "units", "draws")],
    "fresh": lambda x: type(x) is dict and fits(x, "n sums radii"),
}
RULE_OF = {name: rule for names, rule in RULES.items() for name in names.split()}
# By method: a part of its name, fields of the plan, and of each mean; optional ones in brackets.
SUMS = "claim low high sums radii"
DRAWS = "[draws] [per_draw] [source] [same] [X] [Y] [unit_X] [unit_Y]"
SCHEMAS: dict[Callable[..., Any], tuple[str, str, str]] = {
    catoni: ("Catoni", f"n look planned [rounding] [pilot] [stage] {DRAWS}",
             f"{SUMS} variance samples [pair] [unit]"),
    wealth: ("bounded (betting)", f"n rounding {DRAWS}", f"{SUMS} pair unit range"),
    self_normalised: ("", f"n look fixed shared rounding {DRAWS}",
                      f"{SUMS} [pair] [unit] [fresh] [ends]"),
    squared_lengths: ("", "n count shared [block]", "pair sign claim bet sum log_wealths"),
    symmetric: ("symmetric", "n draws per_draw rounding shared", f"{SUMS} unit"),
    binomial: ("Clopper-Pearson", "n", "claim low high count"),
    betting: ("bounded (betting)", "n", "claim low high range samples"),
    no_event: ("binomial (share of", "n", "count"),
    beyond_range: ("bounded (range)", "draw", "pair range slack value"),
    distribution: ("Kolmogorov", "n", "index above below"),
}  # fmt: skip
METHODS = {method.__name__.replace("_", " "): method for method in SCHEMAS}


def fits(values: Test, schema: str) -> bool:
    """Whether a mapping has the fields of a schema and no further ones, each by its rule."""
    needed = {name for name in schema.split() if name[0] != "["}
    known = needed <= values.keys() <= {name.strip("[]") for name in schema.split()}
    return known and all(RULE_OF[name](value) for name, value in values.items())


def is_sound(groups: list[Test], alpha: float, r: float, method: str) -> bool:
    """Whether statistics fit the schemas of their methods, and their parts fit together."""
    names = [group["method"] for group in groups]
    split = names == ["self normalised", "squared lengths"]
    alone = len(names) == 1 and names[0] in METHODS.keys() - {"squared lengths"}
    if not ((alone or split) and real(alpha, TINY, 1) and alpha < 1 and real(r, TINY)):
        return False
    for group in groups:
        label, of_plan, of_test = SCHEMAS[METHODS[group["method"]]]
        known = group.keys() == {"method", "plan", "tests"} and label in method
        alike = known and len({frozenset(test) for test in group["tests"]}) == 1
        fit = alike and all(fits(test, of_test) for test in group["tests"])
        if not (fit and fits(group["plan"], of_plan)):
            return False
    plan, tests = groups[0]["plan"], groups[0]["tests"]
    claims = {tuple(test["pair"]): test.get("claim") for test in tests if "pair" in test}
    fit = not claims or (len(claims) == len(tests) and r < 2)
    fit &= "draws" not in plan or plan["n"] == plan["draws"] * plan["per_draw"]
    if "source" in plan:  # a kernel, at all pairs of rows
        n, m, same = len(plan["unit_X"]), len(plan["unit_Y"]), plan["same"]
        fit &= len(plan["X"] or plan["unit_X"]) == n and len(plan["Y"] or plan["unit_Y"]) == m
        fit &= all(i < n and j in range(same and i, m) for i, j in claims)
        fit &= len(claims) == (n * (n + 1) // 2 if same else n * m)
        fit &= plan.get("look", 1) is not None
    if split:
        (bet,), count = groups[1]["tests"], groups[1]["plan"]["count"]
        claim = max(0.0, 2 + 2 * bet["sign"] * claims.get(tuple(bet["pair"]), math.nan))
        fit &= "source" not in plan or abs(bet["claim"] - claim) <= 1e-9
        fit &= plan["shared"] and count == len(tests) * (2 if claims else 1)
        fit &= bet["bet"] >= bet["claim"] * (1 - 1e-12)
    return bool(fit)


def rate_of(method: str, plan: Test, alpha: Any, count: int) -> Any:
    alpha = alpha * {"coarse": 1, "fine": 19}.get(plan.get("stage", ""), 20) / 20
    if method == "catoni" and (look := plan["look"]) is not None:
        alpha = alpha * 3 / 4 if look == 0 else alpha / (4 * look * (look + 1))
    return alpha / (max(count, plan.get("count", 0)) * (2 if plan.get("shared") else 1))


def judge(result: Mean, test: Test, r: iv.mpf) -> tuple[bool, bool | None]:
    """Return whether one mean refutes, and whether it is known within the resolution."""
    (mean, excludes, may_refute, may_hold), sides = result, (-1, 1)
    if sure(abs(mean), ">=", FLOOR * r) and any(excludes(iv.mpf(0), side) for side in sides):
        return may_refute, False
    ends = [mean - r, mean + r]
    if math.isfinite(test["low"]) and math.isfinite(test["high"]):
        ends = [ball(test[end]) - test["claim"] for end in ("low", "high")]
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


def outcome(group: Test, test: Test, alpha: Any, r: iv.mpf) -> tuple[bool | None, bool | None, str]:
    """Return whether a test refutes, whether it is narrow, and why that is open."""
    plan, name, stage = group["plan"], group["method"], group["plan"].get("stage")
    r, rate = r * (4 if stage == "coarse" else 1), rate_of(name, plan, alpha, len(group["tests"]))
    try:
        result = METHODS[name]({**plan, **test}, rate, r)
        refutes, narrow = judge(result, test, r) if isinstance(result, Mean) else result
        return refutes, narrow and stage != "coarse", ""
    except Undecided as why:
        return None, None, str(why)


def decide(certificate: Test) -> tuple[int, str]:
    """Return the exit status and a line that says why; KeyError without what decides."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    if certificate["digest"] != "sha256:" + hashlib.sha256(text).hexdigest():
        return 1, "contradicted: the digest is not that of the content"
    parts = {x: certificate[x] for x in ("statistics", "false_alarm", "resolution", "method")}
    said, method = certificate["status"], "no method known here"
    try:
        groups, alpha, r, _ = values = tuple(numbers(parts).values())
        if not is_sound(*values):
            raise Impossible("it has no statistics that fit their schema")
        method = " and ".join(group["method"] for group in groups)
        outcomes = [outcome(g, test, ball(alpha), ball(r)) for g in groups for test in g["tests"]]
    except (Impossible, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
        return 3, f"undecided: {method}: {why}"
    refutes, narrow = {each[0] for each in outcomes}, {each[1] for each in outcomes}
    if not (True in refutes or (None not in refutes and (False in narrow or None not in narrow))):
        return 3, f"undecided: {method}: {max(each[2] for each in outcomes) or 'too few samples'}"
    status = "refuted" if True in refutes else "inconclusive" if False in narrow else "holds"
    line = f"{status} by {method}, {len(outcomes)} tests, at a rate of {alpha:.3g} and a resolution"
    agrees = "confirmed" if status == said else "contradicted"
    return int(status != said), f"{agrees}: {line} of {r:.3g}"


def numbers(value: Any) -> Any:
    """Return JSON with hexadecimal strings as floats, which decimal digits keep exactly."""
    floats = r'"(-?(?:0x[^"]+p[^"]+|inf|nan))"'
    return json.loads(re.sub(floats, lambda m: json.dumps(float.fromhex(m[1])), json.dumps(value)))


def replay(certificate: Test, draw: Callable[[int], Any]) -> tuple[int, str]:
    """Draw the maps again, multiply their columns, and compare the statistics.

    The j-th sum may differ by its radius and j e sum (|X - c| + 2 |c| + e)^(j-1), e the plan's
    ``rounding``; of units of several columns the first is compared, of bets the largest stake.
    Seeds are the first words of the children of a root, in 31 bits, each once.
    """
    import numpy as np

    groups, root = numbers(certificate["statistics"]), certificate["seeds"].get("seed")
    plan = groups[0]["plan"] if groups else {}
    if not plan.get("source") or plan["X"] is None or (plan["Y"] is None) != plan["same"]:
        return 3, "undecided: samples are no products of rows, or rows are too many to replay"
    tests, e, n, same = groups[0]["tests"], plan["rounding"], plan["draws"], plan["same"]
    by_feature = plan["source"] == "independent features"
    ordered = [np.random.SeedSequence(root, spawn_key=(0, k)) for k in range(2 * n + 8)]
    seeds = list(dict.fromkeys(int(each.generate_state(1)[0]) >> 1 for each in ordered))[:n]
    (i, j), unit = np.transpose([t["pair"] for t in tests]), np.array([[t["unit"]] for t in tests])
    samples, bets = [], 0.0
    for phi in map(draw, seeds):
        left = np.asarray(phi(np.array(plan["X"])), dtype=float)
        right = left if same else np.asarray(phi(np.array(plan["Y"])), dtype=float)
        m, products = left.shape[1], left.shape[1] * left[i] * right[j] / unit
        samples.append(products if by_feature else products.mean(axis=1, keepdims=True))
        for group in groups[1:]:
            (bet,), block = group["tests"], int(group["plan"]["block"]) or m
            u, v = (plan[f"unit_{x}"][p] for x, p in zip("XY", bet["pair"]))
            squares = (left[bet["pair"][0]] / u + bet["sign"] * right[bet["pair"][1]] / v) ** 2
            means = (squares[a : a + block].mean() for a in range(0, m, block))
            bets += math.fsum(math.log1p(0.96 * (m * x / bet["bet"] - 1)) for x in means)
    weight = 1 if by_feature else plan["per_draw"]
    gaps = np.hstack(samples) - np.array([[t["claim"]] for t in tests])
    if plan["n"] != weight * gaps.shape[1]:
        return 1, f"contradicted: the samples are not those of {n} draws"
    for test, gap in zip(tests, gaps):
        for part in [{**test, "n": plan["n"]}, *([test["fresh"]] if "fresh" in test else [])]:
            last = gap[len(gap) - part["n"] // weight :]
            for k in range(1 if plan["source"] == "independent units" else 4):
                total = weight * math.fsum(last ** (k + 1))
                size = weight * math.fsum((abs(last) + 2 * abs(test["claim"]) + e) ** k)
                if not abs(total - part["sums"][k]) <= 2 * part["radii"][k] + (k + 1) * e * size:
                    return 1, f"contradicted: sum {k + 1} of pair {test['pair']} is {total!r} again"
    won = [group["tests"][0]["log_wealths"][0] for group in groups[1:]]
    if any(abs(bets - each) > 1e-6 * (1 + abs(bets)) for each in won):
        return 1, "contradicted: bets on squared lengths win otherwise"
    return 0, f"replayed: {n} draws, {len(tests)} pairs"


def main(arguments: list[str] | None = None) -> int:
    """Decide the certificates of a file, and return the worst exit status."""
    parser = argparse.ArgumentParser(description="Decide a certificate of mehler again.")
    parser.add_argument("file", help="a certificate, or several, as JSON")
    parser.add_argument("--draw", metavar="MODULE:NAME", help="draw again: seed -> map")
    options = parser.parse_args(arguments)
    try:
        content = json.loads(Path(options.file).read_text("utf-8"))
        listed, names = content.get("certificates", [content]), content.get("of", [options.file])
        checks = [f"{of}: {one['check']}" for of, one in zip(names, listed, strict=True)]
        if {one["schema"] for one in listed} != {SCHEMA} or not all(map(str.isprintable, checks)):
            raise ValueError(f"it holds no {SCHEMA} with a name that can be printed")
        outcomes = [(check, *decide(one)) for check, one in zip(checks, listed)]
        if options.draw:
            module, _, name = options.draw.rpartition(":")
            sys.path.append(str(Path(module).resolve().parent) if ".py" in module else os.getcwd())
            names = (runpy.run_path if ".py" in module else runpy.run_module)(module)
            again = [(check, *replay(one, names[name])) for check, one in zip(checks, listed)]
            outcomes += [one for one in again if one[1] != 3] or again
        for check, _, line in outcomes:
            sys.stdout.write(line.replace(":", f": {json.dumps(check)}:", 1) + "\n")
        sys.stdout.flush()
    except (Exception, SystemExit) as error:  # whatever the file holds, and whatever the draw does
        if isinstance(error, BrokenPipeError):  # Python would flush again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        elif sys.stderr is not None:
            sys.stderr.write(f"{options.file}: {type(error).__name__}: {error}\n")
        return 2
    return next((status for status in (1, 3) if status in [one[1] for one in outcomes]), 0)


if __name__ == "__main__":
    sys.exit(main())
