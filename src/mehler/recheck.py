r"""Recheck a certificate without mehler: ``python recheck.py FILE``.

A certificate records one check of means of samples X against claimed numbers c, at an error rate.
It has a group of tests for each method, with the plan that was fixed before the n samples; a test
is of one mean, with statistics and the endpoints l < h of its interval. From these the check is
decided again, in interval arithmetic of ``mpmath``, by one rule, where r is the resolution:

- *refuted* if some c is excluded, r/20 or more from the sample mean, and the method may refute;
- else *holds* if all l and h are excluded, no c is so, and max(h, c) - min(l, c) <= r;
- else *inconclusive*: at some mean, points farther than r apart are not excluded.

A method says which points m it excludes at a rate, that is, as means, with all points beyond. The
plan's ``rounding`` first moves m towards the sample mean. In this order: the decision on a
certificate, and on a mean; arithmetic; the methods; the fields of each. Exit status: 0 *confirmed*,
1 *contradicted*, 2 no certificate, 3 *undecided*.
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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

try:
    from mpmath import iv
except ImportError as missing:
    sys.stderr.write(f"recheck.py needs mpmath: {missing}\n")
    sys.exit(2)

iv.prec = 120
SCHEMA, STATUSES = "mehler-certificate/4", ("holds", "refuted", "inconclusive")
FLOOR, MOST, EPS, TINY = iv.mpf(1) / 20, iv.mpf(3) / 4, iv.mpf(2) ** -52, 1e-300
Test = dict[str, Any]


class Undecided(Exception):
    """The statistics of a mean do not decide, or are not stored."""


class ConfidenceSet(NamedTuple):
    mean: Any  # of the samples, minus the claim
    excludes: Callable[[Any, int], bool]  # of a point minus the claim, on a side of the mean, +-1
    may_refute: bool = True
    may_hold: bool | None = True  # None: points beyond an excluded one may not be excluded


def decide(certificate: Test) -> tuple[int, str]:
    """Return the exit status of a certificate, and a line with the reason."""
    method = "no method known here"
    try:
        content = {key: value for key, value in certificate.items() if key != "digest"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        if certificate["digest"] != "sha256:" + hashlib.sha256(text).hexdigest():
            return 1, "contradicted: the digest is not that of the content"
        parts = [certificate[x] for x in ("statistics", "false_alarm", "resolution", "method")]
        groups, alpha, r, _ = values = numbers(parts)
        status_before = certificate["status"]
        if status_before not in STATUSES or not is_sound(*values):
            raise ValueError("it has no statistics that fit their schema")
        method = " and ".join(group["method"] for group in groups)
        outcomes = [outcome(g, test, ball(alpha), ball(r)) for g in groups for test in g["tests"]]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
        return 3, f"undecided: {method}: {why}"
    refutes, holds = {x[0] for x in outcomes}, {x[1] for x in outcomes}
    if not (True in refutes or (None not in refutes and (False in holds or None not in holds))):
        return 3, f"undecided: {method}: {max(x[2] for x in outcomes) or 'too few samples'}"
    status = "refuted" if True in refutes else "inconclusive" if False in holds else "holds"
    line = f"{status} by {method}, {len(outcomes)} tests, at a rate of {alpha:.3g} and a resolution"
    agrees = "confirmed" if status == status_before else "contradicted"
    return int(status != status_before), f"{agrees}: {line} of {r:.3g}"


def outcome(group: Test, test: Test, alpha: Any, r: iv.mpf) -> tuple[bool | None, bool | None, str]:
    """Return whether a test refutes, whether it holds, and why that is open.

    Tests share the rate, by halves with bets; a quarter of Catoni's is for earlier inspections.
    """
    plan, name = group["plan"], group["method"]
    if name == "catoni" and (look := plan["look"]) is not None:
        alpha = alpha / (4 * look * (look + 1)) if look else alpha * 3 / 4
    count = max(len(group["tests"]), plan.get("count", 0)) * (2 if plan.get("shared") else 1)
    try:
        result = METHODS[name]({**plan, **test}, alpha / count, r)
        return (*(classify(result, test, r) if isinstance(result, ConfidenceSet) else result), "")
    except Undecided as why:
        return None, None, str(why)


def classify(result: ConfidenceSet, test: Test, r: iv.mpf) -> tuple[bool, bool | None]:
    """Return whether one mean refutes, and whether it holds, by the rule at the top."""
    (mean, excludes, may_refute, may_hold), sides = result, (-1, 1)
    if certain(abs(mean), ">=", FLOOR * r) and any(excludes(iv.mpf(0), side) for side in sides):
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


def numbers(value: Any) -> Any:
    """Return JSON with hexadecimal strings as floats, which decimal digits keep exactly."""
    floats = r'"(-?(?:0x[^"]+p[^"]+|inf|nan))"'
    return json.loads(re.sub(floats, lambda m: json.dumps(float.fromhex(m[1])), json.dumps(value)))


def compare(x: Any, relation: str, y: Any) -> bool | None:
    """Return whether x < y, <=, > or >= for all numbers x.a to x.b, y.a to y.b; None: for some."""
    x, y = (iv.mpf(x), iv.mpf(y)) if relation[0] == ">" else (iv.mpf(y), iv.mpf(x))
    if relation.endswith("="):
        return True if x.a >= y.b else False if x.b < y.a else None
    return True if x.a > y.b else False if x.b <= y.a else None


def certain(x: iv.mpf, relation: str, y: iv.mpf) -> bool:
    """Return a comparison of intervals in which all their numbers agree, or raise Undecided."""
    if (answer := compare(x, relation, y)) is None:
        raise Undecided("rounding of the statistics leaves both outcomes possible")
    return answer


def ball(value: float, radius: float = 0.0) -> Any:
    return iv.mpf(value) + iv.mpf([-radius, radius])


def larger(x: iv.mpf, y: iv.mpf) -> Any:
    return iv.mpf([max(x.a, iv.mpf(y).a), max(x.b, iv.mpf(y).b)])


def shifted(sums: list[Any], e: iv.mpf) -> list[Any]:
    """Return sum (X - c - e)^k for k = 0 to 4 from those at e = 0."""
    powers = [(-e) ** k for k in range(5)]
    return [sum(math.comb(k, j) * powers[k - j] * sums[j] for j in range(k + 1)) for k in range(5)]


def power_sums(test: Test, n: int = 0, sums: Any = None) -> tuple[int, list[Any], Any]:
    """Return n, sums of (X - c)^k for k = 0 to 4, and the mean; of a part of n if `sums` is given.

    Sum k over blocks of b samples has a rounding error of at most 2^-53 sum ((b + 64)
    (|X - c| + 2 |c|)^k + (n/b + 64) |X - c|^k), odd moments by Cauchy; a difference of sums twice.
    """
    size, b, reach, (_, m2, _, m4) = test["n"], test["block"], abs(test["claim"]), test["sums"]
    sizes = [size, math.sqrt(size * m2), m2, math.sqrt(m2 * m4), m4]
    radii = [0.0] * 5
    for k in range(1, 5):
        wide = math.fsum(math.comb(k, j) * (2 * reach) ** (k - j) * sizes[j] for j in range(k + 1))
        radii[k] = (2.1 if sums else 1.01) * ((b + 64) * wide + (size / b + 64) * sizes[k]) / 2**53
    n, values = n or size, list(map(ball, (n or size, *(sums or test["sums"])), radii))
    require_moments(values, test.get("range") or test.get("ends"), test["rounding"])
    return n, values, values[1] / n


def require_moments(sums: list[Any], ends: Any, rounding: float) -> None:
    """Raise ValueError unless samples, between their ends, may have these sums of powers 0 to 4.

    Sums of nonnegative polynomials are 0 or more, and minors so; sum x^4 <= (sum x^2)^2.
    """
    n, m1, m2, m3, m4 = sums
    minors = [n * m2 - m1**2, n * m4 - m2**2, m2 * m4 - m3**2, m2**2 - m4]
    minors += [n * minors[2] - m1 * (m1 * m4 - m2 * m3) + m2 * (m1 * m3 - m2**2)]
    if ends:
        a, b = ball(ends[0]) - rounding, ball(ends[1]) + rounding
        inside = [(a + b) * y - a * b * x - z for x, y, z in zip(sums, sums[1:], sums[2:])]
        minors += [*inside[::2], inside[0] * inside[2] - inside[1] ** 2]
    if any(compare(minor, "<", 0) for minor in minors):
        raise ValueError("no n samples have these power sums")


def catoni(test: Test, rate: iv.mpf, r: iv.mpf) -> ConfidenceSet:
    r"""Exclude m where \|S(m)\| is above B = (1 + n/N) log(2/rate): Catoni (2012).

    S(m) = sum psi(a (X - m)) with psi(u) = sign(u) log(1 + \|u\| + u^2/2), a = sqrt(2 L/(N V)), L =
    log(2/rate), V the declared variance, N the planned n, or n itself at an earlier look. S falls,
    and is within a^4 sum (X - m)^4 / 8 of a sum (X - m) - a^3 sum (X - m)^3 / 6.
    """
    (n, sums, mean), size, look = power_sums(test), test["planned"], test["look"]
    if n > size:
        raise ValueError("there are more samples than planned")
    size, cost = n if look else size, iv.log(2 / rate)
    bound, a = cost * (1 + iv.mpf(n) / size), iv.sqrt(2 * cost / size / test["variance"])

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * ball(test["rounding"])
        _, m1, _, m3, m4 = shifted(sums, e)
        total = a * m1 - a**3 * m3 / 6 + iv.mpf([-1, 1]) * a**4 * m4 / 8
        ample = look is None or certain(n, ">", 2 * bound)
        return ample and certain(-side * total, ">", bound)

    return ConfidenceSet(mean, excludes, may_hold=not look)


def wealth(test: Test, rate: iv.mpf, r: iv.mpf) -> ConfidenceSet:
    r"""Exclude m where the mean over s = 3/4, 3/8, ... of prod (1 +- s (X - m)/w) reaches 2/rate.

    There are 13 stakes s; w is the range and twice the rounding. Waudby-Smith and Ramdas (2024).
    """
    (_, sums, mean), rounding, (low, high) = power_sums(test), ball(test["rounding"]), test["range"]
    stakes, span = [iv.mpf(3) / 4 / 2**j for j in range(13)], ball(high) - low + 2 * rounding

    def excludes(e: iv.mpf, side: int) -> bool:
        e -= side * rounding
        total = sum(wealth_bound(-side * s / span, shifted(sums, e), s) for s in stakes)
        beyond = bool(compare(side * e, ">", high if side > 0 else -low))
        return beyond or certain(total, ">=", 13 * 2 / rate)

    return ConfidenceSet(mean, excludes)


def wealth_bound(stake: iv.mpf, sums: list[Any], most: iv.mpf) -> Any:
    r"""Return a lower bound on prod (1 + s Y), s Y >= -c, from sums of Y^k; s `stake`, c `most`.

    log(1 + u) >= u - u^2/2 + u^3/3 - k u^4 for u >= -c, k = (-log(1 - c) - c - c^2/2 - c^3/3)/c^4.
    """
    k = (-iv.log(1 - most) - most - most**2 / 2 - most**3 / 3) / most**4
    powers = (stake * sums[1], stake**2 * sums[2], stake**3 * sums[3], stake**4 * sums[4])
    return iv.exp(powers[0] - powers[1] / 2 + powers[2] / 3 - k * powers[3])


def self_normalised(test: Test, rate: iv.mpf, r: iv.mpf) -> Any:
    r"""Exclude m where the mean over stakes of exp(s n d - s^2 c (Q + n d^2)) reaches 16/(7 rate).

    The 29 stakes are 2^k/r; d = \|m - mean\|, Q = sum (X - mean)^2, c = 1/6 + 1/(3 (1 - t)); t =
    1/4 where E = Q^2 / sum (X - mean)^4 >= W(1/4), 0 of constants, else 1/2; W(t) = 5
    log(1/p)/h(t), h(t) = (1 - t) log(1 - t) + t; p is rate/8 over 2 j (j + 1) at inspection j, over
    2 at a single one. If 0 < E < W(t), distances are divided by sqrt(W/E). Delyon (2009).

    Refuted by bets on ``fresh`` samples, half or more, unless n was fixed; or if all are one map.
    Beyond an excluded point all are if n/(9 c) >= log(29 T), T the threshold: the sum grows with d
    up to a standard deviation; then one stake's exponent is 8/9 of n/(8 c) or more.
    """
    (n, sums, mean), look = power_sums(test), test["look"]
    _, _, squares, _, fourths = shifted(sums, mean)
    p = rate / 8 / (2 * look * (look + 1) if look else 2)
    floor = n * (ball(test["rounding"]) ** 2 + iv.mpf(1e-24)) + 64 * EPS * iv.sqrt(n) * sums[2]
    varies = certain(squares, ">", iv.mpf([0, floor.b]) if look is None else floor)  # finer for one
    if look is None and varies and bets_refute(sums, mean, test["ends"], rate, r):
        return True, False
    if "fresh" in test:
        if not n <= 2 * test["fresh"] < 2 * n:
            raise ValueError("the fresh samples are not half of all, or more")
        _, again, there = power_sums(test, test["fresh"], test["fresh_sums"])
        before = [x - y for x, y in zip(test["sums"], test["fresh_sums"])]
        power_sums(test, n - test["fresh"], before)
        if compare(mean * there, ">", 0) and bets_refute(again, there, None, rate, r):
            return True, False
    effective = squares**2 / fourths if varies else iv.mpf(0)
    least = {t: -5 * iv.log(p) / ((1 - t) * iv.log(iv.mpf(1 - t)) + t) for t in (0.25, 0.5)}
    t = 0.25 if certain(effective, ">=", least[0.25]) else 0.5
    few = varies and not certain(effective, ">=", least[t])
    lack = iv.sqrt(least[t] / larger(effective, 1)) if few else 1
    c, threshold = iv.mpf(1) / 6 + 1 / iv.mpf(3 * (1 - t)), 2 / (rate * 7 / 8)
    stakes = [iv.mpf(2) ** k / r for k in range(-20, 9)]

    def excludes(e: iv.mpf, side: int) -> bool:
        d = (side * (e - mean) - ball(test["rounding"])) / lack
        terms = [iv.exp(s * n * d - s**2 * c * (squares + n * d**2)) for s in stakes]
        return certain(d, ">", 0) and certain(sum(terms) / 29, ">=", threshold)

    may_hold = certain(n / (9 * c), ">=", iv.log(29 * threshold)) or None
    return ConfidenceSet(mean, excludes, test["fixed"] and not varies, may_hold)


def bets_refute(sums: list[Any], mean: Any, ends: Any, rate: iv.mpf, r: iv.mpf) -> bool:
    r"""Whether bets show a mean e = r/20 or more off, but for events rarer than log(4/rate)/n.

    The number n was fixed before, 100 samples are effective (n over the kurtosis), and their mean
    is off by e. Z is X - c or c - X, of positive sample mean, M the largest -Z. The mean of
    prod (1 + s (Z - e)) over 29 stakes s = 2^k/r, 0 for those above 3/(4 (M + e)), reaches 4/rate.
    """
    e, (_, _, squares, _, fourths) = FLOOR * r, shifted(sums, mean)
    ample = compare(fourths, ">", 0) and compare(squares**2, ">=", 100 * fourths)
    if not (ample and certain(abs(mean), ">=", e)):
        return False
    reach, sign = iv.sqrt(iv.sqrt(larger(sums[4], 0))), 1 if certain(mean, ">", 0) else -1
    low, high = map(ball, ends) if ends else (-reach, reach)
    gaps = shifted([sign**k * x for k, x in enumerate(sums)], e)
    stakes = (iv.mpf(2) ** k / r for k in range(-20, 9))
    stakes = (s for s in stakes if certain(s * ((-low if sign > 0 else high) + e), "<=", MOST))
    return certain(sum(wealth_bound(s, gaps, MOST) for s in stakes), ">=", 4 * 29 / rate)


def squared_lengths(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    r"""Refute the mean q of Q = \|u +- v\|^2, u, v features, if bets reach 1/rate: Ville (1939).

    The mean of Q must exceed q by r/10 too. Bets are the mean of prod (1 + s (Q/q - 1)) over 11
    stakes s = 0.96/2^k, whose logarithms are rounded by at most 8 n units in the last place. Those
    are concave in s, 0 at 0, of the slope sum Q/q - n there, and n log(1 - s) or more.
    """
    n, bets, stake = test["n"], iv.mpf(0), iv.mpf(0.96)
    slope, least = ball(test["sum"]) / test["bet"] - n, n * iv.log(1 - stake)
    for w in map(ball, test["log_wealths"]):
        w += iv.mpf([-1, 1]) * (8 * n + 64) * EPS * (1 + abs(w))
        if compare(w, ">", stake * slope) or compare(w, "<", least):
            raise ValueError("no bets win that much from samples of this sum")
        bets, stake, least = bets + iv.exp(w), stake / 2, w / 2
    off = (ball(test["sum"]) / n - test["claim"]) / 2
    return certain(off, ">=", FLOOR * r) and certain(bets / 11, ">=", 1 / rate), True


def binomial(test: Test, rate: iv.mpf, r: iv.mpf) -> ConfidenceSet:
    """Exclude m where P(Bin(n, m) >= k) or P(Bin(n, m) <= k) is at most rate/2: Clopper-Pearson."""
    n, count, claim = test["n"], test["count"], ball(test["claim"])

    def excludes(e: iv.mpf, side: int) -> bool:
        p, k = (claim + e, count) if side < 0 else (1 - claim - e, n - count)
        return certain(n * p, "<", k) and bool(p.b <= 0 or certain(tail(n, k, p), "<=", rate / 2))

    return ConfidenceSet(iv.mpf(count) / n - claim, excludes)


def tail(n: int, k: int, p: iv.mpf) -> Any:
    """Return P(Bin(n, p) >= k) for k above its mean: some terms, and a geometric series."""
    size = iv.loggamma(n + 1) - iv.loggamma(k + 1) - iv.loggamma(n - k + 1)
    term, total = iv.exp(size + k * iv.log(p) + (n - k) * iv.log(1 - p)), iv.mpf(0)
    for j in range(k, min(n, k + 2000) + 1):
        total, ratio = total + term, (n - j) * p / (j + 1) / (1 - p)
        term *= ratio
        if compare(term, "<", total * iv.mpf(2) ** -60):
            break
    return total + iv.mpf([0, (term / (1 - ratio)).b])


def betting(test: Test, rate: iv.mpf, r: iv.mpf) -> ConfidenceSet:
    r"""Exclude m where K = prod (1 + min(s_i, 3/(4 m)) (X_i - m)), or K of 1 - X, reaches 2/rate.

    s_i = sqrt(2 log(2/rate)/(n v_i)), v_1 = 1/4, v_{i+1} = (1/4 + sum_{j<=i} (X_j - m_j)^2)/(i + 1)
    with m_i = (1/2 + sum_{j<=i} X_j)/(i + 1). Needs the samples, in [0, 1], in their order.
    """
    (low, high), claim, n = map(ball, test["range"]), test["claim"], test["n"]
    xs = [(ball(x) - low) / (high - low) for x in test["samples"] or ()]
    fit = len(xs) == n and all(-1e-9 <= x.a <= x.b <= 1 + 1e-9 for x in xs)
    if not (fit and compare(r, "<", high - low)):
        raise Undecided("the samples are not stored, or not n of this range, above the resolution")
    total, scatter, stakes = iv.mpf(1) / 2, iv.mpf(1) / 4, []
    for i, x in enumerate(xs, 1):
        stakes.append(iv.sqrt(2 * iv.log(2 / rate) / (n * scatter / i)))
        total += x
        scatter += (x - total / (i + 1)) ** 2

    def excludes(e: iv.mpf, side: int) -> bool:
        m = (claim + e - low) / (high - low)
        m, ys = (m, xs) if side < 0 else (1 - m, [1 - x for x in xs])
        least = [s if compare(s * m, "<", MOST) else -larger(-s, -MOST / m) for s in stakes]
        product = math.prod(1 + s * (x - m) for s, x in zip(least, ys))
        return bool(compare(m, "<", 0)) or certain(product, ">=", 2 / rate)

    return ConfidenceSet((total - 0.5) / n * (high - low) + low - claim, excludes)


def no_event(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Probability 0 is claimed: one occurrence refutes; holds if (1 - r)^n <= rate/2."""
    return test["count"] > 0, certain((1 - r) ** test["n"], "<=", rate / 2)


def beyond_range(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """One sample outside the declared range, by more than rounding, refutes it."""
    (low, high), slack = test["range"], test["slack"]
    return not low - slack <= test["value"] <= high + slack, False


def distribution(test: Test, rate: iv.mpf, r: iv.mpf) -> tuple[bool, bool]:
    """Refute at a Kolmogorov distance d with exp(-2 n d^2) < rate/2; hold if r/2 has: Massart."""
    refutes, holds = (iv.exp(-2 * test["n"] * d**2) for d in (ball(test["distance"]), r / 2))
    return certain(refutes, "<", rate / 2), certain(holds, "<=", rate / 2)


def real(x: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    return type(x) in (int, float) and math.isfinite(x) and least <= x <= most


def whole(x: Any, least: int = 0) -> bool:
    return type(x) is int and least <= x <= 10**12


def list_of(rule: Callable[[Any], bool], *lengths: int) -> Callable[[Any], bool]:
    return lambda x: type(x) is list and all(map(rule, x)) and (not lengths or len(x) in lengths)


RULES: dict[str, Callable[[Any], bool]] = {
    "n planned block": lambda x: whole(x, 1),
    "count draw fresh": whole,
    "look": lambda x: x is None or whole(x),
    "claim value": real,
    "low high": lambda x: type(x) is float and not math.isnan(x),
    "rounding slack sum": lambda x: real(x, 0),
    "variance bet": lambda x: real(x, TINY),
    "range ends": lambda x: list_of(real, 2)(x) and x[0] <= x[1],
    "fixed shared": lambda x: type(x) is bool,
    "sums": lambda x: list_of(real, 4)(x) and min(x[1], x[3]) >= 0,
    "fresh_sums": list_of(real, 4),
    "log_wealths": list_of(real, 11),
    "samples": lambda x: x is None or (list_of(real)(x) and len(x) <= 4096),
    "sign": lambda x: type(x) is int and abs(x) == 1,
    "distance": lambda x: real(x, 0, 1),
    "pair": list_of(whole, 1, 2),
    "rows": list_of(lambda x: x is None or whole(x, 1), 2),
}
RULE_OF = {name: rule for names, rule in RULES.items() for name in names.split()}
# By method: a part of its name, fields of the plan, and of each mean; optional ones in brackets.
SUMS, OPTIONAL = "claim low high sums", "claim low high sums [pair] [fresh_sums] [ends]"
SCHEMAS: dict[Callable[..., Any], tuple[str, str, str]] = {
    catoni: ("Catoni", "n block look planned rounding [rows]", f"{SUMS} variance [pair]"),
    wealth: ("bounded (betting)", "n block rounding [rows]", f"{SUMS} range [pair]"),
    self_normalised: ("", "n block look fixed shared rounding [rows] [fresh]", OPTIONAL),
    squared_lengths: ("", "n count shared", "pair sign claim bet sum log_wealths"),
    binomial: ("Clopper-Pearson", "n", "claim low high count"),
    betting: ("bounded (betting)", "n", "claim low high range samples"),
    no_event: ("binomial (share of", "n", "count"),
    beyond_range: ("bounded (range)", "draw", "pair range slack value"),
    distribution: ("Kolmogorov", "n", "distance"),
}
METHODS = {method.__name__.replace("_", " "): method for method in SCHEMAS}


def fits(values: Test, schema: str) -> bool:
    least = {name for name in schema.split() if name[0] != "["}
    complete = least <= values.keys() <= {name.strip("[]") for name in schema.split()}
    return complete and all(RULE_OF[name](value) for name, value in values.items())


def is_sound(groups: list[Test], alpha: float, r: float, method: str) -> bool:
    """Whether statistics fit the schemas of their methods, and each other, as n whole blocks."""
    names = [group["method"] for group in groups]
    with_bets = names == ["self normalised", "squared lengths"]
    alone = len(names) == 1 and names[0] in METHODS.keys() - {"squared lengths"}
    if not ((alone or with_bets) and real(alpha, TINY, 1) and alpha < 1 and real(r, TINY)):
        return False
    for group in groups:
        label, of_plan, of_test = SCHEMAS[METHODS[group["method"]]]
        complete = group.keys() == {"method", "plan", "tests"} and group["tests"]
        if not (complete and label in method and fits(group["plan"], of_plan)):
            return False
        for test in group["tests"]:
            in_order = fits(test, of_test) and test.get("low", 0) <= test.get("high", 0)
            if not (in_order and test.get("count", 0) <= group["plan"].get("n", 0)):
                return False
    plan, tests = groups[0]["plan"], groups[0]["tests"]
    claims = {tuple(test["pair"]): test.get("claim") for test in tests if "pair" in test}
    cap = 1 if names[0] in ("binomial", "no event", "distribution") else 2 if claims else math.inf
    fit = r < cap and len(claims) in (0, len(tests)) and not plan.get("n", 0) % plan.get("block", 1)
    if "rows" in plan:  # means at all pairs of them
        n, m = plan["rows"]
        fit &= len(claims) == (n * m if m else n * (n + 1) // 2)
        fit &= all(i < n and (j < m if m else i <= j < n) for i, j in claims)
    if with_bets:
        (bet,), count = groups[1]["tests"], groups[1]["plan"]["count"]
        claim = max(0.0, 2 + 2 * bet["sign"] * claims.get(tuple(bet["pair"]), math.nan))
        fit &= not claims or abs(bet["claim"] - claim) <= 1e-9
        fit &= plan["shared"] and count == len(tests) * (2 if claims else 1)
        fit &= bet["bet"] >= bet["claim"] * (1 - 1e-12)
    return bool(fit)


def main(arguments: list[str] | None = None) -> int:
    """Decide the certificates of a file, and return the worst exit status."""
    parser = argparse.ArgumentParser(description="Recheck a certificate of mehler.")
    parser.add_argument("file", help="a certificate, or several, as JSON")
    file = parser.parse_args(arguments).file
    try:
        content = json.loads(Path(file).read_text("utf-8"))
        certificates, names = content.get("certificates", [content]), content.get("of", [file])
        checks = [f"{of}: {x['check']}" for of, x in zip(names, certificates, strict=True)]
        if {x["schema"] for x in certificates} != {SCHEMA} or not all(map(str.isprintable, checks)):
            raise ValueError(f"it holds no {SCHEMA} with a name that can be printed")
        outcomes = list(map(decide, certificates))
        for check, (_, line) in zip(checks, outcomes):
            sys.stdout.write(line.replace(":", f": {json.dumps(check)}:", 1) + "\n")
        sys.stdout.flush()
    except Exception as error:  # whatever the file holds
        if isinstance(error, BrokenPipeError):  # Python would flush again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        elif sys.stderr is not None:
            sys.stderr.write(f"{file}: {type(error).__name__}: {error}\n")
        return 2
    return max((status for status, _ in outcomes), key=(0, 3, 1).index)


if __name__ == "__main__":
    sys.exit(main())
