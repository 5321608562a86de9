"""Group-invariant features as a transformer."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any, Literal

from mehler import _arrays
from mehler.exact import orbits
from mehler.features import GroupInvariantFeatures, groups
from mehler.features.invariant import Rule, TemplateName, bins_for
from mehler.sklearn import _inputs
from mehler.sklearn._base import Sampler

# Columns of one quantity have largest entries within this factor; corners of images have some.
_SCALES = 1000.0


@dataclass(kw_only=True, eq=False, repr=False)
class InvariantSampler(Sampler):
    r"""Group-invariant features: `mehler.GroupInvariantFeatures` as a transformer.

    .. math:: \Phi(x) = \Big(\sqrt{\tfrac{w_k}{m}}\;\frac1r\sum_{i\le r}
              1[\langle g_i t_j, x\rangle \le \tau_k]\Big)_{j\le m,\,k}

    With the whole group the features are exactly invariant under its action on x.

    Parameters
    ----------
    n_components : int, default=20
        Number of templates m. Each has 2 n_bins columns (one more for the rules 'paper' and
        'trapezoid'), so that there are ``n_components * 2 * n_bins`` in all.
    group : mehler.features.groups.Group, callable or None, default=None
        The group that acts on the templates: a group of the rows' width, or a function of the
        width that returns one, such as the class ``groups.Dihedral``. None is all cyclic shifts of
        the columns, with a warning where they look like those of a table.
    n_bins : int, default=8
        Bins n on each side of 0.
    window : float, 'scale' or None, default='scale'
        Half width s of the window [-s, s] of the distribution functions, in the unit of the rows.
        None is for rows of length 1; 'scale' multiplies that by the largest length of the fitted
        rows.
    rule : {'midpoint', 'paper', 'trapezoid', 'dither'}, default='midpoint'
        Placement of the thresholds, see `mehler.exact.orbits.Bins`.
    templates : {'sphere', 'gaussian', 'redraw', 'zero'}, default='sphere'
        Distribution of the templates, see `mehler.GroupInvariantFeatures.draw`.
    epsilon : float, default=0.3
        Parameter of 'redraw' and 'zero'.
    n_elements : int, default=None
        Number of group elements drawn at random; None is the whole group.
    replacement : bool, default=False
        Whether elements are drawn with replacement.
    own_elements : bool, default=False
        Whether each template has elements of its own.

    See Also
    --------
    mehler.GroupInvariantFeatures : The map itself.
    mehler.verify.check_invariance : Check the invariance.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Learning with group invariant features: a kernel perspective,
    Section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import InvariantSampler
    >>> x = np.random.default_rng(0).standard_normal((4, 6))
    >>> sampler = InvariantSampler(n_components=10, random_state=0).fit(x)
    >>> sampler.transform(x).shape
    (4, 160)
    >>> bool(np.array_equal(sampler.transform(x), sampler.transform(np.roll(x, 2, axis=1))))
    True
    """

    _map = GroupInvariantFeatures

    n_components: int = 20
    group: Any = None
    n_bins: int = 8
    window: float | Literal["scale"] | None = "scale"
    rule: Rule = "midpoint"
    templates: TemplateName = "sphere"
    epsilon: float = 0.3
    n_elements: int | None = None
    replacement: bool = False
    own_elements: bool = False
    random_state: Any = None

    def _options(self, x: _arrays.Array) -> dict[str, Any]:
        if not isinstance(self.templates, str):
            raise TypeError(
                "templates must be the name of a law here; for templates of your own draw "
                "mehler.GroupInvariantFeatures"
            )
        if x.shape[1] == 1 and self.templates == "sphere":
            raise ValueError(
                "n_features = 1, but templates='sphere' need at least 2 columns: use "
                "templates='gaussian'"
            )
        if self.group is None:
            self._warn_of_tables(x)
        return {
            **super()._options(x),
            "n_features": None,
            "n_templates": self.n_components,
            "group": self._group_for(x.shape[1]),
            "window": self._window_for(x),
        }

    def _warn_of_tables(self, x: Any) -> None:
        """Warn if columns cannot be samples of one quantity, whose shifts mean something."""
        names: Any = getattr(self, "feature_names_in_", ())
        stems = {re.sub(r"\d+", "", name) for name in names}
        if _inputs.is_sparse(x):
            largest = abs(x).max(axis=0).toarray().ravel()
        else:
            xp = _arrays.array_namespace(x)
            largest = _arrays.to_host(xp.max(xp.abs(x), axis=0))
        some = largest[largest > 0]
        if len(stems) > 1:
            reason = f"have names of their own, {names[0]!r} and {names[1]!r}"
        elif some.size and some.max() > _SCALES * some.min():
            reason = f"have the sizes {some.min():.2g} to {some.max():.2g}"
        else:
            return
        warnings.warn(
            f"group=None shifts columns, as of a signal, but these {reason}, as of a table: "
            "take another sampler, or say what moves them, such as group=groups.CyclicShifts",
            stacklevel=4,
        )

    def _group_for(self, n_inputs: int) -> Any:
        if self.group is None:
            return groups.CyclicShifts(n_inputs)
        if callable(self.group) and not isinstance(self.group, groups.Group):
            return self.group(n_inputs)
        return self.group

    def _window_for(self, x: _arrays.Array) -> Any:
        if self.window != "scale":
            return self.window
        if _inputs.is_sparse(x):
            longest = float(x.multiply(x).sum(axis=1).max()) ** 0.5
        else:
            longest = float(_arrays.array_namespace(x).max(_squares(x))) ** 0.5
        law = orbits.TemplateLaw(self.templates, x.shape[1], self.epsilon)
        of_unit_rows = bins_for(law, self.n_bins, None, self.rule).window
        return of_unit_rows * longest if longest > 0 else of_unit_rows


def _squares(x: _arrays.Array) -> _arrays.Array:
    return _arrays.array_namespace(x).sum(x * x, axis=1)
