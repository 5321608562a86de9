"""The arguments that name a kernel of Fourier features."""

from __future__ import annotations

import math
from typing import Any

from mehler.features import _spectra

_TAKES = {
    "gaussian": {"gamma": 1.0},
    "laplacian": {"gamma": 1.0},
    "matern": {"smoothness": 1.5, "length": 1.0},
}
_SPECTRA: dict[str, Any] = {
    one.name: one for one in (_spectra.Gaussian, _spectra.Laplacian, _spectra.Matern)
}
# Beyond it the Matern kernel is the Gaussian one to what anybody can measure.
_SMOOTHEST = 50.0


def spectrum_of(kernel: Any, **given: float | None) -> _spectra.Spectrum:
    """Return the spectrum of a kernel; ValueError for arguments that are another kernel's."""
    if not isinstance(kernel, str) or kernel not in _TAKES:
        raise ValueError(f"kernel={kernel!r} is not one of {', '.join(map(repr, _TAKES))}")
    takes = _TAKES[kernel]
    for name, value in given.items():
        if value is not None and name not in takes:
            raise ValueError(f"kernel={kernel!r} has no {name}: it takes {' and '.join(takes)}")
    chosen = {}
    for name, default in takes.items():
        value = given[name]
        chosen[name] = default if value is None else _positive(name, value)
    if chosen.get("smoothness", 0.0) > _SMOOTHEST:
        raise ValueError(
            f"smoothness={chosen['smoothness']!r} is more than {_SMOOTHEST:g}, where the kernel "
            "is kernel='gaussian' with gamma = 1/(2 length^2): take that"
        )
    spectrum: _spectra.Spectrum = _SPECTRA[kernel](**chosen)
    return spectrum


def _positive(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    if isinstance(value, bool) or not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be positive and finite, not {value!r}")
    return number
