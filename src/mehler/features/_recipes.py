"""Recipes: dicts for JSON with the class of a map or group by name, and its arguments.

A map is a feature map phi, drawn: made with random weights from a seed. A group is one of
symmetries, which move rows. Their base classes add each subclass to `MAPS` or `GROUPS` as it is
defined; listeners, such as JAX's registry of trees, are told of it.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC
from collections.abc import Callable, Mapping
from numbers import Real
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from mehler._arrays import Array, Place
from mehler._version import __version__

# Kinds that mehler 0.3.0 was the last to draw.
REMOVED = (
    *("TangentFeatures", "halton", "DirectSum", "SteerableRotations"),
    *("ImageRotations", "TimeWarps", "PitchShifts"),
)

# 'orthogonal' in a recipe is of mehler 0.4.0 or before, which drew it by QR factorisations.
_PROJECTION_OF = {"orthogonal": "orthogonal-qr", "orthogonal-reflections": "orthogonal"}
_WORD_OF = {projection: word for word, projection in _PROJECTION_OF.items()}


def require_kept(what: str, name: object) -> None:
    """Raise ValueError for a kind that an earlier version had, and name that version."""
    if isinstance(name, str) and name in REMOVED:
        remedy = "CHANGELOG.md names its replacement"
        raise ValueError(f"the {what} {name!r} was removed after mehler 0.3.0: {remedy}")


class Registry:
    """Classes by name; `what` names them in messages, and is the key of the name in a recipe."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.classes: dict[str, type] = {}
        self.ambiguous: set[str] = set()
        self.listeners: list[Callable[[type], None]] = []

    def tell(self, listener: Callable[[type], None]) -> None:
        """Call a function with each class, those that are defined later too."""
        for cls in self.classes.values():
            listener(cls)
        self.listeners.append(listener)

    def add(self, cls: type) -> None:
        """Register a class; a user's class must not take the name of one of ours."""
        name = cls.__name__
        namesake = self.classes.get(name, cls)
        if (namesake.__module__, namesake.__qualname__) != (cls.__module__, cls.__qualname__):
            if pickled_class(namesake) is None:
                raise TypeError(f"a {self.what} is already named {name}: take another name")
            self.ambiguous.add(name)
        self.classes[name] = cls
        for listener in self.listeners:
            listener(cls)

    @property
    def names(self) -> list[str]:
        """Sorted names of the classes that can be made."""
        items = list(self.classes.items())
        return sorted(n for n, cls in items if n[0] != "_" and not inspect.isabstract(cls))

    def make(
        self,
        recipe: dict[str, Any],
        cls: type | None = None,
        max_bytes: int | None = None,
        **options: Any,
    ) -> Any:
        """Call the class that a recipe names with its arguments and further options."""
        if not isinstance(recipe, Mapping):
            raise TypeError(f"recipe={recipe!r} must be a dict, as recipe() returns it")
        arguments = dict(recipe)
        name = arguments.pop(self.what, None)
        if cls is None and (name not in self.names or name in self.ambiguous):
            require_kept(self.what, name)
            wrong = f"recipe names the {self.what} {name!r}"
            if name in self.ambiguous:
                raise ValueError(f"{wrong}, as two classes are called: rename one")
            raise ValueError(f"{wrong}; this version has {self.names}")
        _require_known(arguments.pop("mehler", __version__))
        if isinstance(word := arguments.get("projections"), str):
            arguments["projections"] = _PROJECTION_OF.get(word, word)
        kind: Any = cls or self.classes[name]
        instance = kind.__new__(kind)
        if max_bytes is not None:
            instance._max_bytes = max_bytes
        try:
            kind.__init__(instance, **arguments, **options)
        except TypeError as error:
            raise ValueError(f"recipe of {name} does not fit: {error}") from error
        return instance


def _require_known(version: str) -> None:
    """Refuse recipes of a later version, whose classes may draw something else."""
    numbers = re.fullmatch(r"(\d+)\.(\d+)(\..*)?", version) if isinstance(version, str) else None
    if numbers is None:
        raise ValueError(f"recipe is of mehler {version!r}, which is not a version number")
    if (int(numbers[1]), int(numbers[2])) > tuple(map(int, __version__.split(".")[:2])):
        raise ValueError(f"recipe is of mehler {version}, this is {__version__}: update mehler")


MAPS = Registry("map")
GROUPS = Registry("group")


def pickled_class(cls: type) -> type | None:
    """Return a class that a pickle has to name: a user's, or an experiment's; else None."""
    module = cls.__module__
    ours = module.startswith("mehler.") and not module.startswith("mehler.proofs_checks.")
    return None if ours else cls


# Functions of the module, for pickles.


def map_of(
    recipe: dict[str, Any],
    like: Array | ModuleType | None = None,
    cls: type | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Draw the map of a recipe where an array is."""
    return MAPS.make(recipe, cls, max_bytes, like=like)


def group_of(recipe: dict[str, Any], cls: type | None = None) -> Any:
    """Make the group of a recipe."""
    return GROUPS.make(recipe, cls)


def json_value(name: str, value: Any) -> Any:
    """Return an argument in the form of recipes; ValueError for what JSON cannot hold."""
    if hasattr(value, "recipe"):
        return value.recipe()
    if value is not None and not isinstance(value, str | Real | list | tuple | dict):
        raise ValueError(
            f"a map drawn with {name}={value!r} has no recipe, since JSON cannot hold it: "
            "use a name, keep the call that draws it, or pickle the map"
        )
    return list(value) if isinstance(value, tuple) else value


WeightsAre = Literal["drawn", "stacked", "trainable"]


class Written(ABC):
    """Recipe, pickling, copies on other devices, and ``repr``, from the arguments of a map."""

    # Arguments that a recipe leaves out at their default, since they came later, or say nothing.
    _later: ClassVar[tuple[str, ...]] = ("stored",)
    # Weights that are leaves of a tree are not those of the seed; trained ones of no draw at all.
    _weights_are: WeightsAre = "drawn"

    seed: int
    stored: bool
    dtype: str | None
    place: Place

    def to(self, like: object) -> Self:
        """Return the same map, bit for bit, with its weights where an array or a namespace is."""
        self._require_drawn("moved")
        cls: Any = type(self)
        return cls(**self._arguments(), like=like, dtype=self.dtype)

    def recipe(self) -> dict[str, Any]:
        """Return a small JSON-able dict that draws the same map again.

        With the same NumPy and SciPy, weights are the same bits on every array library and
        processor; for what linear algebra computes see :mod:`mehler.features.projections`.
        ValueError if the map was drawn with a function or a spectrum of your own.
        """
        return {name: json_value(name, value) for name, value in self._named_arguments().items()}

    def _named_arguments(self) -> dict[str, Any]:
        """Return the name of the class, the version, and the arguments as they are."""
        self._require_drawn("written down")
        arguments = {"map": type(self).__name__, "mehler": __version__, **self._arguments()}
        if isinstance(projection := arguments.get("projections"), str):
            arguments["projections"] = _WORD_OF.get(projection, projection)
        return {**arguments, "dtype": self.dtype}

    def _arguments(self) -> dict[str, Any]:
        """Return the constructor's arguments, from attributes of their names, the seed last."""
        attributes, arguments = vars(self), {}
        for name, parameter in inspect.signature(type(self)).parameters.items():
            if name in ("like", "dtype", "seed", "stored"):
                continue
            if name not in attributes and "_" + name not in attributes:
                raise AttributeError(
                    f"{type(self).__name__} keeps no {name}: its constructor must set self.{name}, "
                    "from which recipes and copies are made"
                )
            value = attributes.get(name, attributes.get("_" + name))
            if name not in self._later or value != parameter.default:
                arguments[name] = value
        # Omit the default so recipes from before `stored=` still compare equal.
        return {**arguments, "seed": self.seed, **({} if self.stored else {"stored": False})}

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        # Pickled as its arguments and its place, without weights; pickle names functions.
        return map_of, (self._named_arguments(), self.place.empty(), pickled_class(type(self)))

    # Maps are immutable: copies are the map itself, with its library, device and dtype.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self._arguments().items())
        suffix = "" if self._weights_are == "drawn" else f", with {self._weights_are} weights"
        return f"{type(self).__name__}.draw({arguments}) on {self.place.name}{suffix}"

    def _require_drawn(self, what: str) -> None:
        """Raise unless the weights are those of the seed."""
        if self._weights_are != "drawn":
            cause = "this map has weights that were given to it, and cannot be"
            raise ValueError(f"{cause} {what} by its seed {self.seed}: use the map that was drawn")
