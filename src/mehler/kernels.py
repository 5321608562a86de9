"""Named kernels of float64 NumPy rows, by `make`, and variances of random features of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_choice, require_not_negative, require_positive, require_reals

__all__ = ["NAMES", "NamedKernel", "make"]

KernelName: TypeAlias = Literal[
    "rbf", "exp", "laplacian", "matern", "linear", "polynomial", "arc-cosine", "maxout",
    "collision", "skewed-chi2", "additive-chi2",
]  # fmt: skip
Matrix: TypeAlias = NDArray[np.float64]
OnPairs: TypeAlias = Callable[[Any, Any], Any]


def distances(x: Matrix, y: Matrix, metric: str = "euclidean") -> Matrix:
    """Return distances of rows, from differences, so that close rows do not cancel."""
    from scipy.spatial.distance import cdist

    return cdist(x, y, metric)


def polar(x: Matrix) -> tuple[Matrix, Matrix]:
    """Return lengths, shape (n, 1), and directions of rows, whose squares may overflow."""
    scale = np.ldexp(1.0, np.frexp(np.abs(x).max(axis=1, keepdims=True))[1] - 1)  # rounds nothing
    norms = np.linalg.norm(x / scale, axis=1, keepdims=True)
    return scale * norms, x / scale / np.where(norms > 0.0, norms, 1.0)


def lengths(x: Matrix, y: Matrix) -> Matrix:
    """|x| |y|, 0 at a row of zeros even if the other length is infinite."""
    left, right = polar(x)[0], polar(y)[0].T
    return np.multiply(left, right, out=np.zeros((len(x), len(y))), where=(left > 0) & (right > 0))


def angles(x: Matrix, y: Matrix) -> Matrix:
    """Return angles between rows, accurate to rounding at 0 and pi too; pi/2 to a row of zeros."""
    u, v = polar(x)[1], polar(y)[1]
    return 2.0 * np.arctan2(distances(u, v), distances(u, -v))


def matern(x: Matrix, y: Matrix, nu: float, length_scale: float) -> Matrix:
    """2^(1-nu) / Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |x - y| / length_scale, in logarithms."""
    from scipy.special import gammaln, kve

    # Beyond 2000 the kernel underflows for nu up to 50.
    s = np.minimum(math.sqrt(2.0 * nu) * distances(x, y) / length_scale, 2000.0)
    safe = np.where(s > 0.0, s, 1.0)
    bessel = kve(nu, safe)  # K_nu(s) e^s, infinite where s is small
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(bessel)
    # There, to rounding: 1 - s^2 / (4 (nu - 1)), or 1 for nu up to 1.
    near = 1.0 - s**2 / (4.0 * (nu - 1.0)) if nu > 1.0 else 1.0
    return np.where((s > 0.0) & np.isfinite(bessel), np.exp(log - safe), near)


def arc_cosine(x: Matrix, y: Matrix, order: int) -> Matrix:
    """|x|^n |y|^n J_n(theta) / pi."""
    from mehler.exact import activations

    half, length = 0.5 * angles(x, y), lengths(x, y)
    near, far = 2.0 * np.sin(half) ** 2, 2.0 * np.cos(half) ** 2
    shape = 2.0 * activations.arc_cosine(1.0 - near, near, far, order)
    return np.where(length > 0.0, length**order * shape, 0.0)


def maxout(x: Matrix, y: Matrix, q: int, name: str = "maxout_kernel") -> Matrix:
    """Kernel K_q, or chance kappa_q of equal codes, of `exact`'s function `name`; see `make`."""
    from mehler import exact

    return getattr(exact, name)(np.cos(angles(x, y)), q)


def skewed_chi2(x: Matrix, y: Matrix, skew: float, times: float = 1.0) -> Matrix:
    """Product over entries of 1 / cosh(times log((x + c) / (y + c)) / 2): Li et al.'s kernel."""
    total = np.zeros((x.shape[0], y.shape[0]))
    for u, v in zip(np.log(x + skew).T, np.log(y + skew).T):
        half = 0.5 * times * np.abs(u[:, None] - v)
        total -= half + np.log1p(np.exp(-2.0 * half)) - math.log(2.0)
    return np.exp(total)


def additive_chi2(x: Matrix, y: Matrix) -> Matrix:
    """Sum over entries of 2 x y / (x + y), 0 where both are 0."""
    total = np.zeros((x.shape[0], y.shape[0]))
    for a, b in zip(x.T[:, :, None], y.T[:, None, :]):
        less, more = np.minimum(a, b), np.maximum(a, b)
        # Of numbers whose sum is no float, too.
        total += less * (2.0 / (1.0 + less / np.where(more > 0.0, more, 1.0)))
    return total


@dataclass(frozen=True)
class Law:
    """A construction of m features, and V = m Var<phi(x), phi(y)>, (n, k), or a bound of it.

    `check_kernel` tests features by V. `independent`: each column of a draw is a sample of its own
    to it, independent of the others and of equal law; else a whole draw is one sample.
    """

    text: str
    variance: OnPairs = field(repr=False)
    independent: bool


def with_blocks(laws: Mapping[str, Law], spread: float = 3.0) -> dict[str, Law]:
    """Add blocks of d orthogonal w, which raise V by at most 1 + spread/(d + 1)."""

    def in_blocks(law: Law) -> Law:
        text = f"{law.text.replace('independent', 'in orthogonal blocks')}: an upper bound of V"
        return Law(text, lambda X, Y: law.variance(X, Y) * (1 + spread / (X.shape[1] + 1)), False)

    return {**laws, **{f"{name}-orthogonal": in_blocks(law) for name, law in laws.items()}}


def fourier_laws(k: OnPairs, twice: OnPairs, *, isotropic: bool) -> dict[str, Law]:
    """Return the laws of random Fourier features; `twice` is the kernel at 2 (x - y)."""

    def of_offset(X: Matrix, Y: Matrix) -> Matrix:
        return 1.0 + 0.5 * twice(X, Y) - k(X, Y) ** 2

    def of_pairs(X: Matrix, Y: Matrix) -> Matrix:
        return 1.0 + twice(X, Y) - 2.0 * k(X, Y) ** 2

    offset = Law("sqrt(2/m) cos(w.x + b), b uniform on a circle, independent", of_offset, True)
    pairs = Law("sqrt(2/m) (cos(w.x), sin(w.x)), w independent", of_pairs, False)
    laws = {"cos-offset": offset, "cos-sin": pairs}
    # Orthogonal blocks keep the kernel of an isotropic spectrum.
    return with_blocks(laws) if isotropic else laws


def exponential_laws(k: OnPairs, gamma: float) -> dict[str, Law]:
    """Return the laws of features of exp(gamma <x, y>), for rows scaled by sqrt(gamma)."""

    def square(X: Matrix, Y: Matrix) -> Matrix:
        return gamma * distances(X, Y, "sqeuclidean")

    def of_fourier(X: Matrix, Y: Matrix) -> Matrix:
        sizes = np.exp(gamma * ((X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1)[None, :]))
        return sizes * np.expm1(-square(X, Y)) ** 2

    def of_positive(X: Matrix, Y: Matrix) -> Matrix:
        return k(X, Y) ** 2 * np.expm1(square(X, -Y))

    def of_pairs(X: Matrix, Y: Matrix) -> Matrix:
        return k(X, Y) ** 2 * 4.0 * np.sinh(0.5 * square(X, -Y)) ** 2  # 2 (cosh s - 1), accurate

    positive = Law("exp(w.x - |x|^2/2) / sqrt(m), independent", of_positive, True)
    text = "exp(-|x|^2/2) (exp(w.x), exp(-w.x)) / sqrt(m), w independent"
    pairs = Law(text, of_pairs, False)
    wave = Law("sqrt(2/m) exp(|x|^2/2) (cos(w.x), sin(w.x)), w independent", of_fourier, False)
    rising = with_blocks({"positive": positive, "positive-pairs": pairs}, spread=0.0)
    return {**rising, **with_blocks({"cos-sin": wave})}


def projections_laws(k: OnPairs) -> dict[str, Law]:
    """Return the laws of random projections, features of the linear kernel."""

    def gaussian(X: Matrix, Y: Matrix) -> Matrix:
        return lengths(X, Y) ** 2 + k(X, Y) ** 2

    def of_signs(X: Matrix, Y: Matrix) -> Matrix:
        return gaussian(X, Y) - 2.0 * (X**2) @ (Y**2).T

    normal = Law("w.x / sqrt(m), w standard normal, independent", gaussian, True)
    signs = Law("w.x / sqrt(m), w of signs, independent", of_signs, True)
    return {**with_blocks({"gaussian": normal}), "signs": signs}


def sketches_laws(k: OnPairs, degree: int, gamma: float, coef0: float) -> dict[str, Law]:
    r"""Return the law of tensor sketches: two entries meet in one of m cells with chance 1/m.

    .. math:: V \le (2 a^2 + n - 2 s)^p - a^{2p}, \quad
              a = \sum_i |x_i y_i|, \ n = |x|^2 |y|^2, \ s = \sum_i x_i^2 y_i^2 .
    """

    def bound(X: Matrix, Y: Matrix) -> Matrix:
        # The constant coef0 acts as one more entry.
        left, right = (
            np.hstack([np.sqrt(gamma) * rows, np.full((len(rows), 1), np.sqrt(coef0))])
            for rows in (X, Y)
        )
        meets = (np.abs(left) @ np.abs(right).T) ** 2
        all_four = 2.0 * meets + lengths(left, right) ** 2 - 2.0 * (left**2) @ (right**2).T
        return all_four**degree - meets**degree

    return {"sketch": Law("tensor sketch of hashes and signs: an upper bound of V", bound, False)}


def rectified_laws(k: OnPairs, order: int) -> dict[str, Law]:
    """Return the laws of rectified powers, of k_n = 2 E (w.x)_+^n (w.y)_+^n."""
    text = "sqrt(2/m) max(0, w.x)^order, w standard normal, independent"
    variance = lambda X, Y: 2.0 * arc_cosine(X, Y, 2 * order) - k(X, Y) ** 2  # noqa: E731
    return with_blocks({"rectified": Law(text, variance, True)})


@dataclass(frozen=True)
class NamedKernel:
    """A kernel k(x, y) of rows, from :func:`make`.

    Parameters
    ----------
    name, parameters, latex
        As `make` takes them, with the formula.
    function : callable
        The kernel as a function of (X, Y) and the parameters.
    bandwidth : str
        The parameter that scales distances, which a diagnosis may find wrong; or "".
    nonnegative : bool
        Whether inputs must have no negative entries.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import kernels
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> kernels.make("rbf", gamma=0.5)(X, X).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    name: KernelName
    parameters: Mapping[str, float]
    latex: str
    function: Callable[..., Any] = field(repr=False)
    _length: Callable[..., float] = field(default=lambda *_: 1.0, repr=False)
    _laws: Callable[..., dict[str, Law]] = field(default=lambda k, *_: {}, repr=False)
    bandwidth: str = ""
    nonnegative: bool = False

    @property
    def length(self) -> float:
        """Length scale of the kernel, where it has one; else 1."""
        return float(self._length(*self.parameters.values()))

    @property
    def laws(self) -> dict[str, Law]:
        """Feature constructions of known variance; see `declarations`."""
        return self._laws(self, *self.parameters.values())

    def __call__(self, X: Matrix, Y: Matrix) -> Matrix:
        """Return the kernel of all rows of `X` with all rows of `Y`, shape (n, k)."""
        left, right = require_reals("X", X), require_reals("Y", Y)
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
            shapes = f"{left.shape} and {right.shape}"
            raise ValueError(f"X and Y, {shapes}, must be two equally wide matrices")
        if self.nonnegative and (left.min() < 0.0 or right.min() < 0.0):
            raise ValueError(f"{self}: inputs must not be negative; give data that are not")
        return self.function(left, right, *self.parameters.values())

    def __str__(self) -> str:
        """Return the name with its parameters."""
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({inside})" if inside else self.name

    def declarations(self, law: str) -> dict[str, Any]:
        """Return ``variance`` and ``independent_features``, options of `check_kernel`.

        Parameters
        ----------
        law : str
            A name in `laws`.

        Examples
        --------
        >>> from mehler import kernels
        >>> kernels.make("exp", gamma=1.0).declarations("positive")["independent_features"]
        True
        """
        if not isinstance(law, str) or law not in self.laws:
            choices = f"one of {', '.join(self.laws)}" if self.laws else "none is known"
            raise ValueError(f"law={law!r} is not known for the kernel {self.name}: {choices}")
        features = self.laws[law]
        return {"variance": features.variance, "independent_features": features.independent}

    def replace(self, **parameters: float) -> NamedKernel:
        """Return the kernel with some parameters replaced."""
        return make(self.name, **{**self.parameters, **parameters})


def _root(gamma: float) -> float:
    return 1.0 / math.sqrt(gamma)


# By name, at the defaults of the parameters.
# fmt: off
_NAMED: dict[str, NamedKernel] = {k.name: k for k in (
    NamedKernel(
        "rbf", {"gamma": 1.0}, r"k(x, y) = e^{-\gamma |x - y|^2}",
        lambda x, y, gamma: np.exp(-gamma * distances(x, y, "sqeuclidean")), _root,
        lambda k, gamma: fourier_laws(k, k.replace(gamma=4.0 * gamma), isotropic=True), "gamma"),
    NamedKernel(
        "exp", {"gamma": 1.0}, r"k(x, y) = e^{\gamma \langle x, y \rangle}",
        lambda x, y, gamma: np.exp(gamma * (x @ y.T)),
        lambda gamma: 0.5 * _root(gamma), exponential_laws, "gamma"),
    NamedKernel(
        "laplacian", {"gamma": 1.0}, r"k(x, y) = e^{-\gamma |x - y|_1}",
        lambda x, y, gamma: np.exp(-gamma * distances(x, y, "cityblock")),
        lambda gamma: 1.0 / gamma,
        lambda k, gamma: fourier_laws(k, k.replace(gamma=2.0 * gamma), isotropic=False),
        "gamma"),
    NamedKernel(
        "matern", {"nu": 1.5, "length_scale": 1.0},
        r"k(x, y) = \frac{2^{1-\nu}}{\Gamma(\nu)} s^\nu K_\nu(s), \quad "
        r"s = \sqrt{2\nu} |x - y| / \ell", matern, lambda nu, length_scale: length_scale,
        lambda k, nu, length_scale: fourier_laws(
            k, k.replace(length_scale=0.5 * length_scale), isotropic=True), "length_scale"),
    NamedKernel("linear", {}, r"k(x, y) = \langle x, y \rangle", lambda x, y: x @ y.T,
                _laws=projections_laws),
    NamedKernel(
        "polynomial", {"degree": 2, "gamma": 1.0, "coef0": 0.0},
        r"k(x, y) = (\gamma \langle x, y \rangle + c_0)^p",
        lambda x, y, degree, gamma, coef0: (gamma * (x @ y.T) + coef0) ** degree,
        lambda degree, gamma, coef0: _root(gamma), sketches_laws),
    NamedKernel("arc-cosine", {"order": 1}, r"k(x, y) = \frac{1}{\pi} |x|^n |y|^n J_n(\theta)",
                arc_cosine, _laws=rectified_laws),
    NamedKernel("maxout", {"q": 2}, r"k(x, y) = |x|\,|y|\, K_q(\rho)",
                lambda x, y, q: lengths(x, y) * maxout(x, y, q)),
    NamedKernel("collision", {"q": 2}, r"k(x, y) = \kappa_q(\rho)",
                lambda x, y, q: maxout(x, y, q, "collision_probability")),
    NamedKernel(
        "skewed-chi2", {"skew": 1.0},
        r"k(x, y) = \prod_i \frac{2 \sqrt{x_i + c} \sqrt{y_i + c}}{x_i + y_i + 2 c}",
        skewed_chi2, lambda skew: skew,
        # Frequencies act on log(x + skew).
        lambda k, c: fourier_laws(
            k, lambda X, Y: skewed_chi2(X, Y, c, times=2.0), isotropic=False),
        nonnegative=True),
    NamedKernel("additive-chi2", {}, r"k(x, y) = \sum_i \frac{2 x_i y_i}{x_i + y_i}",
                additive_chi2, nonnegative=True),
)}
# fmt: on
NAMES = tuple(_NAMED)


def _parameter(kernel: str, key: str, value: float) -> float:
    """Return a parameter of a kernel, within what that allows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"kernel {kernel}: {key}={value!r} must be a number")
    if key in ("degree", "q"):
        if value < 1 or value % 1 != 0:  # NaN, of an infinite one
            raise ValueError(f"{key}={value!r} must be a whole number of at least 1")
        return int(value)
    if key == "order":
        return int(require_choice(key, int(value) if value in (0, 1, 2) else value, (0, 1, 2)))
    if key == "coef0":  # k(x, x) is positive
        return require_not_negative(key, value)
    if key == "nu" and value > 50.0:
        raise ValueError(f"nu={value!r} is more than 50, where the kernel is the rbf: name that")
    return require_positive(key, value)


def make(name: KernelName, **parameters: float) -> NamedKernel:
    """Build a kernel (X, Y) -> (n, k) from its name; nearly equal rows lose no digits.

    - ``rbf``, ``laplacian``: exp(-gamma d^2), d Euclidean, exp(-gamma d), d in L1; gamma = 1
    - ``exp``: exp(gamma <x, y>), of softmax attention with gamma = 1/sqrt(d); gamma = 1
    - ``matern``: Matern of smoothness nu at distance over length_scale; nu = 1.5, length_scale = 1
    - ``linear``: the inner product
    - ``polynomial``: (gamma <x, y> + coef0)^degree; degree = 2, gamma = 1, coef0 = 0
    - ``arc-cosine``: Cho and Saul's, of order 0, 1 or 2; order = 1
    - ``maxout``: |x| |y| K_q(rho), the mean product of two maxima of q normal projections; q = 2
    - ``collision``: kappa_q(rho), the chance of equal codes, places of those maxima; q = 2
    - ``skewed-chi2``: prod 2 sqrt(u v)/(u + v), u = x + skew; skew = 1
    - ``additive-chi2``: sum 2 x y/(x + y)

    Parameters
    ----------
    name : str
        One of the names above.
    **parameters : float
        Parameters of the kernel; defaults are listed above.

    References
    ----------
    Cho, Saul (2009), eqs. 3 to 7 (arc-cosine, with 1/pi); Rasmussen, Williams (2006), eq. 4.14.

    Examples
    --------
    >>> str(make("matern", nu=2.5))
    'matern(nu=2.5, length_scale=1)'
    """
    if not isinstance(name, str) or name not in _NAMED:
        names = f"one of {', '.join(NAMES)}, or MODULE:FUNCTION"
        raise ValueError(f"kernel={name!r} is not known: {names}")
    defaults = _NAMED[name].parameters
    for key in parameters:
        if key not in defaults:
            takes = f"it takes {', '.join(defaults) or 'none'}"
            raise ValueError(f"kernel {name} has no parameter {key!r}: {takes}")
    values = {key: _parameter(name, key, x) for key, x in {**defaults, **parameters}.items()}
    return replace(_NAMED[name], parameters=values)
