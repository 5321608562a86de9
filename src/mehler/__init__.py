"""mehler says whether a random feature map does what its theory says.

Random feature maps on any array library, the exact kernels that they approximate, and checks
of the one against the other that state their error rates.
"""

from mehler import exact, features
from mehler._version import __version__
from mehler.features import (
    DecoupledMaxoutFeatures,
    FourierFeatures,
    GroupInvariantFeatures,
    KitchenSinks,
    MaxoutCodes,
    MaxoutFeatures,
    from_recipe,
)

__all__ = [
    "DecoupledMaxoutFeatures",
    "FourierFeatures",
    "GroupInvariantFeatures",
    "KitchenSinks",
    "MaxoutCodes",
    "MaxoutFeatures",
    "__version__",
    "bounds",
    "data",
    "exact",
    "features",
    "from_recipe",
    "learn",
    "verify",
]
_ON_DEMAND = ("bounds", "data", "learn", "verify")


def __getattr__(name: str) -> object:
    # These bring imports of their own; a user who only transforms does not pay for them.
    if name in _ON_DEMAND:
        import importlib

        return importlib.import_module(f"mehler.{name}")
    raise AttributeError(f"module 'mehler' has no attribute {name!r}")
