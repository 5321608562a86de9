"""One of the two maps compared by check_same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mehler.verify.sampling._choose_source import choose_source
from mehler.verify.sampling._output import read
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import Source, estimate, estimate_and_lengths

T = TypeVar("T")


class Side:
    """A draw function with a name, so that errors tell which of the two maps is meant."""

    def __init__(self, name: str, draw: Callable[[int], Any]) -> None:
        if not callable(draw):
            raise TypeError(f"{name}={draw!r} must be callable: seed -> map")
        self.name, self._draw = name, draw
        self.m = 0
        self.eps = 0.0

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        return self._draw(seed)

    def features(self, phi: Any, pairs: Pairs) -> Any:
        """Return phi(X), checked for the width and dtype kind of the first draw."""
        z, eps = self._named(read, phi, pairs.left)
        if not self.m:
            self.m, self.eps = z.shape[1], eps
        return z

    def whole(self, phi: Any, pairs: Pairs) -> Any:
        """Return <phi(x), phi(y)> at the pairs."""
        return pairs.pick(self._named(estimate, phi, pairs, self.m))

    def whole_and_lengths(self, phi: Any, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Return <phi(x), phi(y)> at the pairs, and |phi|^2 of the rows of either side."""
        gram, left, right = self._named(estimate_and_lengths, phi, pairs, self.m)
        return pairs.pick(gram), left, right

    def source(self, phi: Any, pairs: Pairs, independent_features: bool) -> Source:
        """Return the samples that the map's declarations allow, in units of the pairs."""
        return self._named(choose_source, phi, pairs, independent_features)

    def _named(self, function: Callable[..., T], *args: Any) -> T:
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{self.name}: {error}") from error
