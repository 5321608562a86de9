"""Format numbers to the digits that were measured, and results as lines and as JUnit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from mehler._text import printable
from mehler.report._model import Report, Verification
from mehler.statements import BoundCase, Evidence
from mehler.verify import Cause

NONE = "–"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SHARP = 1e-6  # of a value: a smaller half width stands after it, as ±
_RELATIONS = {"=": "", ">=": "≥\u202f", "<=": "≤\u202f"}
_SMALL, _LARGE = 1e-4, 1e6


def number(x: float | None, scale: float | None = None, digits: int = 4) -> str:
    """Format a number to a tenth of `scale`, its uncertainty, or to significant digits.

    >>> number(1.2338972, scale=0.004)
    '1.2339'
    >>> number(1e-9), number(None), number(-0.5)
    ('10⁻⁹', '–', '−0.5')
    """
    if x is None or math.isnan(x):
        return NONE
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0:
        return "0"
    size = abs(x)
    if scale is not None and scale > 0 and math.isfinite(scale):
        decimals = 1 - math.floor(math.log10(scale))
        if -1 <= decimals <= 15 and _SMALL <= size < _LARGE:
            return _sign(f"{x:.{max(decimals, 0)}f}")
        digits = max(1, min(16, decimals + 1 + math.floor(math.log10(size))))
    if not _SMALL <= size < _LARGE:
        return _power(x, digits)
    return _sign(f"{x:.0f}" if size >= 10**digits else f"{x:.{digits}g}")


def tick(x: float) -> str:
    """Format a number on a logarithmic axis, powers of ten from the fourth on as such.

    >>> [tick(10.0**k) for k in (-4, -3, 0, 3, 4)], tick(0.02)
    (['10⁻⁴', '0.001', '1', '1000', '10⁴'], '0.02')
    """
    return _power(x, 2) if x >= 1e4 or 0 < x < 9e-4 else f"{x:g}"


def _power(x: float, digits: int) -> str:
    mantissa, exponent = f"{x:.{min(digits, 4) - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPT)
    if mantissa == "1":
        return power
    return f"{_sign(mantissa)}\u202f·\u202f{power}"


def _sign(text: str) -> str:
    return text.replace("-", "−")


def count(n: int | None) -> str:
    r"""Format an integer in groups of three.

    >>> count(1234567) == '1\u202f234\u202f567'
    True
    """
    return NONE if n is None else f"{n:,}".replace(",", "\u202f")


def _half_width(evidence: Evidence) -> float | None:
    low, high = evidence.interval or (0.0, 0.0)
    return (high - low) / 2 or None


def cells(evidence: Evidence) -> dict[str, str]:
    """Format all numbers of an evidence, by name, to the precision of its interval."""
    scale, ends = _half_width(evidence), NONE
    if evidence.interval is not None:
        low, high = evidence.interval
        ends, middle = f"[{number(low, scale)}, {number(high, scale)}]", (low + high) / 2
        if scale and scale < _SHARP * abs(middle):
            # Too many digits to read: write the midpoint and the half width.
            ends = f"{number(middle, digits=6)}\u202f±\u202f{number(scale, digits=2)}"
            scale = None
    features = "computed" if evidence.n_features == 0 else count(evidence.n_features)
    names = ("margin", "false_alarm", "resolution", "detectable")
    return {
        "observed": number(evidence.observed, scale, digits=6),
        "exact": _RELATIONS[evidence.relation] + number(evidence.exact, scale, digits=6),
        "interval": ends,
        "features": NONE if evidence.status == "error" else features,
        **{name: number(getattr(evidence, name), digits=2) for name in names},
    }


def case_cells(case: BoundCase) -> dict[str, str]:
    """Format all numbers of a bound that is compared with draws, by name."""
    names = ("promised", "bound", "quantile", "ratio", "lower", "ratio_to_lower")
    return {
        **{name: number(getattr(case, name), digits=3) for name in names},
        "draws": count(case.n_draws),
        "violations": number(case.frequency, digits=2),
        "violations_in": interval(case.violation_interval, 2),
        "quantile_in": interval(case.quantile_interval),
        "ratio_in": interval(case.ratio_interval),
    }


def ratios(cases: Sequence[BoundCase]) -> str:
    """Format the range of the bounds over their quantiles."""
    values = [case.ratio for case in cases]
    low, high = number(min(values), digits=3), number(max(values), digits=3)
    return low if low == high else f"{low} to {high}"


def interval(ends: tuple[float, float], digits: int = 3) -> str:
    """Format the endpoints of an interval."""
    low, high = ends
    return f"[{number(low, digits=digits)}, {number(high, digits=digits)}]"


def deciding(evidence: Sequence[Evidence], form: str) -> Evidence | None:
    """Return the most informative evidence on a form, or None.

    The one that failed, else the inconclusive one, else the refutation farthest from the claim,
    else the confirmation that came closest to failing, in units of its interval.
    """
    order = ("error", "inconclusive", "refuted", "holds")
    return min(
        (e for e in evidence if e.form == form),
        key=lambda e: (order.index(e.status), (e.margin or 0.0) / (_half_width(e) or 1.0)),
        default=None,
    )


def fit_cells(cause: Cause) -> tuple[str, str]:
    """Format what share of the deviation a suggestion explains, and the rest in standard errors."""
    fit = (f"{100 * cause.explained:.2f}\u202f%", f"{cause.rest:.1f}")
    return fit if cause.explained else (NONE, NONE)


def lines(report: Report | Verification) -> tuple[str, ...]:
    """Render a result as lines of text, the headline first; of checks that hold the names alone."""
    texts = [report.headline] if isinstance(report, Report) else _of_verification(report)
    # A name of the user's may hold a line end.
    return tuple(printable(" ".join(line.splitlines())) for line in texts)


def _of_verification(report: Verification) -> list[str]:
    """Return the headline, the map and its rows, checks, declarations and other suggestions."""
    kernel = next((e for e in report.evidence if e.check in ("kernel", "closeness")), None)
    open_checks = [e for e in report.evidence if e is kernel or e.status != "holds"]
    texts = [report.headline, f"  map: {report.target}, read as {report.assumed}"]
    texts.append(f"  rows: {report.inputs}")
    texts += [f"  {line}" for e in open_checks for line in _of(e)]
    quiet = {e.check: e for e in report.evidence if e not in open_checks}
    if quiet:
        texts.append(f"  {'also ' if kernel else ''}holds: {', '.join(quiet)}")
    if structure := quiet.get("structure"):
        remarks = [structure.reason.removesuffix("."), *structure.assumptions]
        texts += [f"  structure: {text}" for text in ["; ".join(filter(None, remarks))] if text]
    texts.append(f"  declared: {report.declared}")
    if rest := dict.fromkeys(word for e in open_checks for word in e.assumptions):
        texts.append(f"  assumed: {'; '.join(rest)}")
    return texts + [f"  or: {cause.text}" for cause in report.causes[1:]]


def _of(evidence: Evidence) -> list[str]:
    """Return the numbers of a check in one line, and the reason of its status if there is one."""
    numbers = cells(evidence)
    line = f"{evidence.check}: {evidence.status}"
    if evidence.observed is not None:
        line += f"; observed {numbers['observed']}"
        line += f" against {numbers['exact']}" if evidence.exact is not None else ""
        line += f", interval {numbers['interval']}" if evidence.interval is not None else ""
        if evidence.status == "refuted" and evidence.where:
            places = evidence.where.items()
            short = (f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in places)
            line += f", at {', '.join(short)}"
        line += f", {count(evidence.n_features)} features" if evidence.n_features else ""
        line += f", false alarm {evidence.false_alarm:g}" if evidence.false_alarm else ""
    return [line, f"  {evidence.reason}"] if evidence.reason else [line]


def render_junit(report: Report | Verification) -> str:
    """Render the outcomes as a ``testsuites`` document of one suite."""
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", name="mehler", timestamp=str(report.provenance["date"])[:19]
    )
    for name, group, status, good, text, seconds in _outcomes(report):
        place = {"classname": f"mehler.{printable(group)}", "name": printable(name)}
        case = ElementTree.SubElement(suite, "testcase", place, time=f"{seconds:.3f}")
        if not good:
            text = printable(text)
            about = {"type": status, "message": text.partition("\n")[0]}
            tag = "error" if status == "error" else "failure"
            ElementTree.SubElement(case, tag, about).text = text
    for tag in ("testcase", "error", "failure"):
        name = "tests" if tag == "testcase" else f"{tag}s"
        for element in (root, suite):
            element.set(name, str(len(list(suite.iter(tag)))))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _outcomes(
    report: Report | Verification,
) -> Iterator[tuple[str, str, str, bool, str, float]]:
    """Yield name, group, status, whether it is as expected, a message, and seconds."""
    if isinstance(report, Verification):
        group, checks = "verify", report.evidence
    else:
        group, checks = "data", report.data.evidence if report.data else ()
    for e in checks:
        message = f"{e.check}: {e.status}. {_details(e)}"
        yield e.check, group, e.status, e.status == "holds", message, 0.0
    for result in report.statements if isinstance(report, Report) else ():
        head = f"{result.id}: {result.verdict}, expected: {result.expected}"
        reasons = [f"{e.form} form, {e.check}: {e.status}. {_details(e)}" for e in result.evidence]
        group, text = result.id.partition(".")[0], "\n".join([head, *reasons])
        yield result.id, group, result.verdict, result.as_expected, text, result.seconds


def _details(evidence: Evidence) -> str:
    parts = [evidence.claim]
    if evidence.observed is not None and evidence.exact is not None:
        parts.append(f"observed {evidence.observed:.6g} against {evidence.exact:.6g}")
    if evidence.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*evidence.interval))
    parts += [evidence.reason] if evidence.reason else []
    return "; ".join(parts) + (f"\nreplay: {evidence.replay}" if evidence.replay else "")
