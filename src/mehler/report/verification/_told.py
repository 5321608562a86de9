"""Declarations about a map for its checks, and their source; fewer of them cost more features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mehler.report.target._known_transformers import declared_for
from mehler.report.target._target import Target
from mehler.verify.kernels import NamedKernel

_NOTHING = "nothing: draws from different seeds are taken to be independent, variance is measured"


@dataclass(frozen=True)
class Told:
    """Options of `check_kernel`, and a sentence on their source."""

    options: dict[str, Any]
    words: str

    @property
    def columns_are_samples(self) -> bool:
        """Whether one draw is enough for a statement about the mean."""
        return bool(self.options.get("independent_features"))


def told(
    target: Target,
    kernel: Any,
    law: str | None,
    bounds: tuple[float, float] | None,
    independent: bool,
) -> Told:
    """Return the declarations about a map, the user's first, else known ones.

    Raises ValueError for a `law` that the kernel lacks, that comes with another declaration, or
    that needs many draws of a fixed map.
    """
    if law is not None:
        return _by_law(target, kernel, law, bounds is not None or independent)
    if bounds is not None or independent:
        given = ["--bounds"] * (bounds is not None) + ["--independent-features"] * independent
        return Told(
            {"bounds": bounds, "independent_features": independent}, f"by {' and '.join(given)}"
        )
    known = declared_for(target.factory, kernel)
    if known is None:
        return Told({}, _NOTHING)
    what = "the exact variance of their products" if known.variance else "their products' range"
    words = f"that features are independent and alike, and {what}"
    if not known.independent:
        words = "a bound of the variance of a draw"
    return Told(
        {
            "bounds": known.bounds,
            "variance": known.variance,
            "independent_features": known.independent,
        },
        f"{words} ({known.why})",
    )


def _by_law(target: Target, kernel: Any, law: str, more: bool) -> Told:
    if more:
        raise ValueError(f"law={law!r} says it all: leave bounds and independent_features out")
    if not isinstance(kernel, NamedKernel):
        raise ValueError(f"law={law!r} belongs to a kernel with a name: give one, or --bounds")
    options = kernel.told(law)
    if not (target.random or options["independent_features"]):
        raise ValueError(
            f"law={law!r} speaks of many draws, but {target.name} is {target.assumed}: name a "
            "function seed -> map"
        )
    return Told(options, f"by --law {law}: m features {kernel.laws[law].text}")
