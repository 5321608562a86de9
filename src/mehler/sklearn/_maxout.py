"""Random maxout features, plain and decoupled, as transformers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mehler.features import DecoupledMaxoutFeatures, MaxoutCodes, MaxoutFeatures
from mehler.features.projections import ProjectionName
from mehler.sklearn._base import Sampler


@dataclass(kw_only=True, eq=False, repr=False)
class MaxoutSampler(Sampler):
    r"""Random maxout features: `mehler.MaxoutFeatures` as a transformer.

    .. math:: \Phi(x) = \frac1{\sqrt m}\Big(\max_{j\le q}\langle w^\ell_j, x\rangle
              \Big)_{\ell\le m}

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, one feature column each.
    pool_size : int, default=4
        Pool size q; 1 gives the linear kernel.
    centred : bool, default=False
        Subtract the mean of each unit: the kernel is then linear times a localiser.
    n_projections : int, default=None
        Number of projections shared by all units, instead of q for each.

    See Also
    --------
    mehler.MaxoutFeatures : The map itself.
    DecoupledMaxoutSampler : The kernel printed for maxout features.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Definition 1.

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

    _map = MaxoutFeatures

    n_components: int = 100
    pool_size: int = 4
    centred: bool = False
    n_projections: int | None = None
    projections: ProjectionName = "gaussian"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DecoupledMaxoutSampler(Sampler):
    r"""Decoupled maxout features: `mehler.DecoupledMaxoutFeatures` as a transformer.

    Their expected kernel is that printed for maxout features,
    :math:`\sigma^2(q)\langle x, z\rangle\kappa_q(\rho)`: linear times a localiser.

    Parameters
    ----------
    n_components : int, default=100
        Number of units m, one feature column each.
    pool_size : int, default=4
        Pool size q.
    directions : {'next', 'fresh'}, default='next'
        Whether a unit projects on the next unit's weights or on fresh ones, which doubles the
        cost.

    See Also
    --------
    mehler.DecoupledMaxoutFeatures : The map itself.
    MaxoutSampler : The coupled features.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 (the kernel).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import DecoupledMaxoutSampler
    >>> DecoupledMaxoutSampler(random_state=0).fit(np.eye(3)).expected_kernel(np.eye(3))[0, 1]
    np.float64(0.0)
    """

    _map = DecoupledMaxoutFeatures

    n_components: int = 100
    pool_size: int = 4
    directions: Literal["next", "fresh"] = "next"
    projections: ProjectionName = "gaussian"
    random_state: Any = None


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

    See Also
    --------
    mehler.MaxoutCodes : The map itself.
    MaxoutSampler : The maxima instead of their positions.

    Notes
    -----
    Codes are uint8 up to q = 256, then int16 or int32.

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
