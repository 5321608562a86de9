"""Named spectra and their parameters."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mehler.features.spectra._gaussian import Gaussian
from mehler.features.spectra._laplacian import Laplacian
from mehler.features.spectra._matern import Matern
from mehler.features.spectra._spectrum import Spectrum

NAMED: dict[str, Any] = {one.name: one for one in (Gaussian, Laplacian, Matern)}


def spectrum_of(kernel: Any, **given: float | None) -> Spectrum:
    """Return the spectrum of a name and its parameters, or the given one.

    Raises
    ------
    TypeError, ValueError
        An unknown name; a parameter of another kernel, or out of range.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    if isinstance(kernel, Spectrum):
        for name in chosen:
            raise ValueError(f"the spectrum {kernel.name!r} has its parameters: leave {name} out")
        return kernel
    if not isinstance(kernel, str) or kernel not in NAMED:
        raise ValueError(
            f"kernel={kernel!r} is not one of {', '.join(map(repr, NAMED))}, nor a Spectrum"
        )
    takes = [field.name for field in fields(NAMED[kernel])]
    for name in chosen:
        if name not in takes:
            raise ValueError(f"kernel={kernel!r} has no {name}: it takes {' and '.join(takes)}")
    spectrum: Spectrum = NAMED[kernel](**chosen)
    return spectrum


def is_named(spectrum: Spectrum) -> bool:
    """Whether name and parameters make the same spectrum again."""
    return NAMED.get(spectrum.name) is type(spectrum)
