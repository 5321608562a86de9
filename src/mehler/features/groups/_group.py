"""Base class of groups: lists of linear maps that can be applied, sampled and named."""

from __future__ import annotations

import functools
import inspect
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._random import require_seed
from mehler._validate import require_integer
from mehler.features._recipes import GROUPS, elsewhere, group_of

# Orders have as many digits as there are elements to choose from, and are exact.
MOST_INPUTS = 10**6

# Most elements that are listed and averaged over.
MOST_LISTED = 200_000


class Group(ABC):
    """A finite, immutable list of linear maps of the coordinates, with equal weights.

    An element is a row of numbers (a shift, a permutation, signs); `elements` lists them.

    Attributes
    ----------
    n_inputs : int
        Number of coordinates d.
    order : int
        Number of elements N.
    orthogonal : bool
        Whether every element preserves norms.
    closed : bool
        Whether it is a group, so that averages over all elements do not change when one of them
        acts on the data. Otherwise it is a list, such as small shifts.

    See Also
    --------
    mehler.GroupInvariantFeatures : Features invariant to a group.
    CyclicShifts : Shifts of signals.

    Examples
    --------
    >>> from mehler.features import groups
    >>> shifts = groups.CyclicShifts(4)
    >>> shifts.order, shifts.closed, shifts.elements().ravel().tolist()
    (4, True, [0, 1, 2, 3])
    """

    n_inputs: int
    order: int
    orthogonal: bool
    closed: bool

    @property
    def moves_coordinates(self) -> bool:
        """Whether elements only permute coordinates and change signs."""
        return False

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class, so that recipes can name it."""
        super().__init_subclass__(**options)
        GROUPS.add(cls)

    def __init__(self, n_inputs: int, order: int, *, orthogonal: bool, closed: bool) -> None:
        self.n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        self.order = order
        self.orthogonal = orthogonal
        self.closed = closed
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_made", False):
            raise AttributeError(f"groups are immutable: make another one to change {name}")
        super().__setattr__(name, value)

    # -- hooks ----------------------------------------------------------------------------

    @abstractmethod
    def _listed(self) -> Any:
        """Return all elements, shape (order, k), the identity first if there is one."""

    def _parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments, JSON-able; by default the attributes so named."""
        values = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}

    @abstractmethod
    def _apply(self, rows: Any, elements: Any) -> Any:
        """Apply each element to the rows: shape (r, n, d)."""

    @abstractmethod
    def _transpose(self, rows: Any, elements: Any) -> Any:
        """Apply the transpose of each element to the rows: shape (r, n, d)."""

    def coordinates(self, elements: Any) -> tuple[Any, Any] | None:
        """Return index and sign of each coordinate, for elements that only permute and flip signs.

        Parameters
        ----------
        elements : array, shape (r, k)
            Rows of :meth:`elements`.

        Returns
        -------
        (array, array) or None
            Integers and signs of shape (r, d): (g t)_i is sign_i t[index_i]; a sign of 0 drops
            the coordinate. None for other maps.
        """
        return None

    # -- public methods -------------------------------------------------------------------

    def elements(self) -> Any:
        """Return all elements, one a row: shape (order, k), the identity first if there is one.

        Raises
        ------
        ValueError
            If there are more than 200,000.
        """
        if self.order > MOST_LISTED:
            raise ValueError(
                f"{self!r} has {_count(self.order)} elements, too many to list; take some of "
                "them: group.drawn(100, seed=0)"
            )
        return self._listed()

    def sample(self, r: int, rng: np.random.Generator, *, replacement: bool = False) -> Any:
        """Draw uniform random elements, shape (r, k): independent ones, or distinct ones.

        Parameters
        ----------
        r : int
            Number of elements.
        rng : numpy.random.Generator
            Source of randomness.
        replacement : bool
            Draw independently; default distinct elements.

        Raises
        ------
        TypeError, ValueError
            If r is not an integer of at least 1, or more than there are.
        """
        r = require_integer("r", r)
        if not replacement and r > self.order:
            raise ValueError(f"{self!r} has {self.order} elements, not r={r} distinct ones")
        return self._sample(r, rng, replacement)

    def _sample(self, r: int, rng: np.random.Generator, replacement: bool) -> Any:
        chosen = (
            rng.integers(self.order, size=r) if replacement else rng.permutation(self.order)[:r]
        )
        return self.elements()[chosen]

    def apply(self, rows: Any, elements: Any = None) -> Any:
        """Apply elements to rows, such as templates: shape (r, n, n_inputs).

        Parameters
        ----------
        rows : array, shape (n, n_inputs)
            NumPy, real.
        elements : array, shape (r, k), optional
            Elements to apply; default all.
        """
        return self._apply(*self._both(rows, elements))

    def transpose(self, rows: Any, elements: Any = None) -> Any:
        """Apply the transposes of elements (for orthogonal ones: the inverses) to rows.

        <g t, x> = <t, transpose of g x>.

        Parameters
        ----------
        rows, elements
            As in :meth:`apply`.
        """
        return self._transpose(*self._both(rows, elements))

    @property
    def actions(self) -> tuple[Callable[[Any], Any], ...]:
        """The elements as functions of rows, X -> g X."""
        return tuple(functools.partial(_act, self, one[None, :]) for one in self.elements())

    def subset(self, elements: Any) -> Subset:
        """Return the list of some of the elements, such as small shifts.

        Parameters
        ----------
        elements : array, shape (r, k)
            Rows of :meth:`elements`, or others of their kind.
        """
        return Subset(self, elements)

    def drawn(self, r: int, *, seed: int, replacement: bool = False) -> Subset:
        """Return a fixed list of r elements, drawn once.

        Parameters
        ----------
        r : int
            Number of elements.
        seed : int
            Seed of the draw.
        replacement : bool
            Whether an element may occur twice.
        """
        rng = np.random.Generator(np.random.Philox(require_seed(seed)))
        return self.subset(self.sample(r, rng, replacement=replacement))

    def recipe(self) -> dict[str, Any]:
        """Return a JSON-able dict that makes the same group: see `groups.from_recipe`."""
        return {"group": type(self).__name__, **self._parameters()}

    def __eq__(self, other: object) -> bool:
        """Groups with the same recipe are equal."""
        return isinstance(other, Group) and self.recipe() == other.recipe()

    def __hash__(self) -> int:
        """Hash of the recipe."""
        return hash(json.dumps(self.recipe(), sort_keys=True))

    def __repr__(self) -> str:
        """Name the class and its arguments."""
        arguments = ", ".join(f"{k}={v!r}" for k, v in self._parameters().items())
        return f"{type(self).__name__}({arguments})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return group_of, (self.recipe(), elsewhere(type(self)))

    def _both(self, rows: Any, elements: Any) -> tuple[Any, Any]:
        rows = _numbers("rows", rows)
        if rows.ndim != 2 or rows.shape[1] != self.n_inputs:
            raise ValueError(
                f"rows have shape {rows.shape} but {self!r} acts on (n, {self.n_inputs})"
            )
        if rows.dtype.kind != "f" and not self.moves_coordinates:
            rows = rows.astype(np.float64)  # whole numbers would truncate weights and images
        if elements is None:
            return rows, self.elements()
        elements = _numbers("elements", elements)
        if elements.ndim != 2 or elements.shape[1] == 0:
            raise ValueError(
                f"elements have shape {elements.shape}; give one a row, as group.elements() does"
            )
        return rows, elements


def _numbers(name: str, value: Any) -> Any:
    """Return real numbers as an array of NumPy, in their own dtype."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of several lengths, tensors on a device
        raise TypeError(f"{name} must be one array, whose rows have one length") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, but have dtype {array.dtype}")
    return array


class Subset(Group):
    """Some elements of a group, in a fixed order: a local neighbourhood, or a sample.

    Parameters
    ----------
    of : Group or recipe
        The group.
    elements : array, shape (r, k)
        Rows in the form of `of.elements()`; they may repeat.

    Raises
    ------
    ValueError
        If there are none, or they are not in the form of the group's elements.

    See Also
    --------
    Group.subset : Choose the elements.
    Group.drawn : Draw them.

    Examples
    --------
    >>> from mehler.features import groups
    >>> near = groups.CyclicShifts(20).subset([[-1], [0], [1]])
    >>> near.order, near.closed
    (3, False)
    """

    of: Group

    def __init__(self, of: Any, elements: Any) -> None:
        self.of = as_group(of)
        listed = _elements(elements)
        width = self.of.sample(1, np.random.default_rng(0)).shape[1]
        if listed.ndim != 2 or listed.shape[0] == 0 or listed.shape[1] != width:
            raise ValueError(
                f"elements have shape {listed.shape} but must have shape (r, {width}), as "
                f"{self.of!r} writes its elements, and r at least 1"
            )
        listed.setflags(write=False)
        self._kept = listed
        super().__init__(self.of.n_inputs, len(listed), orthogonal=self.of.orthogonal, closed=False)

    @property
    def moves_coordinates(self) -> bool:
        """Whether the group's elements do."""
        return self.of.moves_coordinates

    def _listed(self) -> Any:
        return self._kept

    def coordinates(self, elements: Any) -> tuple[Any, Any] | None:
        """Return index and sign of each coordinate, if the group has them."""
        return self.of.coordinates(elements)

    def _apply(self, rows: Any, elements: Any) -> Any:
        return self.of.apply(rows, elements)

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return self.of.transpose(rows, elements)

    def _parameters(self) -> dict[str, Any]:
        return {"of": self.of.recipe(), "elements": self._kept.tolist()}

    def __repr__(self) -> str:
        """Name the group and how many elements are taken."""
        return f"<{self.order} elements of {self.of!r}>"


def from_recipe(recipe: dict[str, Any]) -> Group:
    """Make the group that ``group.recipe()`` describes.

    Parameters
    ----------
    recipe : dict
        Result of ``group.recipe()``.

    Returns
    -------
    Group
        An equal group.

    Raises
    ------
    ValueError
        If it names no group known to this version, or lacks an argument.

    See Also
    --------
    Group.recipe : Write the recipe.

    Examples
    --------
    >>> from mehler.features import groups
    >>> groups.from_recipe(groups.CyclicShifts(3).recipe())
    CyclicShifts(n_inputs=3, n_blocks=3)
    """
    made: Group = group_of(recipe)
    return made


def as_group(group: Any, name: str = "group") -> Group:
    """Return a group, or the group of a recipe."""
    if isinstance(group, Group):
        return group
    if isinstance(group, dict):
        try:
            return from_recipe(group)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name} is no recipe of a group: {error}") from error
    raise TypeError(
        f"{name}={group!r} must be a group of mehler.features.groups; for matrices or functions "
        "use groups.LinearMaps(...)"
    )


def _elements(elements: Any) -> Any:
    try:
        found = np.array(elements)
    except ValueError:  # rows of several lengths
        found = np.empty(0)
    if found.dtype.kind not in "iu":
        raise TypeError("elements must be a matrix of integers, as group.sample returns it")
    return found


def _act(group: Group, element: Any, X: Any) -> Any:
    return group.apply(X, element)[0]


def _count(order: int) -> str:
    return str(order) if order < 10**9 else f"about 10^{math.floor(math.log10(order))}"
