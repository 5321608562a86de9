"""Classes by their arguments: recipes as JSON-able dicts, and refusals of calls that do not fit."""

from __future__ import annotations

import difflib
import inspect
import re
from abc import ABCMeta
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from mehler._arrays import Array
from mehler._version import __version__

# Kinds that went: the last version that drew them, and what takes their place.
REMOVED = {
    "TangentFeatures": ("0.3.0", "import mehler.proofs_checks.experiments.depth, which has it"),
    "halton": ("0.3.0", "take 'sobol'"),
    "SteerableRotations": (
        "0.3.0",
        "import mehler.proofs_checks.group_invariant.image_rotations, which has it",
    ),
    **dict.fromkeys(
        ("ImageRotations", "TimeWarps", "PitchShifts"),
        ("0.3.0", "take LinearMaps of matrices that interpolate"),
    ),
}


def require_kept(what: str, name: object) -> None:
    """Raise ValueError for a kind that an earlier version had, and name that version."""
    if isinstance(name, str) and name in REMOVED:
        version, instead = REMOVED[name]
        raise ValueError(
            f"the {what} {name!r} went after mehler {version}, which draws it: {instead}"
        )


class Registry:
    """Classes by name, each registered when it is defined.

    `what` names them in messages; it is also the key of the class name in a recipe.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._classes: dict[str, type] = {}
        self._twice: set[str] = set()

    def add(self, cls: type) -> None:
        """Register a class; a user's class must not take the name of one of ours."""
        known = self._classes.get(cls.__name__, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            if elsewhere(known) is None:
                raise TypeError(
                    f"a {self._what} is already named {cls.__name__}: take another name"
                )
            self._twice.add(cls.__name__)
        self._classes[cls.__name__] = cls

    @property
    def classes(self) -> list[type]:
        """All classes that are registered now."""
        return list(self._classes.values())

    @property
    def names(self) -> list[str]:
        """Sorted names of the classes that can be made."""
        return sorted(
            name
            for name, cls in list(self._classes.items())
            if not (name.startswith("_") or inspect.isabstract(cls))
        )

    def make(
        self,
        recipe: dict[str, Any],
        cls: type | None = None,
        max_bytes: int | None = None,
        **options: Any,
    ) -> Any:
        """Call the class that a recipe names with its arguments and further options.

        Raises ValueError if the recipe names none, its arguments do not fit, or ask for more than
        `max_bytes` of weights.
        """
        if not isinstance(recipe, Mapping):
            raise TypeError(f"recipe={recipe!r} must be a dict, as recipe() returns it")
        arguments = dict(recipe)
        name = arguments.pop(self._what, None)
        if cls is None and name not in self.names:
            require_kept(self._what, name)
            raise ValueError(
                f"recipe names the {self._what} {name!r}; this version knows {self.names}"
            )
        if cls is None and name in self._twice:
            raise ValueError(
                f"recipe names the {self._what} {name!r}, as two classes are called: rename one"
            )
        _require_known(arguments.pop("mehler", __version__))
        kind: Any = cls or self._classes[name]
        try:
            made = kind.__new__(kind, **arguments, **options)
            if max_bytes is not None:
                made._max_bytes = max_bytes
            kind.__init__(made, **arguments, **options)
            return made
        except TypeError as error:
            raise ValueError(f"recipe of {name} does not fit: {error}") from error


def _require_known(version: str) -> None:
    """Refuse recipes of a later version, whose classes may draw something else."""
    numbers = re.fullmatch(r"(\d+)\.(\d+)(\..*)?", version) if isinstance(version, str) else None
    if numbers is None:
        raise ValueError(f"recipe is of mehler {version!r}, which is no version")
    if (int(numbers[1]), int(numbers[2])) > tuple(map(int, __version__.split(".")[:2])):
        raise ValueError(f"recipe is of mehler {version}, this is {__version__}: update mehler")


MAPS = Registry("map")
GROUPS = Registry("group")


def elsewhere(cls: type) -> type | None:
    """Return a class that a pickle has to name: a user's, or an experiment's; else None."""
    module = cls.__module__
    ours = module.startswith("mehler.") and not module.startswith("mehler.proofs_checks.")
    return None if ours else cls


def map_of(
    recipe: dict[str, Any],
    like: Array | ModuleType | None = None,
    cls: type | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Draw the map of a recipe where an array is; a module function, for pickles of maps."""
    return MAPS.make(recipe, cls, max_bytes, like=like)


def written(name: str, value: Any) -> Any:
    """Return an argument in the form of recipes; ValueError for what JSON cannot hold."""
    if hasattr(value, "recipe"):
        return value.recipe()
    if callable(value) or isinstance(type(value), CalledByName):
        raise ValueError(
            f"a map drawn with {name}={value!r} has no recipe, since JSON cannot hold it: "
            "use a name, keep the call that draws it, or pickle the map"
        )
    return list(value) if isinstance(value, tuple) else value


def group_of(recipe: dict[str, Any], cls: type | None = None) -> Any:
    """Make the group of a recipe; a module function, for pickles of groups."""
    return GROUPS.make(recipe, cls)


def bandwidths(remedy: str) -> dict[str, str]:
    """Return what is said to whoever passes a bandwidth by the name that other libraries use."""
    return dict.fromkeys(("sigma", "bandwidth", "lengthscale", "scale"), remedy)


class CalledByName(ABCMeta):
    """The type of classes whose calls are refused by the names of their arguments."""

    # The call that messages name.
    _call: str = "{}"
    # Arguments that other libraries have, and what is said to whoever passes them.
    _instead: Mapping[str, str] = MappingProxyType({})

    # Type checkers would take the result of this call for the instance.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            try:
                return super().__call__(*args, **kwargs)
            except TypeError:
                _require_arguments(cls, args, kwargs)
                raise

        @property
        def __signature__(cls) -> inspect.Signature:
            whole = inspect.signature(cls.__init__)
            own = list(whole.parameters.values())[1:]
            return whole.replace(parameters=own, return_annotation=inspect.Signature.empty)


# What maps call otherwise than scikit-learn.
_OTHERWISE = {
    "random_state": "seed",
    "seed": "random_state",
    "n_components": "n_features",
    "n_features": "n_components",
}


def _require_arguments(cls: CalledByName, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise TypeError if arguments are missing, unknown, or too many."""
    takes = inspect.signature(cls).parameters
    if any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in takes.values()):
        return
    call = cls._call.format(cls.__name__)
    positional = [n for n, each in takes.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    for name in kwargs:
        if name not in takes:
            near = [_OTHERWISE.get(name), *difflib.get_close_matches(name, takes, 1, 0.5)]
            other = next((each for each in near if each in takes), None)
            instead = cls._instead.get(name, f"did you mean {other}?" if other else "")
            raise TypeError(
                f"{call} takes no {name}: " + (instead or f"its arguments are {', '.join(takes)}")
            )
    if len(args) > len(positional):
        count = f"{len(positional)} by position" if positional else "no argument by position"
        first = ", ".join((count, *positional))
        raise TypeError(
            f"{call} takes {first}, but was given {len(args)} without a name: name the others"
        )
    names = {*positional[: len(args)], *kwargs}
    required = [name for name, each in takes.items() if each.default is each.empty]
    missing = [name for name in required if name not in names]
    if missing:
        listed = ", ".join(name if name in positional else f"{name}=..." for name in required)
        raise TypeError(f"{call} lacks {' and '.join(missing)}: {call}({listed})")
