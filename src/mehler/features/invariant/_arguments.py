"""Validate the arguments of group-invariant features and fill in defaults."""

from __future__ import annotations

import math
from typing import Any

from mehler._validate import require_integer
from mehler.exact.orbits import Bins, TemplateLaw
from mehler.features.groups._group import Group, as_group
from mehler.features.invariant._given import GivenTemplates

# Default window in standard deviations of a unit row's projection, at most its full range.
_DEVIATIONS = 4.0


def group_for(group: Any, n_inputs: Any) -> Group:
    """Check that a group acts on rows of that width."""
    made = as_group(group)
    width = require_integer("n_inputs", n_inputs)
    if made.n_inputs != width:
        raise ValueError(
            f"{made!r} acts on {made.n_inputs} coordinates but n_inputs={width}; make them equal"
        )
    return made


def bins_for(law: TemplateLaw | GivenTemplates, n_bins: Any, window: Any, rule: Any) -> Bins:
    """Build the bins; the default window is 4 standard deviations of a unit row's projection."""
    if window is None:
        window = min(law.reach, _DEVIATIONS * _typical(law))
    elif isinstance(window, (bool, str)) or not hasattr(window, "__float__"):
        raise TypeError(f"window={window!r} must be a number above 0")
    return Bins(require_integer("n_bins", n_bins), float(window), rule)


def _typical(law: TemplateLaw | GivenTemplates) -> float:
    """Return the scale of a projection of a unit row."""
    return law.typical if isinstance(law, GivenTemplates) else 1.0 / math.sqrt(law.n_inputs)


def templates_for(n_templates: Any, given: GivenTemplates) -> int:
    """Return the number of given templates; ValueError if another one is asked for."""
    m = len(given.rows)
    if n_templates is not None and require_integer("n_templates", n_templates) != m:
        raise ValueError(f"n_templates={n_templates} but templates has {m} rows; leave it out")
    return m


def columns_for(n_features: Any, n_templates: Any, columns: int) -> int:
    """Derive the number of features from that of templates, or the other way round."""
    if n_templates is not None:
        wanted = require_integer("n_templates", n_templates) * columns
        if n_features is not None and n_features != wanted:
            raise ValueError(
                f"n_templates={n_templates} with {columns} columns each are n_features={wanted}, "
                f"not {n_features}; give one of the two"
            )
        return wanted
    if n_features is None:
        raise ValueError("give n_features, or n_templates")
    found = require_integer("n_features", n_features)
    if found % columns:
        near = max(1, round(found / columns))
        raise ValueError(
            f"n_features={found} is no multiple of the {columns} columns of a template; take "
            f"{near * columns}, or say n_templates={near}"
        )
    return found


def sample_for(n_elements: Any, group: Group, replacement: bool) -> int | None:
    """Check the number of elements drawn; None for all of them."""
    if n_elements is None:
        return None
    r = require_integer("n_elements", n_elements)
    if not replacement and r > group.order:
        raise ValueError(
            f"{group!r} has {group.order} elements, not n_elements={r} distinct ones; take fewer, "
            "all of them (None), or replacement=True"
        )
    # All elements without replacement: no sampling.
    return None if not replacement and r == group.order else r
