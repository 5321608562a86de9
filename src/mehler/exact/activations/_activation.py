"""Activations: the function a of random features a(<w, x> + b), with its known closed forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_function, require_instance, require_integer
from mehler.exact.activations import _closed, _series
from mehler.exact.activations._closed import Pairs, Projected, Sides, Wave, Waves, pairs_of

Function = Callable[[Any, Array], Array]
Moment = tuple[Array, Array]  # values, and bounds of their errors
Kernel = Callable[[Pairs, int], Moment | None]

_ROUNDINGS = 64.0  # error of a closed form, in eps of its value at equal rows
# Points and pairs at which what an activation declares is compared with its function; the series
# would be slow at the ends.
_POSITIVE = np.array([0.25, 0.7, 3.0, 64.0])
_ANGLES = np.array([-7.3, -2.0, -0.6, 0.0, 0.1, 1.0, 2.9, 5.7])
_SMOOTH = np.array([-3.3, -1.1, -0.3, 0.2, 0.9, 2.7])
_PAIRS = pairs_of(
    np.array([-0.7, 0.0, 0.4, 0.6]), np.array([0.6, 1.0, 1.0, 1.7]), np.array([0.6, 1.7, 1.0, 0.6])
)


@dataclass(frozen=True)
class Activation:
    r"""A function of one projection t = <w, x> + b, with its known closed forms.

    Only `function` is required: kernel and variance then follow from Mehler's series, with a stated
    error. The other fields enable closed forms and the distribution; each is checked against the
    function at a few points, and nothing is guessed from the name.

    Attributes
    ----------
    name : str
        Name in messages; ``""`` for a user's function.
    function : callable
        ``function(xp, t)``, elementwise, in the namespace ``xp`` of ``t``.
    degree : int or None
        The degree of a homogeneous function, a(c t) = c^degree a(t) for c > 0. Then a(-1), a(0) and
        a(1) determine it, and its kernels are arc-cosine kernels.
    waves : tuple of (int, complex)
        Frequencies and coefficients of :math:`a(t) = \sum_f c_f e^{ift}`; empty if there are none.
    kernel : callable, optional
        ``kernel(pairs, power)``: a closed form of :math:`E\,a(u)^pa(v)^p`, u and v the projections
        of a pair of rows, and its error, two arrays in the namespace of the pairs, or None for a
        power without one. `degree` and `waves` take precedence.
    derivative : callable or Activation, optional
        ``derivative(xp, t)``, or an activation with closed forms of its own: for tangent kernels
        (:class:`mehler.DeepKernel`), of functions without jumps. `waves` and `degree` go first.

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
    waves: Waves = ()
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

    def __call__(self, xp: ModuleType, t: Array) -> Array:
        """Evaluate at an array `t` of projections, of the namespace `xp`."""
        return self.function(xp, t)

    def on_host(self, t: NDArray[np.float64]) -> Any:
        """Evaluate at a NumPy array of projections."""
        return self.function(np, t)

    @property
    def title(self) -> str:
        """Name in messages."""
        return f"the activation {self.name!r}" if self.name else "an activation of your own"

    def _require(self, what: str, at: Any, claims: Any, tolerance: Any, values: Any) -> None:
        """Raise ValueError if the `values` of the function differ from the declared ones."""
        values, claims = np.asarray(values, dtype=np.float64), np.asarray(claims)
        wrong = np.flatnonzero(np.abs(values - claims) > tolerance)
        if wrong.size:
            i = int(wrong[0])
            raise ValueError(
                f"{self.title} declares a {what} that does not fit its function: {claims[i]:.6g} "
                f"for {values[i]:.6g} at {at[i]}: correct it, or leave it out"
            )

    @functools.cached_property
    def _sides(self) -> Sides:
        degree = self.degree or 0
        right, left, centre = np.asarray(self.on_host(np.array([1.0, -1.0, 0.0])), dtype=np.float64)
        at = np.concatenate([_POSITIVE, -_POSITIVE, [0.0]])
        claims = np.repeat([right, left], _POSITIVE.size) * np.abs(at[:-1]) ** degree
        claims = np.append(claims, 0.0 if degree else centre)
        self._require("degree", at, claims, 1e-12 * np.abs(claims), self.on_host(at))
        return Sides(degree, float(right), float(left), float(centre))

    def sides(self) -> Sides:
        """Return a homogeneous function on each side of 0; ValueError if it is not homogeneous."""
        if self.degree is None:
            raise ValueError(
                f"{self.title} declares no degree: give it one if a(c t) = c^degree a(t) for c > 0"
            )
        return self._sides

    def checked_waves(self) -> Waves:
        """Return the verified Fourier sum of the function; ValueError if it has none."""
        if not self.waves:
            waves = "a uniform phase is for sums of them, such as cos and sin; leave it out"
            raise ValueError(f"{self.title} declares no waves: {waves}")
        summed = sum((c * np.exp(1j * f * _ANGLES) for f, c in self.waves), 0.0 * _ANGLES)
        tolerance = 1e-12 * sum(abs(c) for _, c in self.waves)
        self._require("sum of waves", _ANGLES, summed, tolerance, self.on_host(_ANGLES))
        return self.waves

    @functools.cached_property
    def slope(self) -> Activation:
        """The derivative as an activation; ValueError if there is none, or none is declared."""
        name = f"{self.name}'" if self.name else ""
        if self.waves:
            waves, function = _closed.slope_of_waves(self.checked_waves())
            return Activation(name, function, waves=waves)
        if self.degree is not None:
            sides = self.sides()
            if self.degree > 0:
                return Activation(name, _closed.slope_of_sides(sides), degree=self.degree - 1)
            if not sides.right == sides.left == sides.centre:
                raise ValueError(
                    f"{self.title} jumps: the square of its derivative has no finite mean, and the "
                    "tangent kernel is infinite at equal rows; take nngp, or an activation without "
                    "jumps"
                )
            return Activation(name, lambda xp, t: 0.0 * t, degree=0)
        derivative = self.derivative
        if derivative is None:
            raise ValueError(
                f"{self.title} declares no derivative: give it one, "
                "mehler.exact.Activation(name, function, derivative=...)"
            )
        from scipy import differentiate

        slope = derivative if isinstance(derivative, Activation) else Activation(name, derivative)
        by_function = differentiate.derivative(
            lambda t: np.asarray(self.on_host(t), dtype=np.float64), _SMOOTH, initial_step=0.1
        )
        # The function may have lost digits; NaN, where it has no derivative, says nothing.
        tolerance = 1e-6 * (1 + abs(by_function.df)) + by_function.error
        self._require("derivative", _SMOOTH, slope.on_host(_SMOOTH), tolerance, by_function.df)
        return slope

    def moment(
        self, pairs: Pairs, power: int, *, uniform_phase: bool = False, cache: Any = None
    ) -> Moment:
        """Compute E a(u)^p a(v)^p of pairs, and an error bound, arrays of their shape.

        `uniform_phase` adds the same uniform phase to u and v; `cache` keeps what Mehler's series
        needs of this function and power from call to call.
        """
        power = require_integer("power", power)
        closed = self._closed(pairs, power, uniform_phase)
        if closed is not None:
            return closed
        place = _arrays.place_of(pairs.rho)
        what = f"the kernel of {self.title}, power {power}, by Mehler's series"
        _arrays.require_no_gradient(*pairs.parts, what=what)
        host = [np.asarray(_arrays.to_host(part), dtype=np.float64) for part in pairs.parts]
        value, error = self._series(power, *host, cache=cache)
        # Error from the rounding of the pairs.
        error = error + (pairs.eps if pairs.eps > _series.EPS else 0.0) * np.abs(value)
        value, error = (
            _arrays.from_host(np.asarray(part), place, pairs.rho.dtype) for part in (value, error)
        )
        return value, error

    def _series(self, power: int, *parts: Any, cache: Any = None) -> tuple[Any, Any]:
        return _series.pair_moment(
            lambda t: _series.evaluate(self.on_host, t) ** power, *parts, cache=cache
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
            moment = self.kernel(_PAIRS, power)
            if moment is not None:
                series, slack = self._series(power, *_PAIRS.parts)
                places = zip(_PAIRS.rho, _PAIRS.x_scale, _PAIRS.y_scale)
                at = [f"a correlation of {r:g}, scales of {x:g} and {y:g}" for r, x, y in places]
                self._require("kernel", at, moment[0], moment[1] + slack, series)
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
        if self.degree is not None and not self.waves:
            law = self.sides().cdf(t, scale, projected)
        else:
            law = _closed.wave_cdf(self._wave(), t, scale, projected)
        # A scale of 0 is the constant a(0).
        constant = float(np.asarray(self.on_host(np.zeros(1)), dtype=np.float64)[0])
        return np.where(scale > 0.0, law, constant <= t)

    def phase_cdf(self, t: Any) -> Any:
        """Compute P(a(p) <= t) on the host for a uniform phase added to p, whatever p is."""
        return _closed.phase_cdf(self._wave(), t)

    def _wave(self) -> Wave:
        wave = _closed.single_wave(self.checked_waves()) if self.waves else None
        if wave is None:
            give = "give it a degree, or waves of one frequency"
            raise ValueError(f"{self.title} has no known distribution: {give}")
        return wave
