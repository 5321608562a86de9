"""Maps as pytrees of JAX: constants of training, unless their weights are made leaves.

Importing this registers all classes of maps. Not imported with mehler: it needs JAX,
the extra ``jax``.
"""

try:
    from mehler.jax._pytrees import register, stacked, trainable
except ModuleNotFoundError as error:
    if error.name != "jax":
        raise
    words = 'mehler.jax needs JAX: pip install ".[jax]" in a checkout of mehler'
    raise ModuleNotFoundError(words, name="jax") from error

__all__ = ["register", "stacked", "trainable"]

register()
