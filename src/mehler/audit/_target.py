"""Interpret MODULE:FACTORY as a way to draw maps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mehler._arrays import Array

# Names of the seed argument of a draw function; a single argument of another name is the rows.
_SEEDS = ("seed", "random_state", "rng", "key", "state")
_SIZES = ("n_features", "n_components", "m")
# Default number of features: their mean is nearly normal for most maps, and thousands of draws of
# a map without declarations stay cheap.
SIZE = 250


@dataclass(frozen=True)
class Target:
    """The map under verification.

    `assumed` says how the object was read; `draw` maps a seed, `resize` (seed, n_features) to a
    map; `random` is False for one fixed map.
    """

    name: str
    assumed: str
    draw: Callable[[int], Any]
    factory: Any
    resize: Callable[[int, int], Any] | None = None
    random: bool = True


def read_target(
    name: str, factory: Any, X: Array, *, n_features: int | None, arguments: Mapping[str, Any]
) -> Target:
    """Return the way to draw maps from an object, by its interface and signature.

    `factory` is a transformer class or instance, a class with ``draw``, a draw function seed ->
    map, a callable X -> Z, or a function without arguments that returns one of these; X is for
    fitting. Raises ValueError or TypeError for anything else, and for arguments that it does not
    take.
    """
    if n_features is not None and (isinstance(n_features, bool) or n_features < 1):
        raise ValueError(f"n_features={n_features!r} must be 1 or more")
    size = SIZE if n_features is None else n_features
    if inspect.isclass(factory) and callable(getattr(factory, "draw", None)):
        return _map_class(name, factory, X, size, arguments)
    if callable(getattr(factory, "transform", None)):
        return _transformer(name, factory, X, n_features, arguments)
    if inspect.isclass(factory) or not callable(factory):
        raise TypeError(
            f"{name} is {'a class' if inspect.isclass(factory) else type(factory).__name__} "
            "without transform and draw: name a transformer, a callable X -> Z, or a function "
            "seed -> map"
        )
    parameters = _parameters(factory)
    if parameters is not None:
        unknown = [key for key in arguments if key not in parameters and "kwargs" not in parameters]
        if unknown:
            raise ValueError(
                f"{name} takes no argument {unknown[0]!r}: it takes {', '.join(parameters)}"
            )
        free = [key for key in parameters if key not in arguments]
        if not [key for key in free if parameters[key]] and not set(_SEEDS) & set(free):
            inner = read_target(name, factory(**arguments), X, n_features=n_features, arguments={})
            words = f"a function without arguments, which returned {inner.assumed}"
            return replace(inner, assumed=words)
        if free and free[0] in _SEEDS:
            return _draw_function(name, factory, X, size, arguments, free)
    words = "a callable X -> Z: one fixed map, since its argument is not called seed"
    fixed = lambda seed: lambda rows: factory(rows, **arguments)  # noqa: E731
    return Target(name, words, fixed, factory, random=False)


def _transformer(
    name: str, factory: Any, X: Array, n_features: int | None, arguments: Mapping[str, Any]
) -> Target:
    if inspect.isclass(factory):
        parameters = _parameters(factory) or {}
        make: Callable[..., Any] = lambda **options: factory(**{**arguments, **options})  # noqa: E731
        kind, fixed_size = "a transformer class", "n_components" in arguments
    else:
        parameters = factory.get_params() if hasattr(factory, "get_params") else {}
        make = lambda **options: _clone(factory, {**arguments, **options})  # noqa: E731
        kind, fixed_size = "a transformer", n_features is None
    unknown = [key for key in arguments if key not in parameters]
    if unknown:
        raise ValueError(
            f"{name} takes no argument {unknown[0]!r}: it takes {', '.join(parameters)}"
        )
    seeded, sized = "random_state" in parameters, "n_components" in parameters
    size: dict[str, Any] = {}
    if sized and not fixed_size:
        size = {"n_components": SIZE if n_features is None else n_features}
    if not seeded:
        if not inspect.isclass(factory) and not parameters:
            fitted = as_map(factory, X)
        else:
            fitted = _fitted(make(**size), X)
        words = f"{kind} without random_state: one fixed map"
        return Target(name, words, lambda seed: fitted, factory, random=False)

    def resize(seed: int, m: int) -> Any:
        return _fitted(make(random_state=seed, n_components=m), X)

    words = f"{kind}, made anew with each random_state"
    words += f" and n_components={size['n_components']}" if size else ""
    words += ", and fitted on the inputs"
    draw = lambda seed: _fitted(make(random_state=seed, **size), X)  # noqa: E731
    return Target(name, words, draw, factory, resize if sized else None)


def _map_class(
    name: str, factory: Any, X: Array, size: int, arguments: Mapping[str, Any]
) -> Target:
    def resize(seed: int, m: int) -> Any:
        return factory.draw(X.shape[1], m, seed=seed, **arguments)

    words = f"a class with draw(n_inputs, n_features={size}, seed=...)"
    return Target(name, words, lambda seed: resize(seed, size), factory, resize)


def _draw_function(
    name: str, factory: Any, X: Array, size: int, arguments: Mapping[str, Any], free: list[str]
) -> Target:
    sized = next((key for key in free[1:] if key in _SIZES), None)
    resize = None
    if sized is not None:

        def resize(seed: int, m: int) -> Any:
            return as_map(factory(seed, **{sized: m}, **arguments), X)

    def draw(seed: int) -> Any:
        return as_map(factory(seed, **arguments), X) if resize is None else resize(seed, size)

    words = f"a draw function {free[0]} -> map" + (f", with {sized}={size}" if sized else "")
    return Target(name, words, draw, factory, resize)


def as_map(value: Any, X: Array) -> Any:
    """Return the map X -> Z of a callable or a transformer, fitting it if necessary."""
    if callable(value):
        return value
    if not callable(getattr(value, "transform", None)):
        raise TypeError(
            f"the draw function returned {type(value).__name__}: it must return a callable "
            "X -> Z or a transformer"
        )
    try:
        value.transform(X)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        return _fitted(value, X)
    return value.transform


def _fitted(transformer: Any, X: Array) -> Any:
    return transformer.fit(X).transform


def _clone(instance: Any, options: Mapping[str, Any]) -> Any:
    return type(instance)(**{**instance.get_params(deep=False), **options})


def _parameters(function: Any) -> dict[str, bool] | None:
    """Return each parameter's name, and whether it is required."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return {p.name: p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in parameters}
