"""Fourier features, with scikit-learn's kernel names, and other activations as transformers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import mehler.features as features
from mehler import _arrays
from mehler.exact.activations import ActivationLike
from mehler.features.kitchen_sinks import LawName
from mehler.features.projections import ProjectionName
from mehler.features.spectra import NAMED, KernelName
from mehler.sklearn import _inputs
from mehler.sklearn._base import Sampler


@dataclass(kw_only=True, eq=False, repr=False)
class FourierSampler(Sampler):
    r"""Random Fourier features: `mehler.FourierFeatures` as a transformer.

    .. math:: k(x - y) = E\cos\langle w, x - y\rangle

    A replacement for `sklearn.kernel_approximation.RBFSampler`: `gamma` is the same, and with
    ``form='offset'`` so is the formula, with other random numbers.

    Parameters
    ----------
    n_components : int, default=100
        Number of feature columns.
    kernel : {'rbf', 'laplacian', 'matern'} or mehler.features.Spectrum, default='rbf'
        :math:`e^{-\gamma|z|_2^2}` and :math:`e^{-\gamma|z|_1}` as in `sklearn.metrics.pairwise`,
        or Matern's as in `sklearn.gaussian_process.kernels`; or a custom spectrum with its own
        parameters.
    gamma : float, 'scale' or None, default='scale'
        Parameter of 'rbf' and 'laplacian'. 'scale' is ``1 / (n_features * X.var())`` of the fitted
        rows, as for `sklearn.svm.SVC`, and ``1 / (n_features * X.std())`` for 'laplacian', whose
        distances are not squared; None is 1.0, as for `RBFSampler`.
    length_scale : float, default=None
        Parameter of 'matern', or of 'rbf' in place of `gamma`:
        :math:`\gamma = 1/(2\,\mathrm{length\_scale}^2)`, as in `sklearn.gaussian_process`. None
        for 'matern' is the length that this gives for ``gamma='scale'``, or 1.0 for
        ``gamma=None``.
    nu : float, default=None
        Smoothness of 'matern', above 0 and at most 50; None is 1.5.
    form : {'auto', 'pairs', 'offset'}, default='auto'
        Cosine and sine of n_components/2 frequencies, or the cosine of n_components frequencies
        with a random offset. Pairs cost half and have a smaller variance, but need an even
        `n_components`; 'auto' uses them if it is even.

    See Also
    --------
    mehler.FourierFeatures : The map itself.
    KitchenSinkSampler : Other activations than cosines.

    References
    ----------
    Rahimi, Recht (2007), Random features for large-scale kernel machines, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from mehler.sklearn import FourierSampler
    >>> x = np.random.default_rng(0).standard_normal((5, 3))
    >>> sampler = FourierSampler(gamma=0.5, n_components=4000, random_state=0).fit(x)
    >>> bool(np.allclose(sampler.expected_kernel(x), rbf_kernel(x, gamma=0.5)))
    True
    >>> z = sampler.transform(x)
    >>> bool(abs(z @ z.T - rbf_kernel(x, gamma=0.5)).max() < 0.1)
    True
    """

    _map = features.FourierFeatures
    _instead = features.FourierFeatures._instead

    n_components: int = 100
    kernel: KernelName | features.Spectrum = "rbf"
    gamma: float | Literal["scale"] | None = "scale"
    length_scale: float | None = None
    nu: float | None = None
    form: Literal["auto", "pairs", "offset"] = "auto"
    projections: ProjectionName = "gaussian"
    random_state: Any = None

    def _options(self, x: _arrays.Array) -> dict[str, Any]:
        if self.form not in ("auto", "pairs", "offset"):
            raise ValueError(f"form={self.form!r} is not one of 'auto', 'pairs', 'offset'")
        if self.form == "pairs" and self.n_components % 2:
            raise ValueError(
                f"n_components={self.n_components} is odd, but form='pairs' has two features a "
                f"frequency: take {self.n_components + 1}, or form='auto'"
            )
        by_parity = "offset" if self.n_components % 2 else "pairs"
        form = by_parity if self.form == "auto" else self.form
        return {**self._kernel_for(x), "form": form, "projections": self.projections}

    def _kernel_for(self, x: _arrays.Array) -> dict[str, Any]:
        """Return the name and parameters of the kernel as `FourierFeatures.draw` takes them."""
        # The default is for kernels that have a width, and where no other width is given.
        scaled = isinstance(self.gamma, str) and self.gamma == "scale"
        gamma = None if scaled else self.gamma
        given = {"gamma": gamma, "length_scale": self.length_scale, "nu": self.nu}
        if isinstance(gamma, str):
            raise ValueError(f"gamma={gamma!r} must be a number above 0 or 'scale'")
        if isinstance(self.kernel, features.Spectrum):
            return {"kernel": self.kernel, **given}
        if self.kernel not in NAMED:
            raise ValueError(f"kernel={self.kernel!r} is not one of {', '.join(map(repr, NAMED))}")
        takes = {field.name for field in fields(NAMED[self.kernel])}
        for name, value in given.items():
            # scikit-learn states the width of its RBF in two ways.
            taken = name in takes or (self.kernel, name) == ("rbf", "length_scale")
            if value is not None and not taken:
                raise ValueError(f"kernel={self.kernel!r} has no {name}: leave {name} at None")
        named = {name: given[name] for name in takes & given.keys()}
        if "gamma" in takes and self.length_scale is not None:
            named["gamma"] = self._gamma_of_length(gamma)
        elif scaled and self.length_scale is None:
            scale = self._scale_of(x)
            if self.kernel == "laplacian":
                # Of distances, not of their squares: 1 / (d sigma), whatever the unit of the rows.
                scale = (scale / x.shape[1]) ** 0.5
            named |= {"gamma": scale} if "gamma" in takes else {"length_scale": _length(scale)}
        return {"kernel": self.kernel, **named}

    def _gamma_of_length(self, gamma: float | None) -> float:
        if gamma is not None:
            raise ValueError(
                f"gamma={gamma!r} and length_scale={self.length_scale!r} say the same "
                "thing twice: gamma is 1/(2 length_scale^2), so leave one at None"
            )
        length = self.length_scale
        if length is None or isinstance(length, str) or not length > 0:
            raise ValueError(f"length_scale={length!r} must be a number above 0")
        return 0.5 / length**2

    def _scale_of(self, x: Any) -> float:
        """Return 1 / (d var), of the entries of rows, counted by their weights."""
        if _inputs.is_sparse(x) or self._row_weights is not None:
            weights = np.ones(x.shape[0]) if self._row_weights is None else self._row_weights
            variance = _weighted_variance(x, weights / weights.sum())
        else:
            variance = float(_arrays.array_namespace(x).var(x))
        # Constant rows have no scale; like RBFSampler, use 1 for them.
        return 1.0 / (x.shape[1] * variance) if variance > 0 else 1.0


@dataclass(kw_only=True, eq=False, repr=False)
class KitchenSinkSampler(Sampler):
    r"""Random kitchen sinks: `mehler.KitchenSinks` as a transformer.

    .. math:: \Phi(x) = \frac1{\sqrt m}\big(a(\langle w_\ell, x\rangle + b_\ell)\big)_{\ell\le m}

    A random layer: step, relu and relu2 have the arc-cosine kernels, other activations the kernel
    given by Mehler's series.

    Parameters
    ----------
    n_components : int, default=100
        Number of feature columns m.
    activation : str or callable, default='relu'
        A name, 'relu', 'gelu', 'tanh' and others of `mehler.KitchenSinks`, or any elementwise
        function of one array.
    weight_scale : float, default=1.0
        Standard deviation of the weights.
    bias : float or 'uniform', default=0.0
        Standard deviation of a Gaussian offset; 'uniform' is a uniform phase, for cos and sin.
    law : {'gaussian', 'sphere'}, default='gaussian'
        Distribution of the weights; 'sphere' is for step, relu and relu2 without bias.

    See Also
    --------
    mehler.KitchenSinks : The map itself.
    FourierSampler : Shift-invariant kernels.

    Notes
    -----
    Pickles name a callable activation, which must be importable where they are loaded.

    References
    ----------
    Rahimi, Recht (2009), Weighted sums of random kitchen sinks; Cho, Saul (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import KitchenSinkSampler
    >>> sampler = KitchenSinkSampler(activation="relu", random_state=0).fit(np.eye(2))
    >>> sampler.expected_kernel(np.eye(2)).round(4).tolist()
    [[0.5, 0.1592], [0.1592, 0.5]]
    """

    _map = features.KitchenSinks
    _instead = features.KitchenSinks._instead

    n_components: int = 100
    activation: ActivationLike = "relu"
    weight_scale: float = 1.0
    bias: float | Literal["uniform"] = 0.0
    law: LawName = "gaussian"
    projections: ProjectionName = "gaussian"
    random_state: Any = None


def _length(gamma: float) -> float:
    return float((0.5 / gamma) ** 0.5)


def _weighted_variance(x: Any, shares: NDArray[np.float64]) -> float:
    """Return the variance of the entries of rows, dense or sparse, with shares that sum to 1."""
    x = x if _inputs.is_sparse(x) else np.asarray(_arrays.to_host(x), dtype=np.float64)
    mean = float((shares @ x).mean())
    if not _inputs.is_sparse(x):
        return float((shares @ (x - mean) ** 2).mean())
    # Entries that are not stored are 0, and mean from it.
    off, there = x.astype(np.float64), x.astype(np.float64)
    off.data, there.data = (off.data - mean) ** 2, np.ones_like(off.data)
    stored = float((shares @ there).mean())
    return float((shares @ off).mean()) + (1.0 - stored) * mean**2
