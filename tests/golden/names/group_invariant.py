"""Bounds of group-invariant features: by the number of the theorem, and by `form`."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from mehler.proofs_checks.group_invariant import _published
from mehler.proofs_checks.group_invariant.kernel.energy_quotient import (
    largest_energy as energy_distance,
)
from mehler.proofs_checks.group_invariant.kernel.rotations import kernel_change_turns as rotations
from mehler.proofs_checks.group_invariant.risk.ridge_gain import least_squares_risk

from mehler import bounds
from mehler.bounds import group_invariant

__all__ = ["energy_distance", "least_squares_risk", "rotations"]

ridge_risk = group_invariant.ridge_excess_risk
_FORMS = ("printed", "proved")


def _choose(ours: Any, published: Any, form: str, arguments: dict[str, Any]) -> Any:
    """Call the function of a form."""
    if form not in _FORMS:
        raise ValueError(f"form={form!r}")
    return (published if form == "printed" else ours)(**arguments)


def _rows(others: dict[str, Any]) -> dict[str, Any]:
    """Give the number of rows its name."""
    return {"n_rows" if name == "n_points" else name: value for name, value in others.items()}


def elements(**others: Any) -> Any:
    return group_invariant.kernel_change_elements(**_rows(others))


def theorem_1(*, form: str = "proved", **others: Any) -> Any:
    if form == "printed":
        others.pop("templates", None)
    published = _published.theorem_1
    return _choose(group_invariant.kernel_bias, published, form, others)


def theorem_2(*, form: str = "proved", **others: Any) -> Any:
    # The proved form ignored the constants, and what else is here entered the assumptions alone.
    unused = ("radius", "templates", "n_inputs", "epsilon", "rule")
    for name in unused if form == "printed" else ("c1", "c2"):
        others.pop(name, None)
    if form == "printed" and "n_elements" not in others:
        others.pop("c2", None)
    published = _published.theorem_2
    return _choose(group_invariant.kernel_error, published, form, _rows(others))


def theorem_2_templates(eps: float, *, form: str = "proved", **others: Any) -> Any:
    if form == "proved":
        known = {name: v for name, v in _rows(others).items() if name not in ("c1", "c2")}
        return bounds.solve(group_invariant.kernel_error, at_most=eps, n_templates=None, **known)
    # A published formula is not inverted: one of a sample rises with the templates.
    theorem_2(n_templates=1, form=form, **others)
    m = math.ceil(others["c1"] * math.log(others["n_points"] / others["delta"]) / eps**2)
    assert theorem_2(n_templates=m, form=form, **others).value <= eps
    return m


def theorem_3(*, form: str = "proved", **others: Any) -> Any:
    if form == "proved":
        others.pop("loss_at_zero", None)  # It was ignored.
    published = _published.theorem_3
    return _choose(group_invariant.excess_risk, published, form, others)


def theorem_4(*, form: str = "proved", **others: Any) -> Any:
    ours = group_invariant.cdf_error
    # One formula, which was not clipped in its printed form.
    published = lambda **own: dataclasses.replace(ours(**own), form="printed")  # noqa: E731
    return _choose(ours, published, form, others)


def lemma_4(*, form: str = "proved", **others: Any) -> Any:
    published = _published.lemma_4
    return _choose(group_invariant.approximation, published, form, others)
