"""check_structure: is a map a function of its seed and of each row alone?

The claimed kernel is tried at sizes that nobody asked for, and what is refuted there is reported.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, Unpack, cast

import numpy as np

from mehler._arrays import Array, global_states
from mehler._plural import counted
from mehler._validate import require_flag, require_function, require_iterable
from mehler.kernels import NamedKernel
from mehler.verify._arguments import DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import Verdict
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure._calls import (
    calls_are_repeatable,
    features_are_finite,
    layouts_do_not_matter,
    rows_and_results_are_left_alone,
    rows_do_not_see_each_other,
)
from mehler.verify.checks.structure._candidate import Broken, Candidate, Redraw
from mehler.verify.checks.structure._columns import columns_differ, inputs_are_used
from mehler.verify.checks.structure._seeds import (
    global_state_is_left_alone,
    seeds_differ,
    the_seed_alone_decides,
)
from mehler.verify.sampling._draws import Clock, require_draw
from mehler.verify.sampling._pairs import Kernel, rows_without_claim
from mehler.verify.sampling._sources import units_of

# rows -> a mask of those at which the kernel is claimed.
Domain = Callable[[Array], Any]

_OfCalls: TypeAlias = Literal["finite", "repeatable calls", "rows and results left alone"]
_OfRows: TypeAlias = Literal["rows that do not see each other", "layouts and dtypes"]
_OfSeeds: TypeAlias = Literal["the seed alone decides", "global state", "seeds differ"]
_OfColumns: TypeAlias = Literal["columns differ", "inputs are used"]
RuleName: TypeAlias = Literal[_OfCalls, _OfSeeds, _OfRows, _OfColumns]
# In the order in which they run: what breaks an early rule may break later ones too.
RULES: dict[RuleName, Callable[[Candidate], None]] = {
    "finite": features_are_finite,
    "repeatable calls": calls_are_repeatable,
    "the seed alone decides": the_seed_alone_decides,
    "global state": global_state_is_left_alone,
    "rows and results left alone": rows_and_results_are_left_alone,
    "rows that do not see each other": rows_do_not_see_each_other,
    "layouts and dtypes": layouts_do_not_matter,
    "seeds differ": seeds_differ,
    "columns differ": columns_differ,
    "inputs are used": inputs_are_used,
}
# Broken, no two calls or no two draws can be compared any more.
_FIRST = ("finite", "repeatable calls", "the seed alone decides")
# Rules that share the error rate, with what is tried at other sizes; all but the first need draws.
_RANDOM = ("global state", "seeds differ", "columns differ", "inputs are used")
_LIMIT, _MOST_ROWS = 20.0, 20


@dataclass(frozen=True, kw_only=True, repr=False)
class StructureVerdict(Verdict):
    """A `Verdict` on how a map is built.

    ``observed`` is the number of broken rules and ``exact`` 0. ``causes`` has a sentence for each,
    ``remarks`` what is no fault: the claimed kernel refuted at sizes that nobody asked for.
    """

    causes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one paragraph: the causes, the rules, error rates and reservations."""
        place = ", ".join(f"{key}={value}" for key, value in self.where.items())
        sentences = [
            *([self.reason] if self.reason else []),
            f"{self.check}: {self.status}" + (f", at {place}." if place else "."),
            f"Claimed: {self.claim}.",
            f"From {self.amount_text()}, at false alarm {self.false_alarm:.3g}.",
            f"Replay with seed={self.seeds['seed']}.",
        ]
        if self.assumptions:
            sentences.append(f"Assumes, and leaves out: {'; '.join(self.assumptions)}.")
        return " ".join(sentences)

    def cells(self) -> tuple[str, ...]:
        """Return nothing: a broken rule is no number."""
        return ()

    def amount_text(self) -> str:
        """Return the number of draws."""
        return counted(self.n_draws, "draw")

    def power_text(self) -> str:
        """Return nothing: smaller faults are named by what was not tried."""
        return ""


@accepts("time_limit", "seed", lacks=("miss",))
def check_structure(
    draw: Callable[[int], Any],
    X: Array,
    *,
    kernel: Kernel | None = None,
    redraw: Redraw | None = None,
    domain: Domain | None = None,
    random: bool = True,
    independent_features: bool = False,
    only: RuleName | Collection[RuleName] | None = None,
    **options: Unpack[DrawOptions],
) -> StructureVerdict:
    """Check by ten rules that a map is a function of its seed and of each row alone.

    A rule of ``docs/structure.md`` draws and calls the map at the given rows, and refutes what is
    certain, or what a sign test with a proved error rate shows.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows in the map's own namespace; at most 20 are used.
    kernel : callable, optional
        (X, Y) -> (n, k), the claim on the mean over draws: says which columns of X matter.
    redraw : callable, optional
        (seed, X, n_features) -> map for rows like X; n_features=None for the width of `draw`. With
        a `kernel` the claim is tried for other numbers of features, and within `domain=`, a
        function (n, d) -> (n,), or where a kernel of `mehler.kernels` is defined, for other widths
        and lengths of rows: ``remarks`` has what `check_kernel` refutes there.
    random : bool
        Whether other seeds give independent maps. If not, a single map is tested.
    independent_features : bool
        Whether the columns of a draw are declared independent and alike, as maps of mehler do by
        themselves: columns that share few random numbers, and two draws that are one, are then a
        fault, and a remark otherwise.
    only : str or collection of str, optional
        Names of rules to run alone; default all.
    **options : DrawOptions
        false_alarm, ledger, name; time_limit, seed. No further rule begins after `time_limit`, 20
        seconds by default. The ledger is charged if the map is random.

    Returns
    -------
    Verdict
        *refuted*: a rule is broken; ``causes`` has a sentence for each, the first of which explains
        most. *holds*: no rule is; ``assumptions`` lists what was not tried, ``remarks`` what is no
        fault. *inconclusive*: a rule of `only` was not tried for lack of time.

    Raises
    ------
    ValueError, TypeError
        For bad input; exceptions of the map on X itself propagate.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     weights = rng.standard_normal((3, 50))
    ...     return lambda X: X @ weights / np.sqrt(50)
    >>> X = np.random.default_rng(0).standard_normal((6, 3))
    >>> check_structure(draw, X, kernel=lambda X, Y: X @ Y.T).status
    'holds'
    >>> def centred(seed):
    ...     return lambda X: draw(seed)(X - X.mean(axis=0))
    >>> print(check_structure(centred, X).reason)  # doctest: +ELLIPSIS
    features depend on the other rows of the batch: ...
    """
    require_flag("random", random)
    require_flag("independent_features", independent_features)
    settings = require_options("structure", options, 1.0)
    require_draw(draw)
    for label, value in {"kernel": kernel, "redraw": redraw, "domain": domain}.items():
        require_function(label, value, optional=True)
    chosen = [name for name in _chosen(only) if random or name not in _RANDOM[1:]]
    rows = rows_without_claim(X)
    n = rows.host.shape[0]
    candidate = Candidate(
        draw=draw,
        given=rows.given,
        rows=rows.host[np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).round().astype(int))],
        kernel=kernel if random else None,
        redraw=redraw,
        seed=settings.seed,
        rate=settings.false_alarm / (len(_RANDOM) + 1),
        clock=Clock(_LIMIT if settings.time_limit is None else settings.time_limit),
        independent=independent_features,
    )
    if random:
        settings.pay()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Warnings of the map are shown when its kernel is checked.
        warnings.simplefilter("ignore")
        broken = _broken_rules(candidate, chosen)
        if not broken and only is None and candidate.kernel is not None and redraw is not None:
            _report_other_sizes(candidate, domain)
    undecided = only is not None and candidate.undecided and not broken
    causes = [fault.cause for fault in broken.values()]
    sentences = [*causes[:1], *(f"Also: {cause}" for cause in causes[1:]), *candidate.remarks]
    sentences += candidate.left_out if undecided else []
    assumed = dict.fromkeys(fault.assumes for fault in broken.values() if fault.assumes)
    return StructureVerdict(
        status="refuted" if broken else "inconclusive" if undecided else "holds",
        check=settings.name,
        claim=f"the map keeps the rules: {', '.join(chosen)}",
        observed=float(len(broken)),
        exact=0.0,
        interval=(float(len(broken)),) * 2,
        n_features=candidate.n_features,
        n_draws=candidate.n_draws,
        n_intervals=1,
        false_alarm=settings.false_alarm if random else 0.0,
        resolution=settings.resolution,
        detectable=float("inf"),
        miss=0.0,
        method="equality up to rounding, sign tests",
        assumptions=(*assumed, *candidate.left_out),
        where={"rule": next(iter(broken)), **next(iter(broken.values())).where} if broken else {},
        seeds={"seed": settings.seed},
        reason=" ".join(f"{sentence}." for sentence in sentences),
        cause=causes[0] if causes else "",
        causes=tuple(causes),
        remarks=tuple(candidate.remarks),
    )


def _chosen(only: RuleName | Collection[RuleName] | None) -> tuple[RuleName, ...]:
    """Return the rules to run, in their order."""
    if only is None:
        return tuple(RULES)
    names = (only,) if isinstance(only, str) else require_iterable("only", only)
    if not names or not all(isinstance(name, str) and name in RULES for name in names):
        raise ValueError(f"only={only!r} must name some of {', '.join(RULES)}")
    return tuple(name for name in RULES if name in names)


def _broken_rules(c: Candidate, chosen: Collection[RuleName]) -> dict[RuleName, Broken]:
    """Run the rules until one makes the others meaningless; return those that are broken."""
    before, imported = global_states(), len(sys.modules)
    early, m = c.plain, c.plain.shape[1]
    c.independent |= units_of(c.map(c.first), m) == m
    moved = [name for name, state in global_states().items() if state != before.get(name, state)]
    if imported != len(sys.modules):
        moved = []  # imports may move a state, and are made once
    broken: dict[RuleName, Broken] = {}
    for name in chosen:
        if c.late(f"the rule {name!r}"):
            continue
        try:
            RULES[name](c)
        except Broken as fault:
            broken[name] = fault
            if name in _FIRST:
                break
        except Exception as error:  # the map took these rows at first
            c.skip(f"the rule {name!r}", f"{type(error).__name__}: {error}", undecided=True)
    drawing = any(remark.startswith("drawing ") for remark in c.remarks)
    if moved and "global state" in chosen and "global state" not in broken and not drawing:
        text = f"the global random state of {', '.join(moved)} changed when a map was first drawn"
        c.remarks[f"{text} and called: is it set to one value by every call?"] = None
    if not broken and "the seed alone decides" in chosen:
        with c.trying("the first seed, drawn last"):
            if c.differing(c.features(c.first), early).size:
                text = "a draw depends on how many were made before: the first seed, drawn last, "
                broken["the seed alone decides"] = Broken(f"{text}differs")
    return broken


# Numbers of columns of X and of features; factors of the rows' median length. Most draws of each.
_WIDTHS, _SIZES, _FACTORS = (1, 4, 80, 129, 300), (5, 64, 300), (0.1, 6.0)
_DRAWS, _RESOLUTION, _SECONDS = 400, 0.25, 2.0
# Sizes at which rules are tried: that of most rows in a call, and that of most columns.
_RULES = {16: rows_do_not_see_each_other, 512: columns_differ}


def _report_other_sizes(c: Candidate, domain: Domain | None) -> None:
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
