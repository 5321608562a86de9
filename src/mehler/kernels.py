"""Named kernels of float64 NumPy rows, as ``mehler verify --kernel`` takes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_positive, require_reals

__all__ = ["NAMES", "NamedKernel", "make"]

_OfVectors: TypeAlias = Literal["rbf", "laplacian", "matern", "exp", "linear", "polynomial"]
_OfAngles: TypeAlias = Literal["arc-cosine", "maxout", "collision"]
KernelName: TypeAlias = Literal[_OfVectors, _OfAngles, "skewed-chi2", "additive-chi2"]
Matrix: TypeAlias = NDArray[np.float64]
OnPairs: TypeAlias = Callable[[Any, Any], Any]


def distances(x: Matrix, y: Matrix, metric: str = "euclidean") -> Matrix:
    """Return distances of rows, from differences, so that close rows do not cancel."""
    from scipy.spatial.distance import cdist

    return cdist(x, y, metric)


def angles(x: Matrix, y: Matrix) -> Matrix:
    """Return angles between rows, accurate to rounding at 0 and pi too; pi/2 to a row of zeros."""
    lengths = (np.linalg.norm(rows, axis=1)[:, None] for rows in (x, y))
    u, v = (rows / np.where(size > 0.0, size, 1.0) for rows, size in zip((x, y), lengths))
    return 2.0 * np.arctan2(distances(u, v), distances(u, -v))


def rbf(x: Matrix, y: Matrix, gamma: float) -> Matrix:
    """exp(-gamma |x - y|^2)."""
    return np.exp(-gamma * distances(x, y, "sqeuclidean"))


def laplacian(x: Matrix, y: Matrix, gamma: float) -> Matrix:
    """exp(-gamma |x - y|_1)."""
    return np.exp(-gamma * distances(x, y, "cityblock"))


def matern(x: Matrix, y: Matrix, nu: float, length_scale: float) -> Matrix:
    """2^(1-nu) / Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |x - y| / length_scale, in logarithms."""
    from scipy.special import gammaln, kve

    # Beyond 2000 the kernel underflows for nu up to 50.
    s = np.minimum(math.sqrt(2.0 * nu) * distances(x, y) / length_scale, 2000.0)
    # kve(nu, s) = K_nu(s) e^s neither under- nor overflows where s does not vanish.
    safe = np.where(s > 1e-12, s, 1.0)
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > 1e-12, np.exp(log - safe), 1.0)


def linear(x: Matrix, y: Matrix) -> Matrix:
    """<x, y>."""
    return x @ y.T


def exponential(x: Matrix, y: Matrix, gamma: float) -> Matrix:
    """exp(gamma <x, y>)."""
    return np.exp(gamma * (x @ y.T))


def polynomial(x: Matrix, y: Matrix, degree: int, gamma: float, coef0: float) -> Matrix:
    """(gamma <x, y> + coef0)^degree."""
    return (gamma * (x @ y.T) + coef0) ** degree


def arc_cosine(x: Matrix, y: Matrix, order: int) -> Matrix:
    """|x|^n |y|^n J_n(theta) / pi, for n = 0, 1, 2 and 4."""
    theta = angles(x, y)
    sine, cosine = np.sin(theta), np.cos(theta)
    # The digits lost near pi are below the rounding of k(x, x), the unit of all checks.
    rest = np.pi - theta
    shape = {
        0: lambda: rest,
        1: lambda: sine + rest * cosine,
        2: lambda: 3.0 * sine * cosine + rest * (1.0 + 2.0 * cosine**2),
        4: lambda: (
            5.0 * sine * cosine * (11.0 + 10.0 * cosine**2)
            + rest * (9.0 + 72.0 * cosine**2 + 24.0 * cosine**4)
        ),
    }[order]()
    lengths = _lengths(x, y)
    return np.where(lengths > 0.0, lengths**order, 0.0) * shape / np.pi


def maxout(x: Matrix, y: Matrix, q: int) -> Matrix:
    """|x| |y| K_q(rho)."""
    from mehler import exact

    return _lengths(x, y) * exact.maxout_kernel(np.cos(angles(x, y)), q)


def collision(x: Matrix, y: Matrix, q: int) -> Matrix:
    """kappa_q(rho)."""
    from mehler import exact

    return exact.collision_probability(np.cos(angles(x, y)), q)


def skewed_chi2(x: Matrix, y: Matrix, skew: float) -> Matrix:
    """Product over entries of 1 / cosh(log((x + c) / (y + c)) / 2), which is Li et al.'s kernel."""
    left, right = np.log(x + skew), np.log(y + skew)
    total = np.zeros((x.shape[0], y.shape[0]))
    for i in range(x.shape[1]):
        half = 0.5 * np.abs(left[:, i, None] - right[None, :, i])
        total -= half + np.log1p(np.exp(-2.0 * half)) - math.log(2.0)
    return np.exp(total)


def additive_chi2(x: Matrix, y: Matrix) -> Matrix:
    """Sum over entries of 2 x y / (x + y), 0 where both are 0."""
    total = np.zeros((x.shape[0], y.shape[0]))
    for i in range(x.shape[1]):
        a, b = x[:, i, None], y[None, :, i]
        both = a + b
        total += np.divide(2.0 * a * b, both, out=np.zeros_like(both), where=both > 0.0)
    return total


def _lengths(x: Matrix, y: Matrix) -> Matrix:
    return np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)[None, :]


@dataclass(frozen=True)
class Law:
    """A way to make features, and the variance that follows.

    `text` describes the features; `variance` maps (X, Y) to V, shape (n, k), or an upper bound of
    it. `independent`: the columns of one draw are i.i.d. samples; else a whole draw is one sample.
    """

    text: str
    variance: OnPairs = field(repr=False)
    independent: bool


def fourier_laws(kernel: OnPairs, at_twice: OnPairs, *, isotropic: bool) -> Mapping[str, Law]:
    """Return the laws of random Fourier features; `at_twice` is the kernel at 2 (x - y).

    If the spectrum is `isotropic`, orthogonal blocks keep the kernel.
    """

    def offset(X: Matrix, Y: Matrix) -> Matrix:
        return 1.0 + 0.5 * at_twice(X, Y) - kernel(X, Y) ** 2

    def pairs(X: Matrix, Y: Matrix) -> Matrix:
        return 1.0 + at_twice(X, Y) - 2.0 * kernel(X, Y) ** 2

    laws = {
        "cos-offset": Law(
            "sqrt(2/m) cos(w.x + b), b uniform on a circle, independent", offset, True
        ),
        "cos-sin": Law("sqrt(2/m) (cos(w.x), sin(w.x)), w independent", pairs, False),
    }
    return {**laws, **_in_blocks(laws, _spread)} if isotropic else laws


def exponential_laws(kernel: OnPairs, gamma: float) -> Mapping[str, Law]:
    """Return the laws of features of exp(gamma <x, y>), for rows scaled by sqrt(gamma)."""

    def square(X: Matrix, Y: Matrix, sign: float) -> Matrix:
        # gamma |x + sign y|^2, from sums or differences of rows, without cancellation.
        return gamma * distances(X, -sign * Y, "sqeuclidean")

    def positive(X: Matrix, Y: Matrix) -> Matrix:
        return kernel(X, Y) ** 2 * np.expm1(square(X, Y, 1.0))

    def mirrored(X: Matrix, Y: Matrix) -> Matrix:
        # 2 (cosh s - 1) without cancellation.
        return kernel(X, Y) ** 2 * 4.0 * np.sinh(0.5 * square(X, Y, 1.0)) ** 2

    def waves(X: Matrix, Y: Matrix) -> Matrix:
        lengths = np.exp(gamma * ((X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1)[None, :]))
        return lengths * np.expm1(-square(X, Y, -1.0)) ** 2

    upwards = {
        "positive": Law("exp(w.x - |x|^2/2) / sqrt(m), independent", positive, True),
        "positive-pairs": Law(
            "exp(-|x|^2/2) (exp(w.x), exp(-w.x)) / sqrt(m), w independent", mirrored, False
        ),
    }
    both_ways = {
        "cos-sin": Law("sqrt(2/m) exp(|x|^2/2) (cos(w.x), sin(w.x)), w independent", waves, False)
    }
    return {
        **upwards,
        **_in_blocks(upwards, lambda variance: variance),
        **both_ways,
        **_in_blocks(both_ways, _spread),
    }


def projections_laws(kernel: OnPairs) -> Mapping[str, Law]:
    """Return the laws of random projections, features of the linear kernel."""

    def gaussian(X: Matrix, Y: Matrix) -> Matrix:
        return _lengths(X, Y) ** 2 + kernel(X, Y) ** 2

    def signs(X: Matrix, Y: Matrix) -> Matrix:
        return gaussian(X, Y) - 2.0 * (X**2) @ (Y**2).T

    laws = {"gaussian": Law("w.x / sqrt(m), w standard normal, independent", gaussian, True)}
    return {
        **laws,
        "signs": Law("w.x / sqrt(m), w of signs, independent", signs, True),
        **_in_blocks(laws, _spread),
    }


def sketches_laws(degree: int, gamma: float, coef0: float) -> Mapping[str, Law]:
    r"""Return the law of tensor sketches, features of polynomial kernels.

    The degree-fold tensor product of a row goes to m cells by a sum of independent hashes, with a
    product of signs. Two entries meet in a cell with chance 1/m; over signs and pairs of entries

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
        all_four = 2.0 * meets + _lengths(left, right) ** 2 - 2.0 * (left**2) @ (right**2).T
        return all_four**degree - meets**degree

    return {"sketch": Law("tensor sketch of hashes and signs: an upper bound of V", bound, False)}


def rectified_laws(kernel: OnPairs, squared: OnPairs) -> Mapping[str, Law]:
    """Return the laws of rectified powers, of k_n = 2 E (w.x)_+^n (w.y)_+^n; `squared` is k_2n."""
    laws = {
        "rectified": Law(
            "sqrt(2/m) max(0, w.x)^order, w standard normal, independent",
            lambda X, Y: 2.0 * squared(X, Y) - kernel(X, Y) ** 2,
            True,
        )
    }
    return {**laws, **_in_blocks(laws, _spread)}


def _in_blocks(laws: Mapping[str, Law], bound: Callable[[OnPairs], OnPairs]) -> dict[str, Law]:
    """Return the same laws with w in blocks of orthogonal directions."""
    return {
        f"{name}-orthogonal": Law(
            f"{law.text.replace('independent', 'in orthogonal blocks')}: an upper bound of V",
            bound(law.variance),
            False,
        )
        for name, law in laws.items()
    }


def _spread(variance: OnPairs) -> OnPairs:
    """Return (1 + 3/(d + 1)) V, a bound for any feature on blocks of d orthogonal directions."""
    return lambda X, Y: variance(X, Y) * (1.0 + 3.0 / (X.shape[1] + 1.0))


@dataclass(frozen=True, kw_only=True)
class NamedKernel:
    """A kernel k(x, y) with its name, parameters and feature laws.

    Parameters
    ----------
    name : str
        Name of the kernel, as `make` takes it.
    parameters : mapping of str to float
        Values of all parameters.
    latex : str
        The formula in LaTeX.
    function : callable
        The kernel as a function of (X, Y) and the parameters.
    length : float
        Length scale of the kernel, where it has one; else 1.
    metric : {"euclidean", "cityblock"}
        Metric of that length scale.
    bandwidth : str
        The parameter that scales distances, which a diagnosis may find wrong; empty if none.
    nonnegative : bool
        Whether inputs must have no negative entries.
    laws : mapping of str to Law
        Feature constructions of known variance; see `declarations`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import kernels
    >>> k = kernels.make("rbf", gamma=0.5)
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> k(X, X).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    >>> str(k.replace(gamma=1.0))
    'rbf(gamma=1)'
    """

    name: KernelName
    parameters: Mapping[str, float]
    latex: str
    function: Callable[..., Any] = field(repr=False)
    length: float = 1.0
    metric: Literal["euclidean", "cityblock"] = "euclidean"
    bandwidth: str = ""
    nonnegative: bool = False
    laws: Mapping[str, Law] = field(default_factory=dict, repr=False)

    def __call__(self, X: Matrix, Y: Matrix) -> Matrix:
        """Return the kernel of all rows of `X` with all rows of `Y`, shape (n, k)."""
        left, right = require_reals("X", X), require_reals("Y", Y)
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
            raise ValueError(
                f"X and Y, {left.shape} and {right.shape}, must be two equally wide matrices"
            )
        if self.nonnegative and (left.min() < 0.0 or right.min() < 0.0):
            raise ValueError(f"{self}: inputs must not be negative; give data that are not")
        return self.function(left, right, **self.parameters)

    def __str__(self) -> str:
        """Return the name with its parameters."""
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({inside})" if inside else self.name

    def declarations(self, law: str) -> dict[str, Any]:
        """Return the options that tell `check_kernel` the variance of features of a law.

        Parameters
        ----------
        law : str
            A name in `laws`.

        Returns
        -------
        dict
            ``variance`` and ``independent_features``, options of `check_kernel`.

        Examples
        --------
        Positive features of the exponential kernel, which makes the softmax of attention:

        >>> import numpy as np
        >>> from mehler import kernels
        >>> from mehler.verify import check_kernel
        >>> k = kernels.make("exp", gamma=1.0)
        >>> def draw(seed):
        ...     w = np.random.default_rng(seed).standard_normal((3, 2000))
        ...     return lambda X: np.exp(X @ w - 0.5 * (X**2).sum(1, keepdims=True)) / np.sqrt(2000)
        >>> X = 0.4 * np.random.default_rng(0).standard_normal((4, 3))
        >>> check_kernel(draw, k, X, resolution=0.1, **k.declarations("positive")).status
        'holds'
        """
        if not isinstance(law, str) or law not in self.laws:
            choices = f"one of {', '.join(self.laws)}" if self.laws else "none is known"
            raise ValueError(f"law={law!r} is not known for the kernel {self.name}: {choices}")
        features = self.laws[law]
        return {"variance": features.variance, "independent_features": features.independent}

    def replace(self, **parameters: float) -> NamedKernel:
        """Return the kernel with some parameters replaced."""
        return make(self.name, **{**self.parameters, **parameters})


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kernel before its parameters: what `NamedKernel` has of it, as functions of them."""

    function: Callable[..., Any]
    latex: str
    defaults: Mapping[str, float] = field(default_factory=dict)
    length: Callable[..., float] = lambda **_: 1.0
    laws: Callable[..., Mapping[str, Law]] = lambda k, **_: {}
    metric: Literal["euclidean", "cityblock"] = "euclidean"
    bandwidth: str = ""
    nonnegative: bool = False


def _of_root(gamma: float) -> float:
    return 1.0 / math.sqrt(gamma)


_KINDS: dict[KernelName, _Kind] = {
    "rbf": _Kind(
        function=rbf,
        latex=r"k(x, y) = e^{-\gamma |x - y|^2}",
        defaults={"gamma": 1.0},
        length=_of_root,
        bandwidth="gamma",
        laws=lambda k, gamma: fourier_laws(k, partial(rbf, gamma=4.0 * gamma), isotropic=True),
    ),
    "exp": _Kind(
        function=exponential,
        latex=r"k(x, y) = e^{\gamma \langle x, y \rangle}",
        defaults={"gamma": 1.0},
        # The variance of positive features grows as e^{4 gamma |x|^2}. `mehler verify` draws rows
        # of up to 1.2 times this length, where it is 3.2 k^2; at twice that length it is 316 k^2.
        length=lambda gamma: 0.5 / math.sqrt(gamma),
        bandwidth="gamma",
        laws=exponential_laws,
    ),
    "laplacian": _Kind(
        function=laplacian,
        latex=r"k(x, y) = e^{-\gamma |x - y|_1}",
        defaults={"gamma": 1.0},
        length=lambda gamma: 1.0 / gamma,
        metric="cityblock",
        bandwidth="gamma",
        laws=lambda k, gamma: fourier_laws(
            k, partial(laplacian, gamma=2.0 * gamma), isotropic=False
        ),
    ),
    "matern": _Kind(
        function=matern,
        latex=r"k(x, y) = \frac{2^{1-\nu}}{\Gamma(\nu)} s^\nu K_\nu(s), \quad "
        r"s = \sqrt{2\nu} |x - y| / \ell",
        defaults={"nu": 1.5, "length_scale": 1.0},
        length=lambda nu, length_scale: float(length_scale),
        bandwidth="length_scale",
        laws=lambda k, nu, length_scale: fourier_laws(
            k, partial(matern, nu=nu, length_scale=0.5 * length_scale), isotropic=True
        ),
    ),
    "linear": _Kind(
        function=linear, latex=r"k(x, y) = \langle x, y \rangle", laws=projections_laws
    ),
    "polynomial": _Kind(
        function=polynomial,
        latex=r"k(x, y) = (\gamma \langle x, y \rangle + c_0)^p",
        defaults={"degree": 2, "gamma": 1.0, "coef0": 0.0},
        length=lambda gamma, **_: _of_root(gamma),
        laws=lambda k, degree, gamma, coef0: sketches_laws(degree, gamma, coef0),
    ),
    "arc-cosine": _Kind(
        function=arc_cosine,
        latex=r"k(x, y) = \frac{1}{\pi} |x|^n |y|^n J_n(\theta)",
        defaults={"order": 1},
        laws=lambda k, order: rectified_laws(k, partial(arc_cosine, order=2 * order)),
    ),
    "maxout": _Kind(function=maxout, latex=r"k(x, y) = |x|\,|y|\, K_q(\rho)", defaults={"q": 2}),
    "collision": _Kind(function=collision, latex=r"k(x, y) = \kappa_q(\rho)", defaults={"q": 2}),
    "skewed-chi2": _Kind(
        function=skewed_chi2,
        latex=r"k(x, y) = \prod_i \frac{2 \sqrt{x_i + c} \sqrt{y_i + c}}{x_i + y_i + 2 c}",
        defaults={"skew": 1.0},
        length=lambda skew: float(skew),
        nonnegative=True,
        # Frequencies act on log(x + skew); doubling it squares x + skew.
        laws=lambda k, skew: fourier_laws(
            k, lambda X, Y: k((X + skew) ** 2 - skew, (Y + skew) ** 2 - skew), isotropic=False
        ),
    ),
    "additive-chi2": _Kind(
        function=additive_chi2,
        latex=r"k(x, y) = \sum_i \frac{2 x_i y_i}{x_i + y_i}",
        nonnegative=True,
    ),
}
NAMES = tuple(_KINDS)


def _parameter(kernel: str, key: str, value: float) -> float:
    """Return a parameter of a kernel, within what that allows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"kernel {kernel}: {key}={value!r} must be a number")
    if key in ("degree", "q"):
        if not math.isfinite(value) or value != int(value) or value < 1:
            raise ValueError(f"{key}={value!r} must be a whole number of at least 1")
        return int(value)
    if key == "order":
        if value not in (0, 1, 2):
            raise ValueError(f"order={value!r} is not one of 0, 1, 2")
        return int(value)
    if key == "coef0":
        if not 0.0 <= value < math.inf:
            raise ValueError(
                f"coef0={value!r} must not be negative or infinite: k(x, x) is positive"
            )
        return float(value)
    if key == "nu" and value > 50.0:
        raise ValueError(f"nu={value!r} is more than 50, where the kernel is the rbf: name that")
    return require_positive(key, value)


def make(name: KernelName, **parameters: float) -> NamedKernel:
    """Build a kernel from its name and parameters.

    - ``rbf``: exp(-gamma d^2), d the Euclidean distance; gamma = 1
    - ``exp``: exp(gamma <x, y>), of softmax attention with gamma = 1/sqrt(d); gamma = 1
    - ``laplacian``: exp(-gamma d), d the sum of absolute differences; gamma = 1
    - ``matern``: Matern of smoothness nu at distance over length_scale; nu = 1.5, length_scale = 1
    - ``linear``: the inner product
    - ``polynomial``: (gamma <x, y> + coef0)^degree; degree = 2, gamma = 1, coef0 = 0
    - ``arc-cosine``: Cho and Saul's, of order 0, 1 or 2; order = 1
    - ``maxout``: lengths times K_q(rho), of maxout units; q = 2
    - ``collision``: kappa_q(rho), of codes; q = 2
    - ``skewed-chi2``: prod 2 sqrt(u v)/(u + v), u = x + skew; skew = 1
    - ``additive-chi2``: sum 2 x y/(x + y)

    Parameters
    ----------
    name : str
        One of the names above.
    **parameters : float
        Parameters of the kernel; defaults are listed above.

    Returns
    -------
    NamedKernel
        A callable (X, Y) -> (n, k).

    Notes
    -----
    Distances come from differences of rows and angles from 2 atan2(|u - v|, |u + v|), so equal and
    nearly equal rows lose no digits.

    References
    ----------
    Cho, Saul (2009), eqs. 3 to 7 (arc-cosine, with 1/pi); Rasmussen, Williams (2006), eq. 4.14.

    Examples
    --------
    >>> str(make("matern", nu=2.5))
    'matern(nu=2.5, length_scale=1)'
    >>> make("linear", gamma=2.0)
    Traceback (most recent call last):
        ...
    ValueError: kernel linear has no parameter 'gamma': it takes none
    """
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(
            f"kernel={name!r} is not known: one of {', '.join(NAMES)}, or MODULE:FUNCTION"
        )
    kind = _KINDS[name]
    for key in parameters:
        if key not in kind.defaults:
            takes = f"it takes {', '.join(kind.defaults)}" if kind.defaults else "it takes none"
            raise ValueError(f"kernel {name} has no parameter {key!r}: {takes}")
    values = {key: _parameter(name, key, x) for key, x in {**kind.defaults, **parameters}.items()}
    return NamedKernel(
        name=name,
        parameters=values,
        latex=kind.latex,
        function=kind.function,
        length=kind.length(**values),
        metric=kind.metric,
        bandwidth=kind.bandwidth,
        nonnegative=kind.nonnegative,
        laws=kind.laws(partial(kind.function, **values), **values),
    )
