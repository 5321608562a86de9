"""The claimed kernel at sizes that nobody asked for: reported, and never a fault by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.kernels import NamedKernel
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure._calls import rows_do_not_see_each_other
from mehler.verify.checks.structure._candidate import Broken, Candidate
from mehler.verify.checks.structure._columns import columns_differ

# rows -> a mask of those at which the kernel is claimed.
Domain = Callable[[Array], Any]

# Numbers of columns of X and of features; factors of the rows' median length. Most draws of each,
# but of the small maps, whose features may be too short, which takes more to see.
_WIDTHS, _SIZES, _FACTORS = (1, 4, 80, 129, 300), (5, 64, 300), (0.1, 6.0)
_DRAWS, _SMALL, _RESOLUTION, _SECONDS = 400, 5, 0.25, 2.0
# Sizes at which rules are tried: that of most rows in a call, and that of most columns.
_RULES = {16: rows_do_not_see_each_other, 512: columns_differ}


def report_other_sizes(c: Candidate, kernel: Any, domain: Domain | None) -> None:
    """Remark where rules break, or `check_kernel` refutes the claim, at other sizes alone."""
    rows = c.rows if c.rows.dtype.kind == "f" else c.rows.astype(np.float64)
    own, length = rows.shape[1], float(np.median(np.linalg.norm(rows, axis=1))) or 1.0
    cases: list[tuple[str, Any, Any, int | None]] = [("", 0, rows[:6], None)]
    cases += [("m", m, rows[:6], m) for m in _SIZES]
    if domain is not None or isinstance(kernel, NamedKernel):
        made: list[tuple[str, float, int, float]] = [
            ("d", d, d, length) for d in _WIDTHS if d != own
        ]
        made += [("|x|", factor * length, own, factor * length) for factor in _FACTORS]
        for letter, value, d, norm in made:
            other = _rows_of(d, norm, c.seed)
            other = np.abs(other) if getattr(kernel, "nonnegative", False) else other
            other = other if domain is None else other[np.asarray(domain(other), dtype=bool)]
            cases.append((letter, value, other.astype(rows.dtype), 64 if letter == "d" else None))
    wrong: dict[str, list[str]] = {}
    for k, (letter, value, other, m) in enumerate(cases):
        what = f"{letter} = {value:.3g}" if letter else "the kernel at a few rows"
        if len(other) and not c.late(what) and _refuted(c, kernel, what, other, m, k, len(cases)):
            wrong.setdefault(letter, []).append(f"{value:.3g}")
        if "" in wrong:
            c.remarks["the claimed kernel is refuted at the given rows too: see check_kernel"] = (
                None
            )
            return
    for letter, values in wrong.items():
        text = f"at {letter} = {', '.join(values)}, which you did not ask for,"
        c.remarks[f"{text} the claimed kernel is refuted"] = None
    for size, rule in _RULES.items():
        with c.trying(f"m = {size}"):
            try:
                drawn = partial(_redrawn, c, rows=c.rows, m=size)
                rule(replace(c, draw=drawn, remarks={}, independent=True))
            except Broken as broken:
                c.remarks[f"at m = {size}, which you did not ask for, {broken}"] = None


def _redrawn(c: Candidate, seed: int, rows: Array, m: int | None) -> Any:
    assert c.redraw is not None
    return c.redraw(seed, c.place(rows), m)


def _refuted(
    c: Candidate, kernel: Any, what: str, rows: Array, m: int | None, stream: int, n: int
) -> bool:
    """Return whether the claim is refuted at rows and a number of features, one test of n."""
    with c.trying(what):
        width = c.call(_redrawn(c, c.first, rows, m), rows).shape[1]
        verdict = check_kernel(
            lambda seed: _redrawn(c, seed, rows, m),
            kernel,
            c.place(rows),
            resolution=_RESOLUTION,
            false_alarm=c.rate / n,
            max_features=None if m == _SMALL else _DRAWS * width,
            time_limit=_SECONDS,
            seed=c.seed + stream,
        )
        c.n_draws += verdict.n_draws
        return verdict.status == "refuted"
    return False


def _rows_of(d: int, length: float, seed: int) -> Any:
    """Return a row of a length, its negative, and others near it, in parts of the columns.

    They differ everywhere, in the last fifth, the first half and the odd columns, so that columns
    that are left out or repeated show.
    """
    rng, j = np.random.default_rng([seed, d]), np.arange(d)
    base, step = rng.standard_normal((2, d))
    base /= np.linalg.norm(base)
    masks = [step * mask for mask in (j >= 0, 5 * j >= 4 * d - 4, 2 * j < d, j % 2 == 1)]
    near = [base + part / np.linalg.norm(part) for part in masks if part.any()]
    return length * np.stack([base, -base, *near])
