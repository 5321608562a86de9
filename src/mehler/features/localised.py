"""Localised linear features: the Kronecker product of a row with its Fourier features."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from mehler._arrays import Array
from mehler.features import _correlation
from mehler.features._block import Units
from mehler.features.fourier import FourierFeatures


class LocalisedLinearFeatures(FourierFeatures):
    r"""Kronecker product of a row with its Fourier features: a localised linear kernel.

    .. math:: \Phi(x) = x \otimes z(x), \qquad
              E\langle\Phi(x), \Phi(y)\rangle = \langle x, y\rangle\,k(x - y)

    with z the Fourier features of k, the localiser, a Gaussian by default. The maxout paper names
    this map as the way to a locally linear kernel, with d times as many columns as z has.

    Parameters
    ----------
    n_features : int
        Columns m: d times an even number, or any multiple of d for form='offset'.
    kernel, gamma, nu, length_scale, form, projections
        Of the localiser k, as for :class:`mehler.FourierFeatures`; the Gaussian of bandwidth
        :math:`\sigma` has ``gamma = 1/(2 sigma**2)``.
    n_inputs, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.

    Attributes
    ----------
    n_units : int
        Frequencies; each has d or 2 d columns.

    Notes
    -----
    The product of one frequency is <x, y> times that of the localiser: kernel and variance are
    exact as its own are. Memory and time are d times those of the localiser's features, which is
    what the maxout map avoids.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Section 1, contributions.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> x = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> phi = mehler.features.LocalisedLinearFeatures.draw(2, 4000, gamma=0.5, seed=0)
    >>> phi.kernel(x).round(4).tolist()  # <x, y> exp(-|x - y|^2 / 2)
    [[1.0, 0.6065], [0.6065, 2.0]]
    >>> bool(np.all(abs(phi.gram(x) - phi.kernel(x)) <= 6 * phi.gram_variance(x) ** 0.5 + 1e-12))
    True
    """

    @property
    def _n_waves(self) -> int:
        return self.n_features // self.n_inputs

    def _units(self) -> Units:
        if self.n_features % self.n_inputs:
            raise ValueError(
                f"n_features={self.n_features} is not a multiple of n_inputs={self.n_inputs}: each "
                f"feature of the localiser has {self.n_inputs} columns"
            )
        units = super()._units()
        # Column i m/d + j is x_i z_j.
        return units._replace(columns=(self.n_inputs * units.columns[0], 1), block=None)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        z = super()._transform(xp, rows, *weights)
        both = rows[:, :, None] * z[:, None, :]
        return xp.reshape(both, (rows.shape[0], rows.shape[1] * z.shape[1]))

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return _correlation.products(x, y) * super()._kernel_of(x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        # In units of columns: a frequency has d times as many here.
        scale = float(self.n_inputs) * _correlation.products(x, y) ** 2
        return scale * super()._variance_of(x, y)

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        scale = float(self.n_inputs) * _correlation.products(x, y) ** 2
        return scale * super()._gram_variance_of(x, y)

    def _kurtosis_of(self, x: Array, y: Array | None) -> Array:
        raise ValueError("the kurtosis of localised features is not known")

    def _cdf_of(self, X: Array, t: Array) -> Array:
        raise ValueError("the distribution of localised features is not known")
