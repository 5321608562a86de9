"""Invariance of features, Phi(g x) = Phi(x): exact for a whole group, not for samples of it.

A random vector t, a *template*, gives a row x the distribution function of <t, g x> over elements
g. Mroueh, Voinea and Poggio (2015) say in words that the mean inner product of these features is
invariant, which is tested for two random elements. Drawn features are compared with our mean change
E|Phi(x) - Phi(g x)|^2 = 2 kappa w |x - g x|, where kappa = E|t_1|/2.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler._arrays import to_host
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from .._shared import BLOCKS, DITHER, PAPER, SPHERE, unit_rows

# Each template has two distinct elements g of the group.
_SAMPLED: dict[str, Any] = {**DITHER, "n_elements": 2, "own_elements": True, "window": 1.0}
# w = (N - r) / (r (N - 1)) for r = 2 distinct ones of N = 6 elements.
_WEIGHT = 0.4
_ELEMENT = BLOCKS.actions[3]
_KINDS = (BLOCKS, groups.Dihedral(6), groups.ImageShifts(2, 3), groups.SignFlips(6))


def claimed_change(rows: Any) -> Any:
    """Compute E|Phi(x) - Phi(g x)|^2 as proved: 2 kappa w |x - g x|."""
    return 2 * SPHERE.slope * _WEIGHT * np.linalg.norm(rows - _ELEMENT(rows), axis=1)


def _on(context: Context, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let an element, which acts on the host, act on rows of the run's backend."""
    return lambda rows: context.asarray(act(to_host(rows)))


@check("group-invariant.invariance", form="restored", name="two random elements")
def sampled(context: Context, *, n_elements: int | None = 2) -> Evidence:
    """Test the expected kernel's invariance, with two random elements a template.

    An invariant kernel k has k(x, x) + k(gx, gx) = 2 k(x, gx): in expectation features do not move.
    """
    options = {**_SAMPLED, **PAPER, "n_elements": n_elements}
    options |= {} if n_elements is None else {"replacement": True}
    return _mean_change(
        context,
        "moved",
        options,
        0.0,
        resolution=0.02,
        claim=(
            r"$k(x,x) + k(gx,gx) - 2k(x,gx) = 0$ for the kernel $k = E\langle\Phi,\Phi\rangle$ of "
            "two random elements a template"
        ),
    )


def _mean_change(
    context: Context,
    label: str,
    options: dict[str, Any],
    claimed: float,
    *,
    resolution: float,
    claim: str,
) -> Evidence:
    """Compare the mean of |Phi(x) - Phi(g x)|^2 over templates with a claim."""
    x = unit_rows(context, 1, 6)
    phi = GroupInvariantFeatures.draw(
        6, n_templates=20_000 if context.quick else 400_000, seed=context.seed_for(label), **options
    )
    difference = phi(x) - phi(_ELEMENT(x))
    verdict = verify.check_mean(
        phi.n_units * (difference**2).reshape(phi.n_units, -1).sum(axis=1),
        claimed,
        # Squared differences of distribution functions, summed over the window [-s, s].
        bounds=(-1e-9, 2 * options["window"] + 1e-9),
        false_alarm=context.false_alarm,
        resolution=resolution,
        ledger=context.ledger,
        name=f"{context.statement}: {label}",
    )
    return Evidence.from_verdict(verdict, claim=claim)


@check("group-invariant.invariance", form="proved", name="whole groups")
def whole(context: Context, *, n_elements: int | None = None) -> Evidence:
    """Test the features' invariance under every element, with whole groups."""
    kinds = _KINDS[:2] if context.quick else _KINDS
    rows = unit_rows(context, 2, 6)
    verdicts = [_under(context, group, rows, n_elements, len(kinds)) for group in kinds]
    worst = max(verdicts, key=lambda verdict: (verdict.status != "holds", verdict.observed))
    evidence = Evidence.from_verdict(
        worst,
        claim=(
            r"$\Phi(gx) = \Phi(x)$ to rounding for every $g$ and the whole group: "
            f"{len(kinds)} groups (fraction of templates that differ)"
        ),
    )
    return dataclasses.replace(evidence, false_alarm=context.false_alarm)


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
    """Compare 2 kappa w |x - g x| with measured changes of features of sampled elements."""
    claimed = factor * float(claimed_change(unit_rows(context, 1, 6))[0])
    return _mean_change(
        context,
        "defect",
        _SAMPLED,
        claimed,
        resolution=(0.1 if context.quick else 0.02) * claimed,
        claim=r"$E\|\Phi(x) - \Phi(gx)\|^2 = 2\kappa w\|x - gx\|$, two distinct elements of 6",
    )
