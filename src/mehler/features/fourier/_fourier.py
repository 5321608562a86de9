"""Random Fourier features: cosines and sines, or cosines with an offset."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mehler import _arrays, _random
from mehler.features import _distributions, projections
from mehler.features._base import FeatureMap
from mehler.features.fourier import _moments as moments
from mehler.features.spectra import Spectrum, spectrum_of
from mehler.features.spectra._named import is_named


class FourierFeatures(FeatureMap):
    r"""Random Fourier features of a kernel of differences.

    .. math:: k(x - y) = E\cos\langle w, x - y\rangle, \qquad
              \Phi(x) = \sqrt{\tfrac2m}\,\big(\cos\langle w_l, x\rangle,
              \sin\langle w_l, x\rangle\big)_{l\le m/2} \quad\text{or}\quad
              \sqrt{\tfrac2m}\,\big(\cos(\langle w_l, x\rangle + b_l)\big)_{l\le m}

    The law of the frequencies w is the kernel's spectrum. Make one with :meth:`draw`.

    Attributes
    ----------
    n_units : int
        Frequencies: n_features, or half of them for pairs.
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        seed: int,
        kernel: str | Spectrum = "rbf",
        gamma: float | None = None,
        nu: float | None = None,
        length_scale: float | None = None,
        form: str = "pairs",
        projections: str = "gaussian",
        like: Any = None,
        dtype: Any = None,
        stored: bool = True,
    ) -> None:
        self.spectrum = spectrum_of(kernel, gamma=gamma, nu=nu, length_scale=length_scale)
        if form not in ("pairs", "offset"):
            raise ValueError(f"form must be 'pairs' or 'offset', not {form!r}")
        self.form = form
        self._projection = _projection_for(self.spectrum, projections)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    @classmethod
    def draw(
        cls,
        n_inputs: int,
        n_features: int,
        *,
        kernel: str | Spectrum = "rbf",
        gamma: float | None = None,
        nu: float | None = None,
        length_scale: float | None = None,
        form: Literal["pairs", "offset"] = "pairs",
        projections: str = "gaussian",
        seed: int,
        like: Any = None,
        dtype: Any = None,
        stored: bool = True,
    ) -> FourierFeatures:
        r"""Draw the frequencies of a map.

        Parameters
        ----------
        n_inputs : int
            Dimension d of the rows.
        n_features : int
            Columns m of the features; even for pairs.
        kernel : {'rbf', 'laplacian', 'matern'} or Spectrum, optional
            :math:`e^{-\gamma|z|_2^2}`, :math:`e^{-\gamma|z|_1}`, or Matern's of smoothness
            :math:`\nu` at distance over length_scale, as `mehler.verify.kernels` has them; or a
            `mehler.features.Spectrum` of your own.
        gamma : float, optional
            Of the first two; default 1. For the first, in the rows' unit to the power -2, for
            the second to the power -1.
        nu, length_scale : float, optional
            Of the third: nu (at most 50; default 1.5), and a distance in the rows' unit
            (default 1).
        form : {'pairs', 'offset'}, optional
            Cosine and sine of m/2 frequencies, or the cosine of m frequencies with a uniform
            offset. Pairs cost half of the products, and their estimates vary less wherever
            :math:`k(2z) \le 2k(z)^2`: for all three kernels at all distances, save Matern's of
            smoothness below 1/2 at far pairs.
        projections : {'gaussian', 'orthogonal', 'hadamard', 'sobol', 'halton'}, optional
            How frequencies are drawn, see `mehler.features.projections`. The kernel is exact for
            each. 'orthogonal' varies less than 'gaussian' at near rows and costs the same;
            'hadamard' almost as little and is faster from d = 512 on. A spectrum that prefers
            axes, as the Laplacian kernel's does, takes no orthogonal directions.
        seed : int
            Same seed, same frequencies on every backend; a larger `n_features` keeps the first
            ones.
        like : array or array namespace, optional
            Where the weights live: the data, or for instance ``torch``. Default NumPy.
        dtype : str or dtype, optional
            'float32' or 'float64': what the map computes in. By default it follows the data.
        stored : bool, optional
            False never holds the weights: each pass over rows draws them anew, block by block of
            units, with the same bits, so that memory does not grow with `n_features`. Only with
            projections='gaussian'. See :meth:`unit_blocks`.

        Returns
        -------
        FourierFeatures
            An immutable map. Columns of pairs are all cosines, then all sines.

        Raises
        ------
        TypeError, ValueError
            If an argument is not of its kind or range, or does not belong to the kernel.

        Notes
        -----
        A unit is a frequency: ``products(X, Y)`` has one column for each, n_features/2 of them for
        pairs. Features are exact to some eps times |<w, x>|. ``variance`` is that of independent
        frequencies; ``gram_variance`` counts their dependence: exactly for orthogonal ones of the
        Gaussian kernel, else as an upper bound (:doc:`/theorems/projections`). What a spectrum of
        your own does not carry is refused by name; a map drawn with one has no recipe.

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
        return cls(
            n_inputs,
            n_features,
            seed=seed,
            kernel=kernel,
            gamma=gamma,
            nu=nu,
            length_scale=length_scale,
            form=form,
            projections=projections,
            like=like,
            dtype=dtype,
            stored=stored,
        )

    @property
    def n_units(self) -> int:
        """Frequencies."""
        return self.n_features // 2 if self.form == "pairs" else self.n_features

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether frequencies are independent draws."""
        return self._projection.independent

    def _n_weights(self) -> int:
        if self.form == "pairs" and self.n_features % 2:
            raise ValueError(
                f"n_features={self.n_features} is odd, but form='pairs' has two features a "
                f"frequency: take {self.n_features + 1}, or form='offset'"
            )
        self._projection.check(1, self.n_inputs, self.n_units)
        return self._projection.n_weights(1, self.n_inputs, self.n_units)

    def _parameters(self) -> dict[str, Any]:
        named = is_named(self.spectrum)
        own = {"kernel": self.spectrum.name, **self.spectrum.parameters()}
        return {
            **(own if named else {"kernel": self.spectrum}),
            "form": self.form,
            "projections": self._projection.name,
        }

    def recipe(self) -> dict[str, Any]:
        """A small JSON-able dict that draws the same map again.

        Raises
        ------
        ValueError
            For a map that was drawn with a spectrum of your own, which JSON cannot hold.
        """
        if not is_named(self.spectrum):
            raise ValueError(
                "a map drawn with a spectrum of your own has no recipe: use a name for kernel, or "
                "keep the call that draws it"
            )
        return super().recipe()

    def _rows_per_block(self) -> int | None:
        own = self._projection.block_rows_for_map(self.n_inputs)
        # 2 MiB of float32 features: each is written twice and read once.
        return own or max(256, min(1024, (1 << 19) // self.n_features))

    def _draw(self, dtype: str) -> tuple[Any, ...]:
        sizes = (self.seed, 1, self.n_inputs, self.n_units, self._drawn_in(dtype))
        return self._mixed(dtype, slice(0, self.n_units), self._projection.draw(*sizes))

    def _draw_units(self, dtype: str, units: slice) -> tuple[Any, ...]:
        sizes = (self.seed, 1, self.n_inputs, units, self._drawn_in(dtype))
        return self._mixed(dtype, units, self._projection.draw_units(*sizes))

    def _columns_of(self, units: slice) -> tuple[slice, ...]:
        if self.form == "offset":
            return (units,)
        return units, slice(self.n_units + units.start, self.n_units + units.stop)

    def _drawn_in(self, dtype: str) -> str:
        # Mixing acts on weights in float64; what nobody mixes is drawn in its dtype.
        return "float64" if self.spectrum.changes_entries else dtype

    def _mixed(self, dtype: str, units: slice, weights: tuple[Any, ...]) -> tuple[Any, ...]:
        """Weights of some units as the spectrum wants them, after lengths and offsets."""
        if self.spectrum.changes_entries:
            weights = (self.spectrum.entries(weights[0]).astype(dtype),)
        n = units.stop - units.start
        extra = []
        lengths = self.spectrum.lengths(self.seed, n, units.start)
        if lengths is not None:
            extra.append(np.asarray(lengths).astype(dtype))
        if self.form == "offset":
            extra.append(_offsets(self.seed, n, units.start).astype(dtype))
        return (*extra, *weights)

    def _block(self) -> Callable[..., _arrays.Array]:
        return functools.partial(
            _transform,
            self._projection.pieces,
            self.spectrum.scale,
            self.spectrum.changes_lengths,
            self.form == "offset",
            math.sqrt(2.0 / self.n_features),
        )

    def _unit_products(self, left: _arrays.Array, right: _arrays.Array) -> _arrays.Array:
        """Of pairs, one a frequency: cosine and sine belong together."""
        both = left * right * float(self.n_units)
        n = self.n_units
        return both if self.form == "offset" else both[:, :n] + both[:, n:]

    def _kernel_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self.spectrum.kernel(self.spectrum.distance(x, y))

    def _variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return moments.variance(self.spectrum, self.spectrum.distance(x, y), self.form)

    def _gram_variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        t = self.spectrum.distance(x, y)
        value = moments.variance(self.spectrum, t, self.form)
        if self.independent_units:
            return value
        shared = moments.dependence(self.spectrum, self._projection, t, self.n_inputs, self.n_units)
        return value + shared * (2.0 if self.form == "pairs" else 1.0)

    def product_kurtosis(self, X: _arrays.Array, Y: _arrays.Array | None = None) -> _arrays.Array:
        """Kurtosis of one feature product, shape (n, k): exact, or above it at near rows.

        E(P - EP)^4 / Var(P)^2 of one feature product P. At pairs of rows that are nearly equal it
        is the bound 4/Var(P) where the spectrum carries no kurtosis of its own, as all but the
        Gaussian. Parameters and errors as
        :meth:`kernel`.
        """
        return self._of_rows(
            X,
            Y,
            lambda x, y: moments.kurtosis(self.spectrum, self.spectrum.distance(x, y), self.form),
        )

    def feature_cdf(self, X: _arrays.Array, t: _arrays.Array) -> _arrays.Array:
        r"""Distribution function of a feature times sqrt(n_features), shape (n, k).

        .. math:: P(\sqrt2\cos(\langle w, x\rangle + b) \le t)
                  = 1 - \tfrac1\pi\arccos(t/\sqrt2)

        The offset makes it the same for every row and every kernel.

        Parameters
        ----------
        X : array, shape (n, n_inputs)
            Rows.
        t : array, shape (n, k)
            For each row, where to evaluate; in the namespace of `X`.

        Returns
        -------
        array, shape (n, k)
            In the namespace and float dtype of `X`, computed on the host to 1e-15.

        Raises
        ------
        TypeError, ValueError
            If `X` or `t` is not such a matrix; for pairs, whose cosines and sines have different
            laws and come two a unit.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.FourierFeatures.draw(2, 10, form="offset", seed=0)
        >>> float(phi.feature_cdf(np.eye(2), np.ones((2, 1)))[0, 0])
        0.75
        """
        if self.form == "pairs":
            raise ValueError(
                "form='pairs' has columns of two laws: check products, or draw form='offset'"
            )
        return _distributions.cdf(X, t, _distributions.arcsine_cdf, homogeneous=False)


def _projection_for(spectrum: Spectrum, name: Any) -> projections.Projection:
    projection = projections.named(name)
    if not spectrum.isotropic and projection.isotropic and not projection.independent:
        raise ValueError(
            f"kernel={spectrum.name!r} prefers axes, so projections={name!r} would not stay "
            "orthogonal: take 'gaussian', 'sobol' or 'halton'; a spectrum that does not prefer "
            "them says that it is isotropic"
        )
    return projection


def _offsets(seed: int, n_units: int, first: int) -> Any:
    """Uniform angles in radians, of the units from `first` on."""
    turns = _random.by_blocks(seed, _random.OFFSETS, n_units, lambda rng, n: rng.random(n), first)
    return 2.0 * np.pi * turns


def _transform(
    pieces: Callable[..., Any],
    scale: float,
    mixed: bool,
    offset: bool,
    gain: float,
    xp: Any,
    rows: _arrays.Array,
    *weights: Any,
) -> _arrays.Array:
    """Weights are lengths of frequencies, if mixed; offsets, if any; then the projection's."""
    unit = _arrays.angle_unit(rows)
    extra, weights = weights[: mixed + offset], weights[mixed + offset :]
    (angles,) = pieces(xp, rows * (scale * unit), *weights)
    if mixed:
        angles = angles * extra[0]
    if offset:
        return _arrays.cosine(xp, angles + unit * extra[-1], gain)
    return _arrays.cosine_and_sine(xp, angles, gain)
