"""Maps as pytrees of JAX: arguments of compiled functions, whose leaves are the weights.

Importing this registers all classes of maps. Not imported with mehler: it needs JAX,
``pip install 'mehler[jax]'``.
"""

try:
    from mehler.jax._pytrees import register, stacked
except ModuleNotFoundError as error:
    if error.name != "jax":
        raise
    raise ImportError("mehler.jax needs JAX: pip install 'mehler[jax]'") from error

__all__ = ["register", "stacked"]

register()
