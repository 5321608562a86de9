"""Random kitchen sinks as a transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mehler.exact.activations import ActivationLike
from mehler.features import KitchenSinks
from mehler.features.kitchen_sinks._weights import Law, LawName
from mehler.features.projections._base import ProjectionName
from mehler.sklearn._base import Sampler


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
    projections : str, default='gaussian'
        Joint distribution of the weights, see `mehler.features.projections`.
    random_state : int, RandomState, Generator or None, default=None
        Source of the map's seed; an integer is the seed itself.

    Attributes
    ----------
    map_ : mehler.KitchenSinks
        The immutable map, with its exact kernel and variance.
    n_features_in_ : int
        Width of the rows.
    feature_names_in_ : array of str
        Names of the columns, if `X` had any.

    See Also
    --------
    mehler.KitchenSinks : The map itself.
    FourierSampler : Shift-invariant kernels.

    Notes
    -----
    Pickles contain the recipe, less than a kilobyte; loading redraws the weights. A callable
    activation has no recipe: such an estimator can be cloned and searched over, but not pickled
    once fitted.

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

    _map = KitchenSinks
    _instead = KitchenSinks._instead

    n_components: int = 100
    activation: ActivationLike = "relu"
    weight_scale: float = 1.0
    bias: float | Literal["uniform"] = 0.0
    law: LawName | Law = "gaussian"
    projections: ProjectionName = "gaussian"
    random_state: Any = None
