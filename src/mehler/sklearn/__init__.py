"""Random feature maps as scikit-learn estimators, for pipelines, grid search, pandas and joblib.

Only this package needs scikit-learn, the extra ``sklearn``.

All estimators have `random_state`, an integer, the seed of the map itself; a RandomState or
Generator that it is drawn from; or None, NumPy's global one. Samplers of Gaussian weights have
`projections`, their joint distribution, see `mehler.features.projections`. After a fit
`n_features_in_` is the width of the rows and `feature_names_in_` the names of their columns, if
they had any; samplers have `map_`, the immutable map with its exact kernel and variance. Pickles
contain the map's arguments, about a kilobyte; loading draws its weights again.
"""

from mehler._text import install_command as _install_command

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError as error:
    raise ImportError(
        "mehler.sklearn needs scikit-learn 1.6 or newer, which is not installed: "
        + _install_command("sklearn")
    ) from error

from mehler.sklearn._ridge import RandomFeatureRidge, RandomFeatureRidgeClassifier
from mehler.sklearn._samplers import (
    DecoupledMaxoutSampler,
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutHasher,
    MaxoutSampler,
    SoftmaxSampler,
)

__all__ = [
    "DecoupledMaxoutSampler",
    "FourierSampler",
    "InvariantSampler",
    "KitchenSinkSampler",
    "LeverageSampler",
    "MaxoutHasher",
    "MaxoutSampler",
    "RandomFeatureRidge",
    "RandomFeatureRidgeClassifier",
    "SoftmaxSampler",
]
del _validate_data
