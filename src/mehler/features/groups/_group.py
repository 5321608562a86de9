"""A group as data: its order, the action of an element on rows, and how elements are drawn."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._random import require_seed
from mehler._validate import require_instance, require_integer
from mehler.features._recipes import GROUPS, group_of, json_value
from mehler.features.groups._actions import Action

# Orders are exact integers, of some d log d digits for all permutations of d inputs.
MOST_INPUTS = 10**6
MOST_LISTED = 200_000  # elements that are listed and averaged over
MOST_SHUFFLED = 10**6  # elements that are shuffled whole for a draw without replacement

# (r, generator, with replacement or not) -> elements (r, k).
Draw: TypeAlias = Callable[[int, np.random.Generator, bool], Any]


class Group:
    """A finite, immutable list of linear maps of the coordinates, with equal weights.

    An element is a row of numbers (a shift, a permutation, signs); `elements` lists them. A family
    of groups is a subclass whose ``__init__`` fills these fields.

    Parameters
    ----------
    n_inputs : int
        Coordinates d.
    order : int
        Number of elements N.
    action : Action
        What elements do to rows.
    numbered : callable
        Numbers below N, shape (r,) -> elements (r, k); the identity first, if there is one.
    parameters : dict
        Arguments of the subclass, which its recipe holds; they become attributes.
    draw : callable, optional
        (r, generator, replacement) -> r uniform elements; default by their numbers.
    orthogonal : bool
        Whether every element preserves norms.
    closed : bool
        Whether it is a group, so that averages over all elements do not change when one of them
        acts on the data. Otherwise it is a list, such as small shifts.

    Attributes
    ----------
    element_size : int
        Numbers k of an element.

    Examples
    --------
    >>> from mehler.features import groups
    >>> shifts = groups.CyclicShifts(4)
    >>> shifts.order, shifts.closed, shifts.elements().ravel().tolist()
    (4, True, [0, 1, 2, 3])
    """

    n_inputs: int
    order: int
    action: Action
    numbered: Callable[[Any], Any]
    element_size: int
    orthogonal: bool
    closed: bool
    _draw: Draw
    _parameters: dict[str, Any]

    def __init__(
        self,
        n_inputs: int,
        order: int,
        action: Action,
        numbered: Callable[[Any], Any],
        parameters: dict[str, Any],
        *,
        draw: Draw | None = None,
        orthogonal: bool = True,
        closed: bool = True,
    ) -> None:
        draw = draw or functools.partial(_by_number, order, numbered)
        self.__dict__.update(
            parameters,
            n_inputs=require_integer("n_inputs", n_inputs, most=MOST_INPUTS),
            order=order,
            action=action,
            element_size=draw(1, np.random.default_rng(0), True).shape[1],
            orthogonal=orthogonal,
            closed=closed,
            numbered=numbered,
            _draw=draw,
            _parameters=parameters,
        )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        GROUPS.add(cls)  # so that recipes can name it

    def __setattr__(self, name: str, value: int) -> NoReturn:
        raise AttributeError(f"groups are immutable: make another one to change {name}")

    @property
    def moves_coordinates(self) -> bool:
        """Whether elements only permute coordinates and change signs."""
        return self.action.coordinates is not None

    def elements(self) -> Any:
        """Return all elements, at most 200,000, one a row: (order, k), the identity first."""
        if self.order > MOST_LISTED:
            digits = math.floor(math.log10(self.order))
            count = self.order if digits < 9 else f"about 10^{digits}"
            remedy = "too many to list; take some of them: group.drawn(100, seed=0)"
            raise ValueError(f"{self!r} has {count} elements, {remedy}")
        return self.numbered(np.arange(self.order))

    def sample(self, r: int, rng: np.random.Generator, *, replacement: bool = False) -> Any:
        """Draw r uniform elements, shape (r, k): independent ones, by default distinct ones."""
        r = require_integer("r", r)
        require_instance("rng", rng, np.random.Generator)
        if not replacement and r > self.order:
            raise ValueError(f"{self!r} has {self.order} elements, not r={r} distinct ones")
        return self._draw(r, rng, replacement)

    def apply(self, rows: Any, elements: Any = None) -> Any:
        """Apply elements (r, k), by default all, to rows (n, n_inputs) of NumPy: (r, n, n_inputs).

        Rows are real, such as templates.
        """
        return self.action.apply(self._rows(rows), self._elements(elements))

    def transpose(self, rows: Any, elements: Any = None) -> Any:
        """Apply the transposes of elements, as :meth:`apply`: <g t, x> = <t, transpose of g x>."""
        return self.action.transpose(self._rows(rows), self._elements(elements))

    @property
    def actions(self) -> tuple[Callable[[Any], Any], ...]:
        """The elements as functions of rows, X -> g X."""
        return tuple(functools.partial(_act, self, element[None]) for element in self.elements())

    def subset(self, elements: Any) -> Subset:
        """Return the list of some elements, rows (r, k) as of :meth:`elements`: small shifts."""
        return Subset(self, elements)

    def drawn(self, r: int, *, seed: int, replacement: bool = False) -> Subset:
        """Return a fixed list of r elements, drawn once, as by :meth:`sample`."""
        rng = np.random.Generator(np.random.Philox(require_seed(seed)))
        return self.subset(self.sample(r, rng, replacement=replacement))

    def recipe(self) -> dict[str, Any]:
        """Return a JSON-able dict that makes the same group: see `groups.from_recipe`."""
        return {
            "group": type(self).__name__,
            **{name: json_value(name, value) for name, value in self._parameters.items()},
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.recipe() == other.recipe()

    def __hash__(self) -> int:
        return hash(json.dumps(self.recipe(), sort_keys=True))

    def __repr__(self) -> str:
        pairs = {k: list(v) if isinstance(v, tuple) else v for k, v in self._parameters.items()}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in pairs.items())})"

    # Pickled, and read by skops, as a recipe: actions are functions without a name.
    def __getstate__(self) -> dict[str, Any]:
        return self.recipe()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(vars(GROUPS.make(state, type(self))))

    def _rows(self, rows: Any) -> Any:
        rows, d = _numbers("rows", rows), self.n_inputs
        if rows.ndim != 2 or rows.shape[1] != d:
            raise ValueError(f"rows have shape {rows.shape} but {self!r} acts on (n, {d})")
        if rows.dtype.kind != "f" and not self.moves_coordinates:
            return rows.astype(np.float64)  # whole numbers would truncate weights and images
        return rows

    def _elements(self, elements: Any) -> Any:
        if elements is None:
            return self.elements()
        elements = _numbers("elements", elements)
        if elements.ndim != 2 or elements.shape[1] != self.element_size:
            right = f"(r, {self.element_size}), one a row, as group.elements() writes them"
            raise ValueError(f"elements have shape {elements.shape} but must have shape {right}")
        return elements


def _by_number(
    order: int, numbered: Callable[[Any], Any], r: int, rng: np.random.Generator, replacement: bool
) -> Any:
    """Draw numbers of elements."""
    if replacement:
        return numbered(rng.integers(order, size=r))
    if order <= MOST_SHUFFLED:
        return numbered(rng.permutation(order)[:r])
    return numbered(rng.choice(order, size=r, replace=False))


def independent(sample: Callable[[int, np.random.Generator], Any]) -> Draw:
    """Return a draw of ``sample(n, rng)``, repeated for distinct elements until r differ."""

    def draw(r: int, rng: np.random.Generator, replacement: bool) -> Any:
        rows = sample(r, rng)
        while not replacement:
            _, first = np.unique(rows, axis=0, return_index=True)
            if first.size >= r:
                return rows[np.sort(first)[:r]]
            rows = np.concatenate([rows, sample(r, rng)])
        return rows

    return draw


class Subset(Group):
    """Some elements of a group, in a fixed order: a local neighbourhood, or a sample."""

    of: Group

    def __init__(self, of: Any, elements: Any) -> None:
        of = as_group(of)
        table = np.array(of._elements(elements))
        if len(table) == 0:
            raise ValueError("elements are none: give at least one row")
        table.setflags(write=False)
        flags = {"orthogonal": of.orthogonal, "closed": False}
        super().__init__(
            of.n_inputs, len(table), of.action, lambda n: table[n], {"of": of}, **flags
        )
        if self.action.coordinates and self.orthogonal:
            images = self.action.coordinates(table)
            complete = np.sort(images[0], axis=1) == np.arange(self.n_inputs)
            if not (complete.all() and (np.abs(images[1]) == 1).all()):
                raise ValueError(f"elements are not all elements of {of!r}")

    def recipe(self) -> dict[str, Any]:
        """Return the recipe of the group, and the elements."""
        return {**super().recipe(), "elements": self.elements().tolist()}

    def __repr__(self) -> str:
        return f"<{self.order} elements of {self.of!r}>"


def from_recipe(recipe: dict[str, Any]) -> Group:
    """Make the group that the dict ``group.recipe()`` describes: an equal one.

    Examples
    --------
    >>> from mehler.features import groups
    >>> groups.from_recipe(groups.CyclicShifts(3).recipe())
    CyclicShifts(n_inputs=3, n_blocks=3)
    """
    group: Group = group_of(recipe)
    return group


def as_group(group: object, name: str = "group") -> Group:
    """Return a group, or the group of a recipe."""
    if isinstance(group, Group):
        return group
    if isinstance(group, dict):
        try:
            return from_recipe(group)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name} is not the recipe of a group: {error}") from error
    remedy = "for matrices or functions use groups.LinearMaps(...)"
    raise TypeError(f"{name}={group!r} must be a group of mehler.features.groups; {remedy}")


def _numbers(name: str, value: object) -> Any:
    """Return real numbers as an array of NumPy, in their own dtype."""
    _arrays.require_unmasked(value, name)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # rows of several lengths, tensors on a device
        raise TypeError(
            f"{name} must be an array that NumPy reads, of rows of one length"
        ) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, but have dtype {array.dtype}")
    return array


def _act(group: Group, element: NDArray[np.number], X: NDArray[np.float64]) -> Any:
    return group.apply(X, element)[0]
