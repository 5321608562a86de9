"""Test whether a random feature map behaves as its theory predicts.

Random feature maps on any array library, the exact kernels that they approximate, and checks
of the one against the other that state their error rates.
"""

from mehler._version import __version__

# A constant for type checkers: `python -m mehler` imports nothing of the folder it is started in.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from mehler import bounds, doubling, exact, features, kernels, learn, verify
    from mehler.features import (
        DecoupledMaxoutFeatures,
        DeepFeatures,
        DeepKernel,
        FourierFeatures,
        GroupInvariantFeatures,
        KitchenSinks,
        MaxoutCodes,
        MaxoutFeatures,
        from_recipe,
    )

__all__ = [
    "DecoupledMaxoutFeatures",
    "DeepFeatures",
    "DeepKernel",
    "FourierFeatures",
    "GroupInvariantFeatures",
    "KitchenSinks",
    "MaxoutCodes",
    "MaxoutFeatures",
    "__version__",
    "bounds",
    "doubling",
    "exact",
    "features",
    "from_recipe",
    "kernels",
    "learn",
    "verify",
]
# The last five have extras of their own, so that a star import leaves them out.
_PACKAGES = ["bounds", "doubling", "exact", "features", "kernels", "learn", "verify"]
_PACKAGES += ["planning", "report", "sklearn", "statements", "strategies"]


def __getattr__(name: str) -> object:
    # Nothing is imported before it is used: pytest imports this file in every run of every suite,
    # for the plugin.
    if name not in (*__all__, *_PACKAGES):
        raise AttributeError(f"module 'mehler' has no attribute {name!r}")
    from importlib import import_module as load

    return load(f"mehler.{name}") if name in _PACKAGES else getattr(load("mehler.features"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
