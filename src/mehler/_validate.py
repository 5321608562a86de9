"""Validate arguments before any work: TypeError for a type, ValueError for a value.

Functions take the argument's name, for the message, and its value; they return it converted.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np

# Half of it over a few thousand tests is still no subnormal number.
LEAST_PROBABILITY = 1e-300


def require_integer(name: str, value: Any, *, least: int = 1, most: int | None = None) -> int:
    """Return an integer in [least, most]; anything with ``__index__``, but no bool."""
    if _is_boolean(value):
        raise TypeError(f"{name}={shown(value)} must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        remedy = f"; use int({name}) if that is what you mean" if isinstance(value, Real) else ""
        raise TypeError(f"{name}={shown(value)} must be an integer{remedy}") from None
    if number < least:
        raise ValueError(f"{name}={shown(number)} must be at least {least}")
    if most is not None and number > most:
        raise ValueError(f"{name}={shown(number)} must be at most {most}")
    return number


def require_flag(name: str, value: object) -> bool:
    """Return True or False; a word for either, or a number, is refused."""
    return bool(_require_kind(name, value, "True or False", _is_boolean(value)))


def _require_kind(name: str, value: Any, words: str, good: bool) -> Any:
    if not good:
        raise TypeError(f"{name}={shown(value)} must be {words}")
    return value


def require_real(name: str, value: object) -> float:
    """Return a real number as a float; NaN and infinity pass."""
    if _is_boolean(value) or not isinstance(value, Real):
        if hasattr(value, "shape"):
            # float() would cut it off from the gradient that is often why it is one.
            raise TypeError(
                f"{name}={value!r} must be a real number, and takes no array: pass float({name}); "
                "to learn a bandwidth scale the rows, phi(X / bandwidth)"
            )
        raise TypeError(f"{name}={shown(value)} must be a real number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name}={shown(value)} must be a number that fits into a float") from None


def require_within(name: str, value: object, words: str, inside: Callable[[float], bool]) -> float:
    """Return a number that `inside` accepts; `words` say in the message which ones it does."""
    if inside(number := require_real(name, value)):
        return number
    raise ValueError(f"{name}={shown(value)} must be {words}")


def require_positive(name: str, value: object) -> float:
    """Return a finite number above 0."""
    return require_within(name, value, "positive and finite", lambda x: 0.0 < x < math.inf)


def require_not_negative(name: str, value: object) -> float:
    """Return a finite number of at least 0."""
    return require_within(name, value, "at least 0 and finite", lambda x: 0.0 <= x < math.inf)


def require_probability(name: str, value: object) -> float:
    """Return a number in the open interval (0, 1), safe to invert and to take the logarithm of."""
    words, least = "a probability between 0 and 1, both excluded", LEAST_PROBABILITY
    require_within(name, value, words, lambda x: 0.0 < x < 1.0)
    return require_within(name, value, f"at least {least:g}", lambda x: x >= least)


def require_choice(name: str, value: object, allowed: Iterable[Any]) -> Any:
    """Return a value that is one of a few."""
    listed = list(allowed)
    # Comparison with an array is an array, which has no truth.
    if not any(isinstance(value, type(each)) and value == each for each in listed):
        word = repr(value) if isinstance(value, str) else shown(value)
        raise ValueError(f"{name}={word} is not one of {', '.join(map(repr, listed))}")
    return value


def require_instance(name: str, value: object, *kinds: type) -> Any:
    """Return an object of one of these classes."""
    if not isinstance(value, kinds):
        kinds_text = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name} must be a {kinds_text}, not {shown(value)}")
    return value


def require_reals(name: str, value: object, *, finite: bool = True) -> np.ndarray:
    """Return real numbers of the host as an array of float64, whatever their shape."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: drop or fill the masked entries first")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of several lengths, tensors on a device
        raise TypeError(f"{name} must hold real numbers, not {shown(value)}") from None
    if array.dtype.kind not in "biuf":
        kind = f"not {shown(value)} with dtype {array.dtype}"
        raise TypeError(f"{name} must hold real numbers, {kind}")
    array = array.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity")
    return array


def require_mapping(name: str, value: object) -> dict[str, Any]:
    """Return a dict of named values; None is an empty one."""
    good = value is None or isinstance(value, Mapping)
    return dict(_require_kind(name, value, "a dict", good) or {})


def require_function(name: str, value: object, *, optional: bool = False) -> Any:
    """Return a function, or None if it is optional."""
    return _require_kind(name, value, "a function", callable(value) or (optional and value is None))


def require_text(name: str, value: object, *, default: str) -> str:
    """Return a str; None, and an empty one, stand for the default."""
    return _require_kind(name, value, "a str", value is None or isinstance(value, str)) or default


def require_iterable(name: str, value: object) -> tuple[Any, ...]:
    """Return several things as a tuple."""
    # An array of no dimension has the method, and no entries.
    scalar = isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0
    several = isinstance(value, Iterable) and not scalar
    return tuple(_require_kind(name, value, "several, as a list is", several))


def require_names(title: str, options: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise TypeError that lists the names, and the nearest of them, for an option of another."""
    for name in options:
        if name not in names:
            near = "".join(f"; {n} is the nearest" for n in get_close_matches(name, names, 1))
            raise TypeError(f"{title} has no argument {name}: it takes {', '.join(names)}{near}")


def with_known_keywords(function: Callable[..., None]) -> Any:
    """Return a constructor that refuses keywords which it does not have; itself if it has any."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return function
    names = {parameter.name: None for parameter in parameters}

    def refuse(self: object, *_: Any, **options: Any) -> None:
        require_names(f"{type(self).__name__}.draw", options, list(names))

    return functools.wraps(function)(
        lambda *args, **options: (function if options.keys() <= names.keys() else refuse)(
            *args, **options
        )
    )


def shown(value: object) -> str:
    """Return a value as text for a message, or its type if that is long."""
    # Python prints no integer of more than 4300 digits.
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of about {value.bit_length() * math.log10(2):.0f} digits"
    try:
        text = repr(value)
    except ValueError:  # a fraction of such
        text = "\n"
    return text if len(text) <= 40 and "\n" not in text else f"a {type(value).__name__}"


def _is_boolean(value: object) -> bool:
    """Return whether it is a bool of Python or NumPy, whose type was bool_ before version 2."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
