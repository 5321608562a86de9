"""Maps as pytrees of JAX: arguments of compiled functions, whose leaves are the weights.

Importing this registers all classes of maps. Not imported with mehler: it needs JAX,
``pip install 'mehler[jax]'``.
"""

from mehler.jax._pytrees import register, stacked

__all__ = ["register", "stacked"]

register()
