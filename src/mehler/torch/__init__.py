"""Maps as modules of PyTorch: layers of a network, with weights in its ``state_dict``.

Not imported with mehler: it needs PyTorch, the extra ``torch``.
"""

try:
    from mehler.torch._random_features import RandomFeatures
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    words = 'mehler.torch needs PyTorch: pip install ".[torch]" in a checkout of mehler'
    raise ModuleNotFoundError(words, name="torch") from error

__all__ = ["RandomFeatures"]
