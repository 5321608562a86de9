"""The claimed kernel at sizes that nobody asked for: reported, and never a fault by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from mehler._arrays import Array
from mehler.kernels import NamedKernel
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure._calls import rows_do_not_see_each_other
from mehler.verify.checks.structure._candidate import Broken, Candidate, Redraw
from mehler.verify.checks.structure._columns import columns_differ
from mehler.verify.sampling._pairs import Kernel

# rows -> a mask of those at which the kernel is claimed.
Domain = Callable[[Array], Any]

# Numbers of columns of X and of features; factors of the rows' median length. Most draws of each.
_WIDTHS, _SIZES, _FACTORS = (1, 4, 80, 129, 300), (5, 64, 300), (0.1, 6.0)
_DRAWS, _RESOLUTION, _SECONDS = 400, 0.25, 2.0
# Sizes at which rules are tried: that of most rows in a call, and that of most columns.
_RULES = {16: rows_do_not_see_each_other, 512: columns_differ}


def report_other_sizes(c: Candidate, domain: Domain | None) -> None:
    """Remark where rules break, or `check_kernel` refutes the claim, at other sizes alone."""
    rows = c.rows if c.rows.dtype.kind == "f" else c.rows.astype(np.float64)
    own, length = rows.shape[1], float(np.median(np.linalg.norm(rows, axis=1))) or 1.0
    cases: list[tuple[str, Any, Any, int | None]] = [("", 0, rows[:6], None)]
    cases += [("m", m, rows[:6], m) for m in _SIZES]
    if domain is not None or isinstance(c.kernel, NamedKernel):
        made = [("d", d, length) for d in _WIDTHS if d != own]
        made += [("|x|", own, factor * length) for factor in _FACTORS]
        for letter, d, norm in made:
            value, other = d if letter == "d" else norm, _rows_of(d, norm, c.seed)
            other = np.abs(other) if getattr(c.kernel, "nonnegative", False) else other
            other = other if domain is None else other[np.asarray(domain(other), dtype=bool)]
            cases.append((letter, value, other.astype(rows.dtype), 64 if letter == "d" else None))
    wrong: dict[tuple[str, str], list[str]] = {}
    for k, (letter, value, other, m) in enumerate(cases):
        what = f"{letter} = {value:.3g}" if letter else "the kernel at a few rows"
        finding = ""
        if len(other) and not c.late(what):
            with c.trying(what):
                finding = _finding(c, other, m, k, len(cases))
        if finding and not letter:
            text = f"the claimed kernel {finding} at the given rows too: see check_kernel"
            return c.remarks.update({text: None})
        if finding:
            wrong.setdefault((letter, finding), []).append(f"{value:.3g}")
    for (letter, finding), values in wrong.items():
        text = f"at {letter} = {', '.join(values)}, which you did not ask for,"
        c.remarks[f"{text} the claimed kernel {finding}"] = None
    for size, rule in _RULES.items():
        with c.trying(f"m = {size}"):
            try:
                rule(replace(c, draw=_redrawn(c, c.rows, size), remarks={}, independent=True))
            except Broken as broken:
                c.remarks[f"at m = {size}, which you did not ask for, {broken}"] = None


def _redrawn(c: Candidate, rows: Array, m: int | None) -> Callable[[int], Any]:
    redraw = cast(Redraw, c.redraw)
    return lambda seed: redraw(seed, c.place(rows), m)


def _finding(c: Candidate, rows: Array, m: int | None, stream: int, n: int) -> str:
    """Say what one test of n has against the claim; few draws confirm no suspicion."""
    draw = _redrawn(c, rows, m)
    verdict = check_kernel(
        draw,
        cast(Kernel, c.kernel),
        c.place(rows),
        resolution=_RESOLUTION,
        false_alarm=c.rate / n,
        max_features=_DRAWS * c.call(draw(c.first), rows).shape[1],
        time_limit=_SECONDS,
        seed=c.seed + stream,
    )
    c.n_draws += verdict.n_draws
    if verdict.status == "refuted":
        return "is refuted"
    low, high = verdict.interval
    off = verdict.exact < low or verdict.exact > high
    return "is off, unless rare draws carry the difference" if off else ""


def _rows_of(d: int, length: float, seed: int) -> Any:
    """Return a row of a length, its negative, and others near it.

    They differ everywhere, in the last fifth, the first half and the odd columns, to show columns
    that are left out or repeated.
    """
    rng, j = np.random.default_rng([seed, d]), np.arange(d)
    base, step = rng.standard_normal((2, d))
    base /= np.linalg.norm(base)
    masks = [step * mask for mask in (j >= 0, 5 * j >= 4 * d - 4, 2 * j < d, j % 2 == 1)]
    near = [base + part / np.linalg.norm(part) for part in masks if part.any()]
    return length * np.stack([base, -base, *near])
