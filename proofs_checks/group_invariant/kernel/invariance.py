"""Invariance: exact for whole groups, lost in samples of elements by a known amount."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler._arrays import to_host
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from .._measured_kernel import BLOCKS, unit_rows
from .._setting import PAPER
from ._sizes import LAW

# Two distinct elements a template; random offsets have the expectation of infinitely many bins.
_SAMPLED: dict[str, Any] = {
    "group": BLOCKS,
    "n_elements": 2,
    "own_elements": True,
    "window": 1.0,
    "rule": "dither",
    "n_bins": 10,
}
# (N - r) / (r (N - 1)) for r = 2 of N = 6.
_WEIGHT = 0.4
_ELEMENT = BLOCKS.actions[3]
_KINDS = (BLOCKS, groups.Dihedral(6), groups.ImageShifts(2, 3), groups.SignFlips(6))


def claimed_change(rows: Any) -> Any:
    """Compute E|Phi(x) - Phi(g x)|^2 as proved: 2 kappa w |x - g x|."""
    return 2 * LAW.slope * _WEIGHT * np.linalg.norm(rows - _ELEMENT(rows), axis=1)


def _on(context: Context, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let an element, which acts on the host, act on rows of the run's backend."""
    return lambda rows: context.asarray(act(to_host(rows)))


@check("group-invariant.invariance", form="restored", name="two random elements")
def sampled(context: Context, *, n_elements: int | None = 2) -> Evidence:
    """Hold the expected kernel's invariance, with two random elements a template.

    An invariant kernel k has k(x, x) + k(gx, gx) = 2 k(x, gx): in expectation features do not move.
    """
    options = {**_SAMPLED, **PAPER, "n_elements": n_elements}
    options |= {} if n_elements is None else {"replacement": True}
    verdict = verify.check_mean(
        _changes(context, "moved", options),
        0.0,
        # Squared differences of distribution functions, summed over the window.
        bounds=(-1e-9, 2 * PAPER["window"] + 1e-9),
        false_alarm=context.false_alarm,
        resolution=0.02,
        ledger=context.ledger,
        name=f"{context.statement}: sampled",
    )
    return Evidence.from_verdict(
        verdict,
        form="restored",
        claim=(
            r"$k(x,x) + k(gx,gx) - 2k(x,gx) = 0$ for the kernel $k = E\langle\Phi,\Phi\rangle$ of "
            "two random elements a template"
        ),
    )


def _changes(context: Context, label: str, options: dict[str, Any]) -> Any:
    """Compute |Phi(x) - Phi(g x)|^2 of each template, times their number."""
    x = unit_rows(context, 1, 6)
    phi = GroupInvariantFeatures.draw(
        6, n_templates=20_000 if context.quick else 400_000, seed=context.seed_for(label), **options
    )
    difference = phi(x) - phi(_ELEMENT(x))
    return phi.n_units * (difference**2).reshape(phi.n_units, -1).sum(axis=1)


@check("group-invariant.invariance", form="proved", name="whole groups")
def whole(context: Context, *, n_elements: int | None = None) -> Evidence:
    """Hold the features' invariance under every element, with whole groups."""
    kinds = _KINDS[:2] if context.quick else _KINDS
    rows = unit_rows(context, 2, 6)
    verdicts = [_under(context, group, rows, n_elements, len(kinds)) for group in kinds]
    worst = max(verdicts, key=lambda one: (one.status != "holds", one.observed))
    found = Evidence.from_verdict(
        worst,
        form="proved",
        claim=(
            r"$\Phi(gx) = \Phi(x)$ to rounding for every $g$ and the whole group: "
            f"{len(kinds)} groups (share of templates that differ)"
        ),
    )
    return dataclasses.replace(found, false_alarm=context.false_alarm)


def _under(context: Context, group: Any, rows: Any, n_elements: int | None, parts: int) -> Any:
    return verify.check_invariance(
        lambda seed: GroupInvariantFeatures.draw(
            6,
            group=group,
            n_templates=500,
            n_bins=10,
            window=1.0,
            n_elements=n_elements,
            seed=seed,
            like=context.like(),
        ),
        # The identity shows nothing.
        [_on(context, act) for act in group.actions if not np.array_equal(act(rows), rows)],
        context.asarray(rows),
        false_alarm=context.false_alarm / parts,
        seed=context.seed_for(f"whole {group!r}"),
        ledger=context.ledger,
        name=f"{context.statement}: whole {group!r}",
    )


@check("group-invariant.invariance", form="proved", name="defect of invariance")
def defect(context: Context, *, factor: float = 1.0) -> Evidence:
    """Hold 2 kappa w |x - g x| against measured changes of features of sampled elements."""
    claimed = factor * float(claimed_change(unit_rows(context, 1, 6))[0])
    verdict = verify.check_mean(
        _changes(context, "defect", _SAMPLED),
        claimed,
        # Squared differences of distribution functions, summed over the window [-1, 1].
        bounds=(-1e-9, 2 + 1e-9),
        false_alarm=context.false_alarm,
        resolution=(0.1 if context.quick else 0.02) * claimed,
        ledger=context.ledger,
        name=f"{context.statement}: defect",
    )
    return Evidence.from_verdict(
        verdict,
        form="proved",
        claim=r"$E\|\Phi(x) - \Phi(gx)\|^2 = 2\kappa w\|x - gx\|$, two distinct elements of 6",
    )
