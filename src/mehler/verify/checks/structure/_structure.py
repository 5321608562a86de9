"""check_structure: is a map a function of its seed and of each row alone?"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array, global_states
from mehler._validate import require_flag, require_function, require_iterable
from mehler.kernels import NamedKernel
from mehler.verify._arguments import DrawOptions, accepts, require_options
from mehler.verify._maps import Clock, Draws, Kernel, first_map, require_draw, unclaimed_rows
from mehler.verify._sources import units_of
from mehler.verify._verdict import Verdict
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure import _calls, _draws
from mehler.verify.checks.structure._candidate import Broken, Candidate

# In the order in which they run: what breaks an early rule may break later ones too.
RULES: dict[str, Callable[[Candidate], None]] = {
    "finite": _calls.features_are_finite,
    "repeatable calls": _calls.calls_are_repeatable,
    "the seed alone decides": _draws.the_seed_alone_decides,
    "global state": _draws.global_state_is_left_alone,
    "rows and results left alone": _calls.rows_and_results_are_left_alone,
    "rows that do not see each other": _calls.rows_do_not_see_each_other,
    "layouts and dtypes": _calls.layouts_do_not_matter,
    "seeds differ": _draws.seeds_differ,
    "columns differ": _draws.columns_differ,
    "inputs are used": _draws.inputs_are_used,
}
# Where one of these is broken, no two calls or no two draws can be compared any more.
_FIRST = ("finite", "repeatable calls", "the seed alone decides")
# Rules that share the error rate, with the claims at other sizes; all but the first need draws.
_RANDOM = ("global state", "seeds differ", "columns differ", "inputs are used")
_LIMIT, _MOST_ROWS = 20.0, 20
# Numbers of columns of X and of features; factors of the rows' median length.
_WIDTHS, _SIZES, _FACTORS = (1, 4, 80, 129, 300), (5, 64, 300), (0.1, 6.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class StructureVerdict(Verdict):
    """A `Verdict` with a sentence in ``causes`` for each broken rule; ``remarks`` are no fault."""

    causes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one paragraph: the causes, the claim, error rates and reservations."""
        left_out = f" Assumes, and leaves out: {'; '.join(self.assumptions)}."
        return (
            f"{self.reason} {self.check}: {self.status}. Claimed: {self.claim}. From "
            f"{self.amount_text()}, at false alarm {self.false_alarm:.3g}. Replay with "
            f"seed={self.seeds['seed']}.{left_out if self.assumptions else ''}"
        ).lstrip()

    def cells(self) -> tuple[str, ...]:
        """Return an empty tuple, since a broken rule is no number."""
        return ()

    def power_text(self) -> str:
        """Return an empty text: undetected faults are described by what was not tried."""
        return ""


@accepts("miss", "max_features")
def check_structure(
    draw: Callable[[int], Any],
    X: Array,
    *,
    kernel: Kernel | None = None,
    redraw: Callable[[int, Array, int | None], Any] | None = None,
    domain: Callable[[Array], Any] | None = None,
    random: bool = True,
    independent_features: bool = False,
    only: str | Collection[str] | None = None,
    **options: Unpack[DrawOptions],
) -> StructureVerdict:
    """Check by ten rules that a map is a function of its seed and of each row alone.

    A rule refutes what is certain at the given rows, or what a sign test of a proved rate shows.

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
        a `kernel` the claim is tried at other sizes, of rows where `domain=`, (n, d) -> (n,), is
        true or a kernel by name defined: ``remarks`` has what `check_kernel` refutes there.
    random : bool
        Whether other seeds give independent maps. If not, a single map is tested.
    independent_features : bool
        Whether the columns of a draw are declared independent and alike: shared random numbers,
        and two draws that are one, are then a fault, else a remark.
    only : str or collection of str, optional
        Names of rules to run alone; default all.
    **options : DrawOptions
        false_alarm, ledger, name; time_limit, 20 seconds by default, after which no rule begins;
        seed. The ledger is charged if the map is random.

    Returns
    -------
    Verdict
        *refuted*: a rule is broken, with a sentence in ``causes``. *holds*: ``assumptions`` lists
        what was not tried, ``remarks`` what is no fault. *inconclusive*: a rule of `only` was not.

    Raises
    ------
    ValueError, TypeError
        For bad input; exceptions of the map on X itself propagate.

    Examples
    --------
    >>> import numpy as np
    >>> def centred(seed):
    ...     weights = np.random.default_rng(seed).standard_normal((3, 50))
    ...     return lambda X: (X - X.mean(axis=0)) @ weights / np.sqrt(50)
    >>> X = np.random.default_rng(0).standard_normal((6, 3))
    >>> print(check_structure(centred, X).reason)  # doctest: +ELLIPSIS
    features depend on the other rows of the batch: ...
    """
    require_flag("random", random)
    require_flag("independent_features", independent_features)
    settings = require_options("structure", options, 1.0)
    require_draw(draw)
    for label, value in {"kernel": kernel, "redraw": redraw, "domain": domain}.items():
        require_function(label, value, optional=True)
    selection = [only] if isinstance(only, str) else only
    names = require_iterable("only", RULES if selection is None else selection)
    if not names or not all(isinstance(name, str) and name in RULES for name in names):
        raise ValueError(f"only={only!r} must name some of {', '.join(RULES)}")
    rules = [name for name in RULES if name in names and (random or name not in _RANDOM[1:])]
    rows = unclaimed_rows(X)
    n, clock = len(rows.host), Clock(_LIMIT if settings.time_limit is None else settings.time_limit)
    sample = rows.host[np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).round().astype(int))]
    rate, claim = settings.false_alarm / (len(_RANDOM) + 1), kernel if random else None
    c = Candidate(draw, rows.array, sample, claim, redraw, settings.seed, rate, clock)
    c.independent = independent_features
    if random:
        settings.pay()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the map's are shown when its kernel is checked
        try:
            broken = _broken_rules(c, rules)
        except Exception:
            first_map(Draws(draw, settings.seed), rows)  # says so of a map in the place of `draw`
            raise
        if not broken and only is None and c.kernel is not None and redraw is not None:
            _report_other_sizes(c, c.kernel, redraw, domain)
    left_out = [f"not tried: {', '.join(inputs)} ({why})" for why, inputs in c.omissions.items()]
    undecided = only is not None and c.undecided and not broken
    causes, remarks = [fault.cause for fault in broken.values()], list(c.remarks)
    sentences = causes[:1] + [f"Also: {cause}" for cause in causes[1:]] + remarks
    sentences += left_out * undecided
    assumptions = dict.fromkeys(fault.assumes for fault in broken.values() if fault.assumes)
    price = settings.false_alarm if random else 0.0
    verdict = replace(settings, false_alarm=price, miss=0.0).verdict(
        status="refuted" if broken else "inconclusive" if undecided else "holds",
        claim=f"the map keeps the rules: {', '.join(rules)}",
        observed=float(len(broken)),
        interval=(float(len(broken)),) * 2,
        n_features=c.n_features,
        n_draws=c.n_draws,
        detectable=float("inf"),
        method="equality up to rounding, sign tests",
        assumptions=(*assumptions, *left_out),
        where={"rule": next(iter(broken))} if broken else {},
        reason=" ".join(f"{sentence}." for sentence in sentences),
        cause=causes[0] if causes else "",
    )
    return StructureVerdict(**vars(verdict), causes=tuple(causes), remarks=tuple(remarks))


def _broken_rules(c: Candidate, rules: Collection[str]) -> dict[str, Broken]:
    """Run the rules until one makes the others meaningless; return those that are broken."""
    before, n_modules = global_states(), len(sys.modules)
    m = c.reference.shape[1]
    c.independent |= units_of(c.map(c.first), m) == m
    if len(sys.modules) == n_modules:  # imports may move a state, and are made once
        c.before = before
    broken: dict[str, Broken] = {}
    for name in rules:
        if c.late(f"the rule {name!r}"):
            continue
        try:
            RULES[name](c)
        except Broken as fault:
            if name not in _RANDOM and not _draws.is_broken_alone(c, name, RULES[name]):
                continue
            broken[name] = fault
            if name in _FIRST:
                break
        except Exception as error:  # the map took these rows at first
            c.skip(f"the rule {name!r}", f"{type(error).__name__}: {error}", undecided=True)
    if c.change and not broken and "rows and results left alone" in rules:
        broken["rows and results left alone"] = Broken(c.change)
    return broken


def _report_other_sizes(c: Candidate, kernel: Kernel, redraw: Any, domain: Any) -> None:
    """Remark on other sizes at which `check_kernel` refutes the claim or finds a deviation."""
    rows = c.rows if c.rows.dtype.kind == "f" else c.rows.astype(np.float64)
    width, length = rows.shape[1], float(np.median(np.linalg.norm(rows, axis=1))) or 1.0
    cases: list[tuple[str, Any, int | None]] = [(f"m = {m}", rows[:6], m) for m in _SIZES]
    if domain is not None or isinstance(kernel, NamedKernel):
        shapes = [(f"d = {d}", d, length) for d in _WIDTHS if d != width]
        shapes += [(f"|x| = {factor * length:.3g}", width, factor * length) for factor in _FACTORS]
        for what, d, norm in shapes:
            # A row of this length, its negative, and others that differ in some columns.
            base, step = np.random.default_rng([c.seed, d]).standard_normal((2, d))
            j = np.arange(d)
            base /= np.linalg.norm(base)
            parts = [step * mask for mask in (j >= 0, 5 * j >= 4 * d - 4, 2 * j < d, j % 2 == 1)]
            near = [base + part / np.linalg.norm(part) for part in parts if part.any()]
            x = norm * np.stack([base, -base, *near])
            x = np.abs(x) if getattr(kernel, "nonnegative", False) else x
            x = x if domain is None else x[np.asarray(domain(x), dtype=bool)]
            cases.append((what, x.astype(rows.dtype), None if d == width else 64))

    def drawing(rows: Array, m: int | None) -> Callable[[int], Any]:
        return lambda seed: redraw(seed, c.place(rows), m)

    wrong: dict[str, list[str]] = {}
    for k, (what, x, m) in enumerate(cases):
        if not len(x) or c.late(what):
            continue
        draw = drawing(x, m)
        with c.trying(what):
            most, rate = 400 * c.call(draw(c.first), x).shape[1], c.rate / len(cases)
            options = DrawOptions(max_features=most, false_alarm=rate, time_limit=2.0)
            options["seed"] = c.seed + k
            verdict = check_kernel(draw, kernel, c.place(x), resolution=0.25, **options)
            c.n_draws += verdict.n_draws
            low, high = verdict.interval
            if verdict.status == "refuted":
                wrong.setdefault("refuted", []).append(what)
            elif not low <= verdict.exact <= high:  # few draws confirm no suspicion
                wrong.setdefault("off, unless rare draws explain the difference", []).append(what)
    scope = "outside your claim"
    for outcome, sizes in wrong.items():
        c.remarks[f"at {', '.join(sizes)}, {scope}, the claimed kernel is {outcome}"] = None
    # Most rows in a call, and most columns.
    for m, name in ((16, "rows that do not see each other"), (512, "columns differ")):
        at_size = replace(c, draw=drawing(c.rows, m), remarks={}, independent=True)
        with c.trying(f"m = {m}"):
            for broken in _broken_rules(at_size, [name]).values():
                c.remarks[f"at m = {m}, {scope}, {broken}"] = None
