"""The verdict of a check: its rule (`Comparison`), its fields, texts and certificate, `require`."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import methodcaller
from typing import Any, Literal

import numpy as np

from mehler._plural import counted
from mehler._text import html_table
from mehler._version import __version__

# pytest leaves frames of modules with this ``__tracebackhide__`` out of a failure, and unittest
# those with ``__unittest``.
is_failure = methodcaller("errisinstance", AssertionError)
__tracebackhide__, __unittest = is_failure, True

# Deviations below this fraction of the resolution, the least one that matters, never refute.
FLOOR = 0.05

Status = Literal["holds", "refuted", "inconclusive"]
STATUSES = ("holds", "refuted", "inconclusive")

# First words of the assumption about means whose samples have too large a kurtosis.
FEW_EFFECTIVE = "few large samples decide some means"


class Comparison:
    """Intervals [low, high] against claims: the rule for the status of every check of means.

    For each mean: `deviation`, from its claim; `excess`, how far the claim lies outside its
    interval; `width`, of the interval extended to the claim; `outside`, whether the claim is
    excluded and the deviation at least FLOOR of the resolution; `refuted`, whether the interval
    has its error rate, `valid`, too.
    """

    def __init__(
        self, observed: Any, claim: Any, low: Any, high: Any, resolution: float, valid: Any = True
    ) -> None:
        self.low, self.high = low, high
        self.deviation, self._span = np.abs(observed - claim), high - low
        self.excess = np.maximum(low - claim, claim - high)
        # A deviation too small to refute adds to the width, so that the claim lies within.
        self.width = self._span + np.maximum(self.excess, 0.0)
        self.outside = (self.excess > 0.0) & (self.deviation >= FLOOR * resolution)
        self.refuted = self.outside & valid
        self._narrow = bool((self.width <= resolution).all())

    @property
    def status(self) -> Status:
        """*refuted* at any mean; *holds* if every interval contains its claim and is narrow."""
        if self.refuted.any():
            return "refuted"
        return "holds" if self._narrow and not self.outside.any() else "inconclusive"

    @property
    def worst(self) -> int:
        """The decisive mean: farthest outside, widest, or nearest to an endpoint."""
        if self.refuted.any():
            with np.errstate(invalid="ignore"):  # ends may be infinite
                return int(np.argmax(np.where(self.refuted, self.excess / self._span, -1.0)))
        if self.outside.any():
            return int(np.argmax(np.where(self.outside, self.deviation, -1.0)))
        if self.status == "inconclusive":
            return int(np.argmax(self.width))
        return int(np.argmax(self.deviation / np.maximum(0.5 * self.width, 1e-300)))


def short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def interval_text(low: float, high: float) -> str:
    """Format an interval; give its width if both endpoints would print alike."""
    text = f"[{short(low)}, {short(high)}]"
    if short(low) != short(high) or not math.isfinite(low):
        return text
    if low == high:
        return f"{text} of width 0 (no sample varied)"
    return f"{text}, {high - low:.2g} wide"


MOST_ROWS = 6  # of a table in a report
_HEAD = ("pair", "exact", "measured", "interval", "off by", "verdict")


@dataclass(frozen=True)
class PairTable:
    """The worst pairs of rows, at most `MOST_ROWS`, text for each column, and counts by status."""

    pairs: tuple[tuple[int, int], ...]
    rows: tuple[tuple[str, ...], ...]
    counts: dict[str, int]

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        lines, verdicts = aligned([_HEAD, *self.rows]), [row[-1] for row in self.rows]
        if rest := self.n - len(self.rows):
            more = {x: n - sum(y.startswith(x) for y in verdicts) for x, n in self.counts.items()}
            kinds = ", ".join(f"{n} {name}" for name, n in more.items() if n)
            lines.append(f"and {counted(rest, 'pair')} more: {kinds}")
        return lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


SCHEMA = "mehler-certificate/4"
# Endpoints in certificates lie farther out, so that a recheck excludes them in spite of rounding:
# by these fractions of the width, and of the resolution minus the width.
_OUTWARD, _SPARE = 1e-6, 1e-1
_VERSIONS = {"mehler": __version__, "numpy": np.__version__, "python": platform.python_version()}


@dataclass(frozen=True)
class Statistics:
    """Statistics of a check by one method; `mehler/recheck.py` lists the fields of each.

    `plan` has what was fixed before the data and n, `tests` a value or a column for each mean.
    """

    method: str
    plan: Mapping[str, Any]
    tests: Mapping[str, Any]

    def to_dict(self, resolution: float) -> dict[str, Any]:
        """Return JSON-able values, numbers in hexadecimal, endpoints outwards."""
        values = dict(self.tests)
        if "low" in values:
            low, high = np.asarray(values["low"]), np.asarray(values["high"])
            room = _OUTWARD * (high - low) + _SPARE * np.maximum(0.0, resolution - (high - low))
            room = np.where(np.isfinite(room), room, 0.0)
            values |= {"low": low - room, "high": high + room}
        n = max(np.shape(value)[-1] for value in values.values())
        tests = [{x: to_json(np.asarray(v)[..., k]) for x, v in values.items()} for k in range(n)]
        return {"method": self.method, "plan": to_json(self.plan), "tests": tests}


def to_json(value: object, number: Callable[[float], object] = float.hex) -> Any:
    """Return JSON-able values, each float as `number(float)`, values of unknown types as text."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item, number) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item, number) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def certificates_text(certificates: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the JSON of a file of several certificates, each with the name of its map."""
    names, contents = [pair[0] for pair in certificates], [pair[1] for pair in certificates]
    content = {"schema": "mehler-certificates/1", "of": names, "certificates": contents}
    return json.dumps(content, indent=0, allow_nan=False) + "\n"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of one check, with its error rates.

    Parameters
    ----------
    status : {"holds", "refuted", "inconclusive"}
        The outcome, as `mehler.verify` defines it.
    check, claim : str
        Name of the check; what was claimed, as a sentence.
    observed, exact : float
        Estimate and claim at the worst pair, in the units of the claim.
    interval : (float, float)
        Interval for the truth at the worst pair, in the units of the claim.
    n_features, n_draws : int
        Feature products (or samples) used per pair; draws of the map, 0 of samples at hand.
    n_intervals, false_alarm : int, float
        Intervals that share the probability that the whole check refutes a correct claim.
    resolution : float
        Smallest deviation that must not be missed, in units of `scale`.
    detectable, miss : float
        Smallest deviation, in units of `scale`, that is refuted with probability at least
        ``1 - miss`` wherever it sits; infinite if no deviation is.
    method, assumptions : str, tuple of str
        Name of the interval's construction; assumptions under which the error rates hold.
    scale : float
        sqrt(k(x,x) k(y,y)) at the worst pair for kernels; 1 for scalar claims.
    where, seeds : dict
        The worst pair, for kernels indices ``i``, ``j`` and correlation ``rho``; seeds of a replay.
    reason, cause : str
        For an inconclusive check, why it is undecided and what would decide it; what explains the
        outcome better than a wrong claim: a draw that ignores its seed.
    table, statistics
        For kernels, the worst pairs; what decided, which `certificate` writes out.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import verify
    >>> coin = np.random.default_rng(7).random(4000) < 0.5
    >>> verify.check_mean(coin, 0.9, binary=True, resolution=0.2).status
    'refuted'
    """

    status: Status
    check: str
    claim: str
    observed: float
    exact: float
    interval: tuple[float, float]
    n_features: int
    n_draws: int
    n_intervals: int
    false_alarm: float
    resolution: float
    detectable: float
    miss: float
    method: str
    assumptions: tuple[str, ...] = ()
    scale: float = 1.0
    where: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    cause: str = ""
    table: PairTable | None = field(default=None, repr=False, compare=False)
    statistics: tuple[Statistics, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status={self.status!r} is not one of {', '.join(STATUSES)}")

    @property
    def holds(self) -> bool:
        """Whether the claim holds at the resolution; False when inconclusive."""
        return self.status == "holds"

    def __bool__(self) -> bool:
        """Return `holds`, so that ``assert check_kernel(...)`` is a test."""
        return self.holds

    def __repr__(self) -> str:
        """Return status, cause or claim, numbers and error rate in at most five lines."""
        cells = self.cells()
        lines = [
            f"<{self.check}: {self.status}.",
            self.cause or f"Claimed: {self.claim}",
            f"Observed {cells[1]} against {cells[0]}, interval {cells[2]}" if cells else "",
            self.reason.removeprefix(f"{self.cause}.").strip(),
            f"False alarm {self.rate_text()}, from {self.amount_text()}",
        ]
        return "\n".join(textwrap.shorten(line, 200) for line in lines if line) + ">"

    def _repr_html_(self) -> str:
        numbers = zip(("exact", "observed", "interval"), self.cells(), strict=False)
        rows = [("claim", self.claim), *numbers, ("false alarm", self.rate_text())]
        return html_table(f"{self.check}: {self.status}", rows, self.cause, self.reason)

    def certificate(self) -> dict[str, Any]:
        """Return the evidence for the verdict, for `json.dumps`; ``mehler/recheck.py`` rechecks it.

        Claim, method, error rates, plan, the statistics of every mean, seeds, versions, and a
        digest: about 0.3 kB and 30 microseconds a mean. Floats are hexadecimal, as by `float.hex`.
        """
        content = {
            "schema": SCHEMA,
            **self._values(float.hex),
            "statistics": [x.to_dict(self.resolution) for x in self.statistics],
            "versions": _VERSIONS,
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return {**content, "digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}

    def to_dict(self) -> dict[str, Any]:
        """Return a dict for `json.dumps`; numbers that are not finite become None."""
        return self._values(lambda number: number if math.isfinite(number) else None)

    def _values(self, number: Callable[[float], object]) -> dict[str, Any]:
        return {x.name: to_json(getattr(self, x.name), number) for x in fields(self) if x.repr}

    def __str__(self) -> str:
        """Return one paragraph: claim, evidence, error rates, power, place, replay, reasons."""
        place = ", ".join(f"{key}={short(value)}" for key, value in self.where.items())
        sentences = [f"{self.cause}."] if self.cause else []
        sentences += [
            f"{self.check}: {self.status}. Claimed: {self.claim}.",
            f"Observed {short(self.observed)} against {short(self.exact)}"
            + (f" at {place};" if place else ";")
            + f" interval {interval_text(*self.interval)} at false alarm {self.rate_text()},"
            + f" from {self.amount_text()}.",
            f"{self.power_text()[0].upper()}{self.power_text()[1:]}.",
        ]
        if self.reason:
            sentences.append(self.reason)
        if self.seeds:
            seeds = ", ".join(f"{key}={value!r}" for key, value in self.seeds.items())
            sentences.append(f"Replay with {seeds}.")
        if self.assumptions:
            sentences.append(f"Assumes: {'; '.join(self.assumptions)}.")
        return " ".join(sentences)

    def cells(self) -> tuple[str, ...]:
        """Return claim, estimate and interval as text; none where nothing was measured."""
        return short(self.exact), short(self.observed), interval_text(*self.interval)

    def rate_text(self) -> str:
        n = self.n_intervals
        share_text = f" shared by {counted(n, 'interval')}" if n > 1 else ""
        return f"{self.false_alarm:.3g}{share_text} ({self.method})"

    def amount_text(self) -> str:
        if not self.n_draws:
            return counted(self.n_features, "sample")
        return f"{counted(self.n_features, 'feature')} in {counted(self.n_draws, 'draw')}"

    def power_text(self) -> str:
        """Return the smallest detectable deviation and the requested resolution."""
        target = f"(asked for: {short(self.resolution)})"
        if math.isinf(self.detectable):
            sure = f"with probability {1 - self.miss:.9g} {target}"
            return f"no deviation would have been detected {sure}"
        unit = "" if self.scale == 1.0 else f" of sqrt(k(x,x) k(y,y)) = {short(self.scale)} there"
        size = f"a deviation of {short(self.detectable)}{unit}"
        return f"{size} is missed with probability at most {self.miss:.3g} {target}"


# Of a terminal's 100 columns pytest takes the first for its mark; most lines of a failure.
_WIDTH, _LABEL, MOST_LINES = 94, 13, 25


def require(verdict: Verdict, lead: str = "") -> Verdict:
    """Require in a test that a verdict holds.

    Parameters
    ----------
    verdict : Verdict
        Of any check; it is returned.
    lead : str
        Text before that of the failure.

    Raises
    ------
    AssertionError
        If it is refuted or inconclusive: with cause or finding in the first line, the worst pairs
        or place in a table, error rate, power, replay and assumptions.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import verify
    >>> coin = np.random.default_rng(7).random(4000) < 0.5
    >>> verify.require(verify.check_mean(coin, 0.5, binary=True, resolution=0.2)).status
    'holds'
    """
    if not isinstance(verdict, Verdict):
        raise TypeError(f"verdict={verdict!r} must be a Verdict, as the checks return it")
    if not verdict.holds:
        raise AssertionError(lead + failure_text(verdict))
    return verdict


def failure_text(verdict: Verdict) -> str:
    """Return the text of a failed assertion, at most `MOST_LINES`; first the cause or finding."""
    cells, table, form = verdict.cells(), verdict.table, verdict.where.get("form")
    finding = f"{verdict.check}: {verdict.status}"
    if table is not None:
        of, worst = counted(table.n, "pair"), table.rows[0]
        finding += f" at {table.counts.get(verdict.status, 0)} of {of}, off by {worst[4]}"
        finding += f" at {worst[0]}"
        evidence, more = table.lines(), "off by: in units of sqrt(k(x,x) k(y,y))"
        if form:
            more = f"{form}: claimed {cells[0]}, measured {cells[1]}, interval {cells[2]}"
    else:
        finding += "" if verdict.cause else f". Claimed: {verdict.claim}"
        place = ", ".join(f"{key}={short(value)}" for key, value in verdict.where.items())
        evidence = aligned([("exact", "measured", "interval"), cells]) if cells else []
        more = f"at {place}" if place else ""
    head = textwrap.wrap(verdict.cause, _WIDTH) + textwrap.wrap(finding, _WIDTH)
    reason = textwrap.wrap(verdict.reason.removeprefix(f"{verdict.cause}.").strip(), _WIDTH)
    evidence = [*evidence, *textwrap.wrap(more, _WIDTH - 2)]
    body = ["", *(f"  {line}".rstrip() for line in evidence), ""]
    terms = [
        *_term("false alarm", verdict.rate_text()),
        *_term("drawn", verdict.amount_text()),
        *_term("power", verdict.power_text()),
        *_term("replay with", ", ".join(f"{key}={x!r}" for key, x in verdict.seeds.items())),
    ]
    room = MOST_LINES - len(head) - len(body) - len(terms)
    assumptions = _term("assumes", "; ".join(verdict.assumptions))
    reason = _shorten(reason, max(2, room - len(assumptions)))
    assumptions = _shorten(assumptions, max(1, room - len(reason)))
    return "\n".join([*head, *reason, *body, *terms, *assumptions])


def _shorten(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


def _term(label: str, text: str) -> list[str]:
    first, rest = f"  {label}".ljust(_LABEL + 2), " " * (_LABEL + 2)
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=rest)
