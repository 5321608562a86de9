"""Activations: the function of a kitchen sink, with its known closed forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_function, require_instance, require_integer
from mehler.exact.activations import _closed, _declared, _series
from mehler.exact.activations._projections import Pairs, Projected, pairs_of

Function = Callable[[Any, _arrays.Array], _arrays.Array]
Moment = tuple[_arrays.Array, _arrays.Array]
Kernel = Callable[[Pairs, int], Moment | None]

# Error of a closed form, in eps of its value at equal rows.
_ROUNDINGS = 64.0
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Activation:
    r"""A function of one projection t = <w, x> + b, with its known closed forms.

    Only `function` is required: kernel and variance then follow from Mehler's series, with a stated
    error. The other fields enable closed forms and the distribution; nothing is guessed from the
    name.

    Attributes
    ----------
    name : str
        Name in messages; ``""`` for a user's function.
    function : callable
        ``function(xp, t)``, elementwise, in the namespace ``xp`` of ``t``.
    degree : int or None
        The degree of a homogeneous function, a(c t) = c^degree a(t) for c > 0. Then a(-1), a(0) and
        a(1) determine it, and its kernels are arc-cosine kernels. None if it is not homogeneous.
        Checked against the function.
    waves : tuple of (int, complex)
        Frequencies and coefficients of :math:`a(t) = \sum_f c_f e^{ift}`; empty if a is no such
        sum. Checked against the function.
    kernel : callable, optional
        ``kernel(pairs, power)``: a closed form of :math:`E\,a(u)^pa(v)^p` and its error, two
        arrays in the namespace of the pairs, or None for a power without one. `degree` and `waves`
        take precedence. Checked against the series at a few pairs.
    derivative : callable or Activation, optional
        ``derivative(xp, t)``, or an activation with closed forms of its own: for tangent kernels
        (:class:`mehler.DeepKernel`), of functions without jumps. `waves` and `degree` take
        precedence. Checked at a few points.

    Examples
    --------
    >>> from mehler.exact import activation_kernel
    >>> magnitude = Activation("abs", lambda xp, t: xp.abs(t), degree=1)
    >>> activation_kernel(magnitude, 1.0)
    1.0
    """

    name: str
    function: Function
    degree: int | None = None
    waves: _closed.Waves = ()
    kernel: Kernel | None = None
    derivative: Function | Activation | None = None
    # Powers whose closed form has been checked against the function, once: it takes milliseconds.
    _held: set[int] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_instance("name", self.name, str)
        whole = isinstance(self.degree, int | np.integer) and not isinstance(self.degree, bool)
        if self.degree is not None and (not whole or self.degree < 0):
            raise ValueError(
                f"degree={self.degree!r} must be a whole number of at least 0, or None"
            )
        for name in ("function", "kernel", "derivative"):
            require_function(name, getattr(self, name), optional=name != "function")

    def __call__(self, xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
        """Evaluate at an array `t` of projections, of the namespace `xp`."""
        return self.function(xp, t)

    def on_host(self, t: NDArray[np.float64]) -> Any:
        """Evaluate at a NumPy array of projections."""
        return self.function(np, t)

    @property
    def title(self) -> str:
        """Name in messages."""
        return f"the activation {self.name!r}" if self.name else "an activation of your own"

    def sides(self) -> _closed.Sides:
        """Return a homogeneous function on each side of 0; ValueError if it is not homogeneous."""
        if self.degree is None:
            raise ValueError(
                f"{self.title} carries no degree: give it one if a(c t) = c^degree a(t) for c > 0"
            )
        return _closed.sides(self.on_host, self.degree, self.name)

    @functools.cached_property
    def slope(self) -> Activation:
        """The derivative as an activation; ValueError if there is none, or none is declared."""
        name = f"{self.name}'" if self.name else ""
        if self.waves:
            waves, function = _declared.slope_of_waves(self.checked_waves())
            return Activation(name, function, waves=waves)
        if self.degree is not None:
            sides = self.sides()
            if self.degree > 0:
                return Activation(name, _declared.slope_of_sides(sides), degree=self.degree - 1)
            if not sides.right == sides.left == sides.centre:
                raise ValueError(
                    f"{self.title} jumps: the square of its derivative has no finite mean, and the "
                    "tangent kernel is infinite at equal rows; take nngp, or an activation without "
                    "jumps"
                )
            return Activation(name, lambda xp, t: 0.0 * t, degree=0)
        declared = self.derivative
        if declared is None:
            raise ValueError(
                f"{self.title} carries no derivative: give it one, "
                "mehler.exact.Activation(name, function, derivative=...)"
            )
        slope = declared if isinstance(declared, Activation) else Activation(name, declared)
        _declared.require_slope(self.on_host, slope.on_host, self.title)
        return slope

    def checked_waves(self) -> _closed.Waves:
        """Return the verified Fourier sum of the function; ValueError if it has none."""
        if not self.waves:
            waves = "a uniform phase is for sums of them, such as cos and sin; leave it out"
            raise ValueError(f"{self.title} carries no waves: {waves}")
        _closed.require_waves(self.on_host, self.waves, self.name)
        return self.waves

    def moment(
        self, pairs: Pairs, power: int, *, uniform_phase: bool = False, held: Any = None
    ) -> Moment:
        """Compute E a(u)^p a(v)^p of pairs, and an error bound, arrays of their shape.

        `uniform_phase` adds the same uniform phase to u and v; `held` keeps what Mehler's series
        needs of this function and power from call to call.
        """
        power = require_integer("power", power)
        closed = self._closed(pairs, power, uniform_phase)
        if closed is not None:
            return closed
        place = _arrays.place_of(pairs.rho)
        parts = (pairs.rho, pairs.near, pairs.far, pairs.x_scale, pairs.y_scale)
        _arrays.require_no_gradient(
            *parts, what=f"the kernel of {self.title}, power {power}, by Mehler's series"
        )
        host = [np.asarray(_arrays.to_host(part), dtype=np.float64) for part in parts]
        value, error = _series.pair_moment(
            lambda t: _series.evaluate(self.on_host, t) ** power, *host, held=held
        )
        # Error from the rounding of the pairs.
        error = error + (pairs.eps if pairs.eps > _EPS else 0.0) * np.abs(value)
        return (
            _arrays.from_host(np.asarray(value), place, pairs.rho.dtype),
            _arrays.from_host(np.asarray(error), place, pairs.rho.dtype),
        )

    def _closed(self, pairs: Pairs, power: int, uniform_phase: bool) -> Moment | None:
        """Compute the moment and its error by a closed form, or return None."""
        if self.waves or uniform_phase:
            waves = self.checked_waves()
            value, size = _closed.waves_moment(waves, power, pairs, uniform_phase=uniform_phase)
            return value, _ROUNDINGS * pairs.eps * size * pairs.xp.ones_like(value)
        if self.degree is not None and self.degree * power <= _closed.LARGEST_ORDER:
            value, size = self.sides().power(power).moment(pairs)
            return value, _ROUNDINGS * pairs.eps * size
        if self.kernel is None:
            return None
        if power not in self._held:
            _declared.require_kernel(self.on_host, self.kernel, power, self.title)
            self._held.add(power)
        return self.kernel(pairs, power)

    def has_closed_form(self, power: int = 1) -> bool:
        """Return whether :meth:`moment` is a closed form, rather than Mehler's series."""
        pairs = pairs_of(np.ones(()), np.ones(()), np.ones(()))
        return self._closed(pairs, require_integer("power", power), False) is not None

    def cdf(self, t: NDArray[np.float64], scale: NDArray[np.float64], projected: Projected) -> Any:
        """Compute P(a(p) <= t) on the host, for a projection p of symmetric law and some scale.

        ``projected(p, scale)`` is the distribution function of the projection; shapes broadcast.
        ValueError if neither degree nor waves determine it.
        """
        law: Any = None
        if self.waves:
            law = _closed.waves_cdf(self.checked_waves(), t, scale, projected)
        elif self.degree is not None:
            law = self.sides().cdf(t, scale, projected)
        if law is None:
            give = "give it a degree, or waves of one frequency"
            raise ValueError(f"{self.title} carries no distribution: {give}")
        # A scale of 0 is the constant a(0).
        constant = float(np.asarray(self.on_host(np.zeros(1)), dtype=np.float64)[0])
        return np.where(scale > 0.0, law, constant <= t)

    def phase_cdf(self, t: Any) -> Any:
        """Compute P(a(p) <= t) on the host for a uniform phase added to p, whatever p is."""
        law = _closed.waves_phase_cdf(self.checked_waves(), t)
        if law is None:
            raise ValueError(
                f"{self.title} carries no distribution: its waves have no one frequency"
            )
        return law
