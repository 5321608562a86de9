"""Maps as modules of PyTorch: layers of a network, with weights in its ``state_dict``.

Not imported with mehler: it needs PyTorch, ``pip install 'mehler[torch]'``.
"""

from mehler.torch._random_features import RandomFeatures

__all__ = ["RandomFeatures"]
