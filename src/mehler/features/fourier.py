"""Random Fourier features of kernels k(x - y): cosines and sines, or cosines with an offset."""

from __future__ import annotations

import functools
import math
from types import ModuleType
from typing import Any, Literal

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_choice
from mehler.features import _distributions, projections
from mehler.features._base import FeatureMap
from mehler.features._block import Angles, Units
from mehler.features._correlation import BLOCK, over_blocks
from mehler.features.projections import ProjectionName
from mehler.features.spectra import Spectrum, SpectrumName, is_named, spectrum_of


class FourierFeatures(FeatureMap):
    r"""Random Fourier features of a kernel of differences.

    .. math:: k(x - y) = E\cos\langle w, x - y\rangle, \qquad
              \Phi(x) = \sqrt{\tfrac2m}\,\big(\cos\langle w_l, x\rangle,
              \sin\langle w_l, x\rangle\big)_{l\le m/2} \quad\text{or}\quad
              \sqrt{\tfrac2m}\,\big(\cos(\langle w_l, x\rangle + b_l)\big)_{l\le m}

    The distribution of the frequencies w is the kernel's spectrum. Below, z is x - y.

    Parameters
    ----------
    n_features : int
        Columns m of the features; even for pairs.
    kernel : {'rbf', 'laplacian', 'matern'} or Spectrum, optional
        :math:`e^{-\gamma|z|_2^2}`, :math:`e^{-\gamma|z|_1}`, or Matern's of smoothness
        :math:`\nu` at distance over length_scale, as in `mehler.kernels`; or your own
        `mehler.features.Spectrum`.
    gamma : float, optional
        :math:`\gamma` of 'rbf' and 'laplacian'; default 1. In the rows' unit to the power
        -2 for 'rbf', -1 for 'laplacian'.
    nu, length_scale : float, optional
        Smoothness of 'matern' (at most 50; default 1.5); its length, in the rows' unit (default 1).
    form : {'pairs', 'offset'}, optional
        Cosine and sine of m/2 frequencies, or the cosine of m frequencies with a uniform
        offset. Pairs cost half of the products, and vary less where :math:`k(2z) \le 2k(z)^2`: at
        all distances, but for Matern's of smoothness below 1/2 at distant pairs.
    projections : {'gaussian', 'orthogonal', 'hadamard', 'sobol'}, optional
        How frequencies are drawn, see `mehler.features.projections`. The expected kernel is
        the same for each. 'orthogonal' has a smaller variance than 'gaussian' at near rows
        for the same cost; 'hadamard' almost the same variance, and is faster from d = 512
        on. Both require an isotropic spectrum, which the Laplacian kernel's is not.
    n_inputs, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.

    Attributes
    ----------
    n_units : int
        Number of frequencies: n_features, or half of them for pairs.

    Notes
    -----
    A unit is a frequency. Features are accurate to a few eps times |<w, x>|; rows where that could
    exceed 1/64 (root mean square, :math:`\tfrac12\epsilon\sqrt{d + 3}\,s|x|` for frequencies of
    scale s), as 64-bit integers are, raise ValueError, but where code is traced. ``variance`` is
    that of independent frequencies; ``gram_variance`` accounts for their dependence: exactly for
    orthogonal frequencies of the Gaussian kernel, else by an upper bound
    (:doc:`/theorems/projections`). A map drawn with a spectrum of your own has no recipe.

    References
    ----------
    Rahimi, Recht (2007), Random features for large-scale kernel machines, Algorithm 1.
    Variances: :doc:`/theorems/fourier-pairs-variance`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> x = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> phi = mehler.FourierFeatures.draw(2, 10_000, gamma=0.5, seed=0)
    >>> phi.kernel(x).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    >>> bool(np.all(np.abs(phi.gram(x) - phi.kernel(x)) <= 6 * phi.gram_variance(x) ** 0.5
    ...             + 1e-12))
    True
    """

    _later = ("stored", "gamma", "nu", "length_scale")

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        seed: int,
        kernel: SpectrumName | Spectrum = "rbf",
        gamma: float | None = None,
        nu: float | None = None,
        length_scale: float | None = None,
        form: Literal["pairs", "offset"] = "pairs",
        projections: ProjectionName = "gaussian",
        like: Array | ModuleType | None = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.spectrum = spectrum_of(kernel, gamma=gamma, nu=nu, length_scale=length_scale)
        self.form = require_choice("form", form, ("pairs", "offset"))
        self._kernel: Any = kernel
        self.projections = projections
        self.gamma, self.nu, self.length_scale = gamma, nu, length_scale
        if is_named(self.spectrum):
            self._kernel = self.spectrum.name
            self.__dict__.update(self.spectrum.parameters())
        self._scale, self._mixed = self.spectrum.scale, self.spectrum.changes_lengths
        self._transformed = type(self.spectrum).entries is not Spectrum.entries
        self._bounded = type(self) is FourierFeatures and is_named(self.spectrum)
        self._projection = _projection_for(self.spectrum, projections)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether frequencies are independent draws."""
        return self._projection.independent

    @property
    def _n_waves(self) -> int:
        """Number of cosines and sines."""
        return self.n_features

    def _units(self) -> Units:
        pairs, m = self.form == "pairs", self._n_waves
        if pairs and m % 2:
            odd = f"n_features={m} is odd, but form='pairs' has two features per frequency"
            raise ValueError(f"{odd}: take {m + 1}, or form='offset'")
        sizes = (1, self.n_inputs, m // 2 if pairs else m)
        self._projection.check(*sizes)
        block_rows = self._projection.block_rows_for_map(self.n_inputs)
        law = int(not (self._mixed or pairs)) if self._mixed or self._transformed else None
        return Units(
            self._projection.n_weights(*sizes),
            columns=(2 if pairs else 1, 1),
            angles=Angles(self.spectrum.scale, law=law),
            # 2 MiB of float32 features: each is written twice and read once.
            block=block_rows or max(256, min(1024, (1 << 19) // self.n_features)),
        )

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Draw lengths and offsets, if any, and the projection's weights."""
        spectrum, n = self.spectrum, units.stop - units.start
        # `entries` transforms weights in float64; others are drawn in their dtype.
        drawn_in = "float64" if self._transformed else dtype
        weights = self._projection.draw_units(
            self.seed, 1, self.n_inputs, units, self.n_units, drawn_in
        )
        if self._transformed:
            weights = (spectrum.entries(weights[0]).astype(dtype),)
        extra = []
        lengths = spectrum.lengths(self.seed, n, units.start)
        if lengths is not None:
            extra.append(np.asarray(lengths).astype(dtype))
        if self.form == "offset":
            turns = _random.uniforms(self.seed, _random.OFFSETS, n, units.start)
            extra.append((2.0 * np.pi * turns).astype(dtype))
        return (*extra, *weights)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        mixed, offset = self._mixed, self.form == "offset"
        unit, gain = _arrays.angle_unit(rows), math.sqrt(2.0 / self._n_waves)
        first = mixed + offset
        (angles,) = self._projection.pieces(xp, rows * (self._scale * unit), *weights[first:])
        if mixed:
            angles = angles * weights[0]
        if offset:
            return _arrays.cosine(xp, angles + unit * weights[first - 1], gain)
        return _arrays.cosine_and_sine(xp, angles, gain)

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        if x.shape[0] > BLOCK and _arrays.may_be_written(x):
            # Of this class: what a subclass multiplies by is not of the blocks.
            return over_blocks(functools.partial(FourierFeatures._kernel_of, self), x, y)
        return self.spectrum.kernel(self.spectrum.distance(x, y))

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        return self._variance_at(self.spectrum.distance(x, y))

    def _variance_at(self, t: Array) -> Array:
        """Compute m times the variance of the estimate, for independent frequencies.

        Pairs: 2 Var cos = 1 + k(2z) - 2 k(z)^2. Offset: the product is A + B with A = cos <w, z>
        and B the cosine of a uniform angle that is independent of w, so Var A + 1/2.
        """
        spread = self.spectrum.spread(t)
        return spread if self.form == "pairs" else 0.5 * spread + 0.5

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        t = self.spectrum.distance(x, y)
        value = self._variance_at(t)
        if self.independent_units:
            return value
        return value + self._dependence_at(t) * (2.0 if self.form == "pairs" else 1.0)

    def _dependence_at(self, t: Array) -> Array:
        """Sum the covariances of cos <w_l, z> with those of all other units, per unit.

        Exact for orthogonal blocks if the spectrum defines that covariance, else an upper bound.
        Offsets are independent, so they add nothing.
        """
        single = 0.5 * self.spectrum.spread(t)
        near = self._projection.orthogonal_pairs(self.n_inputs, self.n_units)
        if near is None:
            factor = self._projection.variance_factor(1, self.n_inputs, self.n_units)
            return (factor - 1.0) * single
        if not near.pairs:
            return 0.0 * single
        covariance: Any = self.spectrum.orthogonal_covariance(t, near.dimension)
        if covariance is None:
            covariance = 3.0 / (near.dimension**2 - 1) * single
        return near.pairs * covariance + near.excess * single

    def _kurtosis_of(self, x: Array, y: Array | None) -> Array:
        t = self.spectrum.distance(x, y)
        half = 0.5 * self.spectrum.spread(t)
        kurtosis = self.spectrum.kurtosis(t)
        if self.form == "pairs":
            # The product is constant for equal rows.
            xp = _arrays.array_namespace(half)
            return xp.where(half > 0.0, kurtosis, xp.ones_like(half))
        # A + B with B the cosine of a uniform angle: Var B = 1/2, E B^4 = 3/8.
        total: Any = (kurtosis * half * half + 3.0 * half + 0.375) / (half + 0.5) ** 2
        return total

    product_kurtosis = _distributions.product_kurtosis
    feature_cdf = _distributions.feature_cdf

    def _cdf_of(self, X: Array, t: Array) -> Array:
        if self.form == "pairs":
            remedy = "check products, or draw form='offset'"
            raise ValueError(f"form='pairs' has columns of two laws: {remedy}")
        return _distributions.cdf(
            X,
            t,
            # P(sqrt(2) cos(b) <= at) for b uniform on a turn.
            lambda at: 1.0 - np.arccos(np.clip(at / np.sqrt(2.0), -1.0, 1.0)) / np.pi,
            homogeneous=False,
        )


def _projection_for(spectrum: Spectrum, name: Any) -> projections.Projection:
    projection = projections.named(name)
    if not spectrum.isotropic and projection.isotropic and not projection.independent:
        raise ValueError(
            f"kernel={spectrum.name!r} is not isotropic, so projections={name!r} would not "
            "stay orthogonal: take 'gaussian' or 'sobol', or set isotropic = True on a spectrum "
            "that is"
        )
    return projection
