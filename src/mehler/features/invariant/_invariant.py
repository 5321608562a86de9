"""Group-invariant features: distribution functions of projections on moved templates.

A template t is a random vector, and a group's elements g (shifts, say) move it to g t. Features of
a row x are shares of its projections <g t, x> below thresholds, at bins of a window [-s, s].
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler import _random
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer, require_positive
from mehler.exact.orbits import Bins, TemplateLaw
from mehler.features._base import FeatureMap
from mehler.features._block import Units
from mehler.features.groups import _orbits
from mehler.features.groups._families import BlockPermutations, CyclicShifts, ImageShifts
from mehler.features.groups._group import Group, Subset, as_group
from mehler.features.invariant import _draws as draws
from mehler.features.invariant import _moments as moments
from mehler.features.invariant._moments import GivenMoments, GivenTemplates, Moments

_WIDE = 256  # from this many coordinates on, products need larger blocks of rows
_LONG = 64  # from this many shifts on, an FFT is faster than products with shifted templates

Rule: TypeAlias = Literal["paper", "trapezoid", "midpoint", "dither"]
TemplateName: TypeAlias = Literal["sphere", "gaussian", "redraw", "zero"]


class GroupInvariantFeatures(FeatureMap):
    r"""Truncated empirical distribution functions of projections on templates moved by a group.

    .. math:: \Phi(x) = \Big(\sqrt{\tfrac{w_k}{m}}\;\frac1r\sum_{i\le r}
              1[\langle g_i t_j, x\rangle \le \tau_k]\Big)_{j\le m,\,k}, \qquad
              -s \le \tau_k \le s

    With the whole group, all r elements g, features do not change when one acts on x. Their inner
    products estimate s - kappa D(x, z), D the mean distance of moved copies of x and z, and kappa
    half the mean of abs(<t, u>) for unit u. :meth:`kernel` is the exact expectation for the map's
    own bins, window and sample of elements.

    Parameters
    ----------
    n_features : int, optional
        Columns of the features: templates m times the columns of a template, 2 n_bins, or
        2 n_bins + 1 for the rules 'paper' and 'trapezoid'. Or give `n_templates`.
    group : mehler.features.groups.Group
        The group, or list of linear maps, of :mod:`mehler.features.groups`, that moves templates.
    n_templates : int, optional
        Templates m.
    n_bins : int, optional
        Bins n on each side of 0.
    window : float, optional
        s, in the unit of the rows: distribution functions are evaluated on [-s, s]. The
        default suits rows of norm 1: 4/sqrt(d), four standard deviations of a projection, or
        its full range if that is less. For rows of norm R take R times it.
    rule : {'paper', 'trapezoid', 'midpoint', 'dither'}, optional
        Placement of the thresholds, see `mehler.exact.orbits.Bins`. 'paper' has a column that
        is always 1 and one that is always 0; 'dither' is unbiased for every number of bins.
    templates : {'sphere', 'gaussian', 'redraw', 'zero'} or array (m, d), optional
        Uniform on the unit sphere; N(0, I/d); N(0, I/d) drawn again until the squared length
        is below 1 + epsilon; features of zero in that case instead. The last two are the
        paper's. An array has your own templates, for instance rows of the data; see Notes.
    epsilon : float, optional
        Margin of 'redraw' and 'zero'.
    n_elements : int, optional
        Draw r elements at random; default all of the group or list.
    replacement, own_elements : bool, optional
        Draw them independently, default distinct, which is better; for each template separately,
        so that templates are independent, and m r d numbers are stored.
    n_inputs, seed, like, dtype
        As in :class:`mehler.features.FeatureMap`.

    Notes
    -----
    Templates are moved, never the data: all cyclic shifts of 64 or more places by an FFT, blocks
    and coordinates a few templates at a time; only other linear maps, and `own_elements`, store
    m r d numbers. ``kernel`` is exact to 1e-13 for rows that are not nearly equal; it averages over
    the group on the host (N evaluations per pair, N^2 for lists that are no groups). ``variance``
    is exact for a single element, else a proved upper bound, as is ``gram_variance``.

    Templates of your own go with all elements, and no dither. ``kernel`` is then their *empirical*
    kernel, the inner product of the features, and ``variance`` is 0. The default window is four
    root mean squares of a projection of a unit row.

    A projection within rounding of a threshold may fall either way: in float32, one in 10^6.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Section 3. :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import groups
    >>> shifts = groups.CyclicShifts(6)
    >>> phi = mehler.GroupInvariantFeatures.draw(6, group=shifts, n_templates=500, seed=0)
    >>> x = np.array([[0.8, 0.0, 0.6, 0.0, 0.0, 0.0]])
    >>> bool(np.array_equal(phi(x), phi(np.roll(x, 2, axis=1))))
    True
    >>> bool(abs(phi.gram(x) - phi.kernel(x)) < 6 * phi.gram_variance(x) ** 0.5)
    True
    """

    _later = ("stored", "n_templates")

    def __init__(
        self,
        n_inputs: int,
        n_features: int | None = None,
        *,
        group: object,
        seed: int,
        n_templates: int | None = None,
        n_bins: int = 8,
        window: float | None = None,
        rule: Rule = "midpoint",
        templates: TemplateName | Array = "sphere",
        epsilon: float = 0.3,
        n_elements: int | None = None,
        replacement: bool = False,
        own_elements: bool = False,
        like: Array | ModuleType | None = None,
        dtype: object = None,
    ) -> None:
        self.group: Group = group_for(group, n_inputs)
        self._given = moments.given_templates(templates, self.group.n_inputs)
        self.law: Any = self._given or TemplateLaw(templates, n_inputs, epsilon)
        self.bins = bins_for(self.law, n_bins, window, rule)
        columns, source = self.bins.columns, self._given
        n_features = columns_for(n_features, n_templates, columns, source)
        self.replacement = require_flag("replacement", replacement)
        self.own_elements = require_flag("own_elements", own_elements)
        self.n_elements = n_elements
        size = sample_for(n_elements, self.group, self.replacement)
        sample = (self.bins, self.group, size, self.replacement, self.law)
        self._moments: Moments | GivenMoments
        self._moments = Moments(*sample) if source is None else GivenMoments(*sample)
        if source is not None and (size is not None or rule == "dither"):
            raise ValueError(
                "templates of your own go with all elements and no dither: leave n_elements out, "
                "take another rule, or the name of a law"
            )
        self._listed = self.group.elements() if size is None else None
        self._n_templates = None
        self.n_bins, self.window, self.rule = self.bins.n_bins, self.bins.window, self.bins.rule
        self.templates = self.law.name if source is None else source.rows.tolist()
        self.epsilon = float(self.law.epsilon)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype)

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether templates are independent: not if they share a random sample of elements."""
        if self._given is not None:
            return False
        return self._moments.size is None or self.own_elements or self.n_units == 1

    @property
    def _size(self) -> int:
        return self._moments.size or self.group.order

    @property
    def _layout(self) -> str:
        """How values are computed: 'blocks', 'shifts', 'moved' or 'orbit'."""
        if self.own_elements and self._moments.size is not None:
            return "orbit"
        if _few_blocks(self.group):
            return "blocks"
        if self._moments.size is None and self.group.order >= _LONG and _image_shape(self.group):
            return "shifts"
        return "moved" if self.group.moves_coordinates else "orbit"

    def _units(self) -> Units:
        columns = self.bins.columns
        n, r = self.n_features // columns, self._size
        alone = self.own_elements or self._layout == "orbit"
        # One template's projections on a block of rows fit in a piece; features in 32 MiB.
        most = min(draws.VALUES // r, (8 << 20) // self.n_features)
        return Units(
            self.n_inputs * (n * r if alone else n + r) + self.n_features,
            columns=(1, columns),
            block=max(16, min(1024 if self.n_inputs >= _WIDE else 512, most)),
            width=draws.numbers_per_row(n, r, columns),
        )

    def _elements(self) -> Any:
        """Return the elements shared by all templates, (r, k), or those of each one, (m, r, k)."""
        size = self._moments.size
        if size is None:
            return self._listed
        if self.own_elements:
            sizes = self.seed, size, self.n_units
            return draws.own_elements(self.group, *sizes, replacement=self.replacement)
        rng = _random.generator(self.seed, _random.ELEMENTS, 0)
        return self.group.sample(size, rng, replacement=self.replacement)

    def _templates(self) -> tuple[Any, Any]:
        """Return templates (m, d) in float64, and 1 or 0 (m,) for kept or rejected."""
        if self._given is not None:
            return self._given.rows, np.ones(len(self._given.rows))
        return draws.templates(self.law, self.seed, self.n_units)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        self._require_all(units)
        templates, factors = self._templates()
        columns = np.sqrt(self.bins.weights / self.n_units) / self._size
        thresholds = self.bins.thresholds
        if self.bins.rule == "dither":
            shift = draws.offsets(self.seed, self.n_units)
            thresholds = thresholds + self.bins.step * shift[:, None]
        weights = self._structure(templates)
        head = ((factors[:, None] * columns).ravel(), thresholds)
        return tuple(
            np.ascontiguousarray(part if part.dtype == np.int32 else part.astype(dtype))
            for part in (*head, *weights)
        )

    def _structure(self, templates: Array) -> tuple[Any, ...]:
        """Return templates in the form of the layout, with the data that encode the elements."""
        elements, layout = self._elements(), self._layout
        if layout == "shifts":
            return (templates,)
        if layout == "blocks":
            return templates, _meetings(elements)
        if layout == "moved":
            index, sign = self.group.action.coordinates(elements)  # type: ignore[misc]  # not None here
            flat = np.ascontiguousarray(index, dtype=np.int32).ravel()
            return (templates, flat) if (sign == 1).all() else (templates, flat, sign)
        if elements.ndim == 2:
            return (np.moveaxis(self.group.apply(templates, elements), 1, 0),)
        return (_moved_alone(self.group, templates, elements),)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        """Count the projections of rows on moved templates below the thresholds."""
        scale, thresholds, *structure = weights

        def project(part: slice) -> Array:
            if self._layout == "shifts":
                return draws.on_shifts(_image_shape(self.group), xp, rows, part, *structure)
            if self._layout == "blocks":
                return draws.on_blocks(_few_blocks(self.group), xp, rows, part, *structure)
            if self._layout == "moved":
                return draws.on_moved(self._size, xp, rows, part, *structure)
            return draws.on_orbit(xp, rows, part, *structure)

        sizes = self.n_units, self._size
        return draws.count_below(project, sizes, xp, rows, scale, thresholds)

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return _orbits.in_float64(x, y, self._moments.kernel)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        return _orbits.in_float64(x, y, self._moments.variance) * self.bins.columns

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute m Var of a mean of m products that are independent given the elements."""
        variance = self._variance_of(x, y)
        if self.independent_units or isinstance(self._moments, GivenMoments):
            return variance
        shared = _orbits.in_float64(x, y, self._moments.shared_variance) * self.bins.columns
        return variance + (self.n_units - 1) * shared


def _few_blocks(group: Group) -> int:
    """Return the number of permuted blocks, if products of all with all are cheap; else 0."""
    base = group.of if isinstance(group, Subset) else group
    if isinstance(base, BlockPermutations) and base.n_blocks <= base.width:
        return base.n_blocks
    return 0


def _image_shape(group: Group) -> tuple[int, ...]:
    """Return (height, width) if the group is all cyclic shifts of single coordinates; else ()."""
    if isinstance(group, CyclicShifts) and group.n_blocks == group.n_inputs:
        return 1, group.n_inputs
    if isinstance(group, ImageShifts) and group.closed:
        return group.height, group.width
    return ()


def _moved_alone(group: Group, templates: Array, elements: NDArray[np.int64]) -> Any:
    """Apply each template's own elements: (m, d) and (m, r, k) to (m, r, d)."""
    if not group.moves_coordinates:
        alone = zip(templates, elements)
        return np.stack([group.apply(t[None], sample)[:, 0] for t, sample in alone])
    m, r = elements.shape[:2]
    index, sign = group.action.coordinates(elements.reshape(m * r, -1))  # type: ignore[misc]  # not None
    shape = (m, r, group.n_inputs)
    images = np.take_along_axis(templates[:, None, :], index.reshape(shape), axis=2)
    return images * sign.reshape(shape)


def _meetings(elements: NDArray[np.int64]) -> Any:
    """Return 1 where block a of the template meets block p of the row, else 0: (r, L^2)."""
    n_blocks = elements.shape[1]
    meets = elements[:, None, :] == np.arange(n_blocks)[:, None]
    return meets.reshape(len(elements), n_blocks * n_blocks).astype(np.float64)


_DEVIATIONS = 4.0  # of a unit row's projection: the default window, at most the full range


def group_for(group: object, n_inputs: int) -> Group:
    """Check that a group acts on rows of that width."""
    checked, width = as_group(group), require_integer("n_inputs", n_inputs)
    if checked.n_inputs != width:
        raise ValueError(f"{checked!r} acts on {checked.n_inputs} coordinates, not {n_inputs=}")
    return checked


def bins_for(law: Any, n_bins: int, window: Any, rule: str) -> Bins:
    """Build the bins; the default window is 4 standard deviations of a unit row's projection."""
    if window is None:
        random = isinstance(law, TemplateLaw)
        deviation = 1.0 / math.sqrt(law.n_inputs) if random else law.typical
        window = min(law.reach, _DEVIATIONS * deviation)
    return Bins(require_integer("n_bins", n_bins), require_positive("window", window), rule)


def columns_for(
    n_features: int | None, n_templates: int | None, columns: int, source: GivenTemplates | None
) -> int:
    """Derive the number of features from that of templates, or the other way round."""
    if source is not None:
        m = len(source.rows)
        if n_templates is not None and require_integer("n_templates", n_templates) != m:
            raise ValueError(f"n_templates={n_templates} but templates has {m} rows; leave it out")
        n_templates = m
    if n_templates is not None:
        total = require_integer("n_templates", n_templates) * columns
        if n_features is not None and n_features != total:
            sizes = f"n_templates={n_templates} with {columns} columns each are"
            raise ValueError(f"{sizes} n_features={total}, not {n_features}; give one of the two")
        return total
    if n_features is None:
        raise ValueError("give n_features, or n_templates")
    n_columns = require_integer("n_features", n_features)
    if n_columns % columns:
        near = max(1, round(n_columns / columns))
        take = f"a template; take {near * columns}, or say n_templates={near}"
        raise ValueError(
            f"n_features={n_columns} is not a multiple of the {columns} columns of {take}"
        )
    return n_columns


def sample_for(n_elements: int | None, group: Group, replacement: bool) -> int | None:
    """Check the number of elements drawn; None for all of them."""
    if n_elements is None:
        return None
    r = require_integer("n_elements", n_elements)
    if not replacement and r > group.order:
        cause = f"{group!r} has {group.order} elements, not n_elements={r} distinct ones"
        raise ValueError(f"{cause}; take fewer, all of them (None), or replacement=True")
    # All elements without replacement: no sampling.
    return None if not replacement and r == group.order else r
