"""Maxout codes as a transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mehler.features import MaxoutCodes
from mehler.features.projections._base import ProjectionName
from mehler.sklearn._base import Sampler


@dataclass(kw_only=True, eq=False, repr=False)
class MaxoutHasher(Sampler):
    r"""Maxout codes: `mehler.MaxoutCodes` as a transformer, one small integer per unit.

    .. math:: C(x) = \Big(\arg\max_{j\le q}\langle w^\ell_j, x\rangle\Big)_{\ell\le m}

    The fraction of equal digits, 1 minus scikit-learn's 'hamming' distance, estimates the
    collision probability :math:`\kappa_q(\rho)` that `expected_kernel` returns. Codes are
    unordered labels, for nearest neighbours and not for linear models.

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, the digits of a code.
    pool_size : int, default=4
        Pool size q, the number of values of a digit.
    projections : str, default='gaussian'
        Distribution of the weights, see `mehler.features.projections`.
    random_state : int, RandomState, Generator or None, default=None
        Source of the map's seed; an integer is the seed itself.

    Attributes
    ----------
    map_ : mehler.MaxoutCodes
        The immutable map, with its exact kernel and variance.
    n_features_in_ : int
        Width of the rows.
    feature_names_in_ : array of str
        Names of the columns, if `X` had any.

    See Also
    --------
    mehler.MaxoutCodes : The map itself.
    MaxoutSampler : The maxima instead of their positions.

    Notes
    -----
    Codes are uint8 up to q = 256, then int16 or int32. Pickles contain the recipe, less than a
    kilobyte; loading redraws the weights.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Remark 1.

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

    _map = MaxoutCodes
    _keeps: ClassVar[tuple[str, ...]] = ()

    n_components: int = 100
    pool_size: int = 4
    projections: ProjectionName = "gaussian"
    random_state: Any = None
