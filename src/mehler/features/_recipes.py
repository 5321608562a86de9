"""Recipes: small JSON-able dicts that name a class and its arguments, and what is made of them."""

from __future__ import annotations

import inspect
from typing import Any


class Registry:
    """Classes by name; each enters itself when it is defined, so that none is listed by hand.

    Parameters
    ----------
    what : str
        What they are, for messages; also the key of a recipe that holds the name.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._classes: dict[str, type] = {}

    def add(self, cls: type) -> None:
        """Enter a class; a class of the user's must not take the name of one of ours."""
        known = self._classes.get(cls.__name__, cls)
        ours = known.__module__.startswith("mehler.")
        if ours and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"a {self._what} is already named {cls.__name__}: take another name")
        self._classes[cls.__name__] = cls

    @property
    def names(self) -> list[str]:
        """Names of the classes that can be made, sorted."""
        return sorted(
            name
            for name, cls in self._classes.items()
            if not (name.startswith("_") or inspect.isabstract(cls))
        )

    def make(self, recipe: dict[str, Any], **options: Any) -> Any:
        """Call the class that a recipe names with its arguments, and with options beside them.

        Raises
        ------
        ValueError
            If the recipe names none, or its arguments do not fit.
        """
        arguments = dict(recipe)
        name = arguments.pop(self._what, None)
        if name not in self.names:
            raise ValueError(
                f"recipe names the {self._what} {name!r}; this version knows {self.names}"
            )
        arguments.pop("mehler", None)
        try:
            return self._classes[name](**arguments, **options)
        except TypeError as error:
            raise ValueError(f"recipe of {name} does not fit: {error}") from error


MAPS = Registry("map")
GROUPS = Registry("group")


def map_of(recipe: dict[str, Any], like: Any = None) -> Any:
    """Draw the map of a recipe; a function, so that pickles of maps can name it."""
    return MAPS.make(recipe, like=like)


def group_of(recipe: dict[str, Any]) -> Any:
    """Make the group of a recipe; a function, so that pickles of groups can name it."""
    return GROUPS.make(recipe)
