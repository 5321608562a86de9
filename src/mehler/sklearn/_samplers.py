"""Random feature maps as transformers: the base class draws `_map` with the fields as options."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy.sparse import issparse

import mehler.features as features
from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_positive
from mehler.exact import orbits
from mehler.exact.activations import ActivationLike
from mehler.features import groups, leverage
from mehler.features.invariant import Rule, TemplateName, bins_for
from mehler.features.kitchen_sinks import LawName
from mehler.features.leverage import Draws
from mehler.features.projections import ProjectionName
from mehler.features.spectra import NAMED, SpectrumName
from mehler.learn import rows_at
from mehler.sklearn import _inputs
from mehler.sklearn._base import Sampler, Weights, fit_part


@dataclass(kw_only=True, eq=False, repr=False)
class MaxoutSampler(Sampler):
    r"""Random maxout features: `mehler.MaxoutFeatures` as a transformer.

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, one feature column each.
    pool_size, centred, n_projections, projections
        As in :class:`mehler.MaxoutFeatures`; `pool_size` 1 gives the linear kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import MaxoutSampler
    >>> x = np.eye(3)
    >>> sampler = MaxoutSampler(n_components=2000, random_state=0).fit(x)
    >>> sampler.transform(x).shape
    (3, 2000)
    >>> sampler.expected_kernel(x)[0].round(3).tolist()
    [1.551, 1.06, 1.06]
    """

    _map = features.MaxoutFeatures
    n_components: int = 100
    pool_size: int = 4
    centred: bool = False
    n_projections: int | None = None
    projections: ProjectionName = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DecoupledMaxoutSampler(Sampler):
    r"""Decoupled maxout features: `mehler.DecoupledMaxoutFeatures` as a transformer.

    With q = `pool_size`, their expected kernel is the one that the paper of Mroueh, Rennie and Goel
    states for maxout: :math:`\langle x, z\rangle` times the chance :math:`\kappa_q(\rho)` that the
    largest of q projections is the same for x and z, of correlation rho, times
    :math:`\sigma^2(q) = E(\max_{j\le q} g_j)^2`, g_j standard normal.

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, one feature column each.
    pool_size, directions, projections
        As in :class:`mehler.DecoupledMaxoutFeatures`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import DecoupledMaxoutSampler
    >>> DecoupledMaxoutSampler(random_state=0).fit(np.eye(3)).expected_kernel(np.eye(3))[0, 1]
    np.float64(0.0)
    """

    _map = features.DecoupledMaxoutFeatures
    n_components: int = 100
    pool_size: int = 4
    directions: Literal["next", "fresh"] = "next"
    projections: ProjectionName = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class MaxoutHasher(Sampler):
    r"""Maxout codes: `mehler.MaxoutCodes` as a transformer, one small integer per unit.

    A digit is the index of the largest of `pool_size` projections. The fraction of equal digits,
    1 minus scikit-learn's 'hamming' distance, estimates the probability that one is equal. Digits
    are labels, not numbers for linear models.

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, the digits of a code.
    pool_size, projections
        As in :class:`mehler.MaxoutCodes`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import NearestNeighbors
    >>> from mehler.sklearn import MaxoutHasher
    >>> x = np.array([[1.0, 0.0], [0.9, 0.1], [-1.0, 0.0]])
    >>> codes = MaxoutHasher(n_components=200, random_state=0).fit_transform(x)
    >>> codes.dtype
    dtype('uint8')
    >>> near = NearestNeighbors(n_neighbors=2, metric="hamming").fit(codes)
    >>> near.kneighbors(codes[:1])[1].tolist()
    [[0, 1]]
    """

    _map = features.MaxoutCodes
    _dtypes: ClassVar[tuple[str, ...]] = ()
    n_components: int = 100
    pool_size: int = 4
    projections: ProjectionName = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class FourierSampler(Sampler):
    r"""Random Fourier features: `mehler.FourierFeatures` as a transformer.

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
        rows, as for `sklearn.svm.SVC`, and ``1 / (n_features * X.std())`` for 'laplacian'; None is
        1.0, as for `RBFSampler`.
    length_scale : float, default=None
        Parameter of 'matern', or of 'rbf' in place of `gamma`:
        :math:`\gamma = 1/(2\,\mathrm{length\_scale}^2)`, which None for 'matern' follows too.
    nu : float, default=None
        Smoothness of 'matern', above 0 and at most 50; None is 1.5.
    form : {'auto', 'pairs', 'offset'}, default='auto'
        Cosine and sine of n_components/2 frequencies, which need an even `n_components`, or the
        cosine of n_components frequencies with a random offset. 'auto' takes pairs if it can.

    Attributes
    ----------
    random_weights_, random_offset_
        Frequencies and, of ``form='offset'``, offsets, as of `RBFSampler`.

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
    """

    _map = features.FourierFeatures
    n_components: int = 100
    kernel: SpectrumName | features.Spectrum = "rbf"
    gamma: float | Literal["scale"] | None = "scale"
    length_scale: float | None = None
    nu: float | None = None
    form: Literal["auto", "pairs", "offset"] = "auto"
    projections: ProjectionName = "gaussian"
    random_state: Any = None

    @property
    def random_weights_(self) -> Array:
        """Frequencies, a column each, where `RBFSampler` has them."""
        phi: Any = self.map_
        xp, place, weights = phi.place.xp, phi.place, phi.weights
        rows = xp.eye(phi.n_inputs, dtype=weights[-1].dtype, device=place.device)
        first = phi.spectrum.changes_lengths + (phi.form == "offset")
        (angles,) = phi._projection.pieces(xp, rows * phi.spectrum.scale, *weights[first:])
        return angles * weights[0] if phi.spectrum.changes_lengths else angles

    @property
    def random_offset_(self) -> Array:
        """Offsets of the cosines of ``form='offset'``; other forms have none."""
        phi: Any = self.map_
        if phi.form != "offset":
            raise AttributeError("form='pairs' has no random_offset_: take form='offset'")
        return phi.weights[int(phi.spectrum.changes_lengths)]

    def _options(self, x: Array, weights: Weights) -> dict[str, Any]:
        require_choice("form", self.form, ("auto", "pairs", "offset"))
        if self.form == "pairs" and self.n_components % 2:
            raise ValueError(
                f"n_components={self.n_components} is odd, but form='pairs' has two features per "
                f"frequency: take {self.n_components + 1}, or form='auto'"
            )
        by_parity = "offset" if self.n_components % 2 else "pairs"
        form = by_parity if self.form == "auto" else self.form
        return {**self._kernel_for(x, weights), "form": form, "projections": self.projections}

    def _kernel_for(self, x: Array, weights: Weights) -> dict[str, Any]:
        """Return the name and parameters of the kernel as `FourierFeatures.draw` takes them."""
        # gamma='scale' is for kernels that have a width, and where no other width is given.
        by_scale = isinstance(self.gamma, str) and self.gamma == "scale"
        gamma = None if by_scale else self.gamma
        parameters = {"gamma": gamma, "length_scale": self.length_scale, "nu": self.nu}
        if isinstance(gamma, str):
            raise ValueError(f"gamma={gamma!r} must be a number above 0 or 'scale'")
        if isinstance(self.kernel, features.Spectrum):
            return {"kernel": self.kernel, **parameters}
        require_choice("kernel", self.kernel, NAMED)
        names = {field.name for field in fields(NAMED[self.kernel])}
        for name, value in parameters.items():
            # scikit-learn states the width of its RBF in two ways.
            is_parameter = name in names or (self.kernel, name) == ("rbf", "length_scale")
            if value is not None and not is_parameter:
                raise ValueError(f"kernel={self.kernel!r} has no {name}: leave {name} at None")
        options = {name: parameters[name] for name in names & parameters.keys()}
        if "gamma" in names and self.length_scale is not None:
            options["gamma"] = self._gamma_of_length(gamma)
        elif by_scale and self.length_scale is None:
            name = "gamma" if "gamma" in names else "length_scale"
            options[name] = self._scale_of(x, name, weights)
        return {"kernel": self.kernel, **options}

    def _gamma_of_length(self, gamma: float | None) -> float:
        if gamma is not None:
            raise ValueError(
                f"gamma={gamma!r} and length_scale={self.length_scale!r} say the same "
                "thing twice: gamma is 1/(2 length_scale^2), so leave one at None"
            )
        inverse = 1.0 / require_positive("length_scale", self.length_scale)
        return require_positive("1/(2 length_scale^2)", 0.5 * inverse * inverse)

    def _scale_of(self, x: Array, name: str, weights: Weights) -> float:
        """Return gamma, or the length, by 1 / (d var) of the entries of rows and their weights."""
        rows, e = _inputs.mantissas(x)
        variance = _inputs.variance(rows, weights)
        # Constant rows have no scale; like RBFSampler, use 1 for them.
        squares, e = (1.0 / (x.shape[1] * variance), e) if variance > 0 else (1.0, 0)
        what = "gamma='scale' is 1 over the deviation of X, which"
        # Weights times this are what rows are multiplied by, in their own dtype.
        _inputs.times_power(squares**0.5, -e, what, x.dtype)
        if name == "length_scale":
            return _inputs.times_power((0.5 / squares) ** 0.5, e, what, np.float64)
        if self.kernel == "laplacian":
            # Of distances, not of their squares: 1 / (d sigma), whatever the unit of the rows.
            return _inputs.times_power((squares / x.shape[1]) ** 0.5, -e, what, np.float64)
        return _inputs.times_power(squares, -2 * e, what, np.float64)


@dataclass(kw_only=True, eq=False, repr=False)
class KitchenSinkSampler(Sampler):
    r"""Random kitchen sinks: `mehler.KitchenSinks` as a transformer.

    Parameters
    ----------
    n_components : int, default=100
        Number of feature columns m.
    activation, weight_scale, bias, law, projections
        As in :class:`mehler.KitchenSinks`.

    Notes
    -----
    Pickles name a callable activation, which must be importable where they are loaded.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import KitchenSinkSampler
    >>> sampler = KitchenSinkSampler(activation="relu", random_state=0).fit(np.eye(2))
    >>> sampler.expected_kernel(np.eye(2)).round(4).tolist()
    [[0.5, 0.1592], [0.1592, 0.5]]
    """

    _map = features.KitchenSinks
    n_components: int = 100
    activation: ActivationLike = "relu"
    weight_scale: float = 1.0
    bias: float | Literal["uniform"] = 0.0
    law: LawName = "gaussian"
    projections: ProjectionName = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class SoftmaxSampler(Sampler):
    r"""Features of attention: `mehler.features.SoftmaxFeatures` as a transformer.

    Parameters
    ----------
    n_components, form, kernel, scale, tilted_at, projections
        As in :class:`mehler.features.SoftmaxFeatures`, whose columns n_components counts.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import SoftmaxSampler
    >>> SoftmaxSampler(random_state=0).fit(np.eye(2)).expected_kernel(np.eye(2))[0, 1]
    np.float64(1.0)
    """

    _map = features.SoftmaxFeatures
    n_components: int = 100
    form: features.softmax.Form = "hyperbolic"
    kernel: Literal["softmax", "gaussian"] = "softmax"
    scale: float = 1.0
    tilted_at: float = 0.0
    projections: Literal["gaussian", "orthogonal"] = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class InvariantSampler(Sampler):
    r"""Group-invariant features: `mehler.GroupInvariantFeatures` as a transformer.

    Parameters
    ----------
    n_components : int, default=20
        Number of templates, random vectors t. Features are the fractions of projections <g t, x>,
        g in the group, below thresholds: 2 n_bins columns for each t (one more for the rules
        'paper' and 'trapezoid'), so that there are ``n_components * 2 * n_bins`` in all.
    group : mehler.features.groups.Group, callable or None, default=None
        The group that acts on the templates, or a function of the rows' width that returns one,
        such as the class ``groups.Dihedral``. None is all cyclic shifts of the columns.
    n_bins : int, default=8
        Number of thresholds on each side of 0.
    window : float, 'scale' or None, default='scale'
        Largest threshold s, in the unit of the rows. None is for rows of length 1; 'scale'
        multiplies that by the largest length of the fitted rows.
    rule, templates, epsilon, n_elements, replacement, own_elements
        As in :class:`mehler.GroupInvariantFeatures`, `templates` by name.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import InvariantSampler
    >>> x = np.random.default_rng(0).standard_normal((4, 6))
    >>> sampler = InvariantSampler(n_components=10, random_state=0).fit(x)
    >>> sampler.transform(x).shape
    (4, 160)
    >>> bool(np.array_equal(sampler.transform(x), sampler.transform(np.roll(x, 2, axis=1))))
    True
    """

    _map = features.GroupInvariantFeatures
    n_components: int = 20
    group: Any = None
    n_bins: int = 8
    window: float | Literal["scale"] | None = "scale"
    rule: Rule = "midpoint"
    templates: TemplateName = "sphere"
    epsilon: float = 0.3
    n_elements: int | None = None
    replacement: bool = False
    own_elements: bool = False
    random_state: Any = None

    def _options(self, x: Array, weights: Weights) -> dict[str, Any]:
        require_choice("templates", self.templates, get_args(TemplateName))
        if x.shape[1] == 1 and self.templates == "sphere":
            raise ValueError(
                "n_features = 1, but templates='sphere' need at least 2 columns: use "
                "templates='gaussian'"
            )
        group = self.group
        if group is None:
            self._warn_of_tables()
            group = groups.CyclicShifts
        if not isinstance(group, groups.Group) and callable(group):
            group = group(x.shape[1])
        return {
            **super()._options(x, weights),
            "n_features": None,
            "n_templates": self.n_components,
            "group": group,
            "window": self._window_for(x, weights),
        }

    def _warn_of_tables(self) -> None:
        names: Any = getattr(self, "feature_names_in_", ())
        if len({re.sub(r"\d+", "", name) for name in names}) > 1:
            warnings.warn(
                "group=None shifts columns, as of a signal, but these have names of their own, "
                f"{names[0]!r} and {names[1]!r}, as of a table: take another sampler, or say what "
                "moves them, such as group=groups.CyclicShifts",
                stacklevel=4,
            )

    def _window_for(self, x: Array, weights: Weights) -> Any:
        if self.window != "scale":
            return self.window
        x = x if weights is None else rows_at(x, np.flatnonzero(weights))
        rows, exponent = _inputs.mantissas(x)
        if issparse(x):
            longest = float(rows.multiply(rows).sum(axis=1).max()) ** 0.5
        else:
            xp = _arrays.array_namespace(x)
            longest = float(xp.max(xp.sum(rows * rows, axis=1))) ** 0.5
        law = orbits.TemplateLaw(self.templates, x.shape[1], self.epsilon)
        of_unit_rows = float(bins_for(law, self.n_bins, None, self.rule).window)
        if longest == 0:
            return of_unit_rows
        what = "window='scale' is in the unit of X, and"
        return _inputs.times_power(of_unit_rows * longest, exponent, what, x.dtype)


@dataclass(kw_only=True, eq=False, repr=False)
class LeverageSampler(Sampler):
    """Features selected from a larger pool by the fitted rows: `mehler.features.leverage`.

    The ridge leverage score of a feature is near 0 where others of the pool can express it.
    Sampling by scores preserves the pool's kernel; keeping the largest changes it.

    Parameters
    ----------
    n_components : int, default=100
        Largest number of features; repeated draws by leverage scores are merged.
    pool : sampler of this module, default=None
        The pool, fitted on the same rows. Default
        ``FourierSampler(n_components=10 * n_components, form='offset')``.
    selection : str, default='leverage'
        'leverage' samples by ridge leverage scores, 'plain' keeps the first features,
        'top-leverage' keeps those of the largest scores.
    lam : float, default=1e-3
        Ridge of the scores: the `alpha` of `sklearn.kernel_ridge.KernelRidge` divided by the
        number of rows.
    draws : {'systematic', 'iid', 'without replacement'}, default='systematic'
        Sampling scheme.
    mix : float, default=0.1
        Weight of plain sampling in the mixture, from 0 to 1. With draws='iid' and mix=0.0 this is
        Algorithm 1 of Shahrampour and Kolouri (2019) exactly as published.

    Attributes
    ----------
    map_ : mehler.features.SelectedFeatures
        The immutable map. ``map_.unbiased`` is True if it preserves the pool's kernel.

    Notes
    -----
    `expected_kernel` is the pool's kernel if that is preserved, else that of the kept features. In
    a Pipeline the same rows select features and train the learner, contrary to the assumptions of
    the bounds. A fit costs the features of the pool and a factorisation of their Gram, which pays
    where scores are uneven and predictions must be cheap, see :doc:`/sklearn`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import FourierSampler, LeverageSampler
    >>> x = np.random.default_rng(0).standard_normal((100, 2))
    >>> pool = FourierSampler(n_components=300, form="offset", gamma=0.5)
    >>> sampler = LeverageSampler(pool=pool, n_components=30, random_state=0).fit(x)
    >>> sampler.map_.unbiased, sampler.transform(x).shape[1] <= 30
    (True, True)
    """

    n_components: int = 100
    pool: Any = None
    selection: Literal["leverage", "plain", "top-leverage"] = "leverage"
    lam: float = 1e-3
    draws: Draws = "systematic"
    mix: float = 0.1
    random_state: Any = None

    def _draw(
        self, x: Array, n_components: int, seed: int, weights: Weights
    ) -> features.FeatureMap:
        selection = require_choice(
            "selection", self.selection, ("leverage", "plain", "top-leverage")
        )
        default = FourierSampler(n_components=10 * n_components, form="offset")
        pool = fit_part(self.pool, default, seed, x, "pool", weights)
        phi = pool.map_
        selector: leverage.Selector = leverage.PlainSampling(phi, n_components)
        if selection == "leverage":
            selector = leverage.LeverageSampling(
                phi, n_components, lam=self.lam, draws=self.draws, mix=self.mix, seed=seed
            )
        elif selection == "top-leverage":
            selector = leverage.TopLeverage(phi, n_components, lam=self.lam)
        return selector.fit(_inputs.dense(x))
