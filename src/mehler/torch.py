"""Feature maps as PyTorch layers, with weights in the ``state_dict``: needs the extra ``torch``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from mehler import _arrays
from mehler._text import install_command
from mehler._validate import require_choice
from mehler.features import FeatureMap, from_recipe

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    message = f"mehler.torch needs PyTorch, which is not installed: {install_command('torch')}"
    raise ModuleNotFoundError(message, name="torch") from error

__all__ = ["RandomFeatures"]


class RandomFeatures(nn.Module):
    r"""Random features as a layer, whose weights are buffers and whose bandwidth can be learned.

    .. math:: x \mapsto \Phi(s \odot x), \qquad s = e^{\texttt{log\_scale}}

    for a map :math:`\Phi` and a scale s of the rows, 1 at the start. For Fourier features s is the
    inverse bandwidth in units of that which the map was drawn with.

    Parameters
    ----------
    map : FeatureMap, or a callable that draws one
        A stored map, or its class with arguments: ``RandomFeatures(mehler.FourierFeatures, 64, 500,
        gamma=0.1, seed=0)``.
    *args, **kwargs
        Arguments of the class.
    bandwidth : {'fixed', 'learned', 'per-input'}
        'learned' makes one scale a parameter, 'per-input' one for each column.

    Attributes
    ----------
    map : FeatureMap
        The map as it was drawn.
    log_scale : torch.nn.Parameter or None
        Logarithm of s, shape (1,) or (n_inputs,).

    Notes
    -----
    ``state_dict`` has the weights, and the recipe as extra state, so that ``load_state_dict``
    restores both exactly; ``torch.load`` reads it with ``weights_only=True``. ``to``, ``half`` and
    ``double`` convert the weights; rows are converted to their dtype, and float16 and bfloat16
    compute in float32. :meth:`kernel` does not depend on the weights.

    Examples
    --------
    >>> import torch, mehler
    >>> from mehler.torch import RandomFeatures
    >>> layer = RandomFeatures(mehler.FourierFeatures, 3, 100, seed=0, bandwidth="learned")
    >>> model = torch.nn.Sequential(layer, torch.nn.Linear(100, 1))
    >>> model(torch.ones(5, 3)).shape
    torch.Size([5, 1])
    >>> [name for name, _ in model.named_parameters()]
    ['0.log_scale', '1.weight', '1.bias']
    """

    map: FeatureMap
    log_scale: nn.Parameter | None

    def __init__(
        self,
        map: FeatureMap | Callable[..., FeatureMap],
        *args: Any,
        bandwidth: Literal["fixed", "learned", "per-input"] = "fixed",
        **kwargs: Any,
    ) -> None:
        super().__init__()
        require_choice("bandwidth", bandwidth, ("fixed", "learned", "per-input"))
        is_map = isinstance(map, FeatureMap)
        if is_map and (args or kwargs):
            raise TypeError("map is drawn already: leave its arguments out, or pass the class")
        phi = map(*args, **kwargs) if callable(map) and not is_map else map
        if not isinstance(phi, FeatureMap):
            raise TypeError(f"map={map!r} must be a map of mehler, or the class of one")
        if not phi.stored:
            raise ValueError("map has stored=False, and a layer keeps its weights: draw it stored")
        # A map drawn without a dtype takes that of PyTorch, not what NumPy would compute in.
        default = getattr(torch, phi.dtype) if phi.dtype else torch.get_default_dtype()
        here = phi.place.xp.__name__.endswith("torch")
        self.map = phi if here else phi.to(torch.zeros(0, dtype=default))
        # Copies: conversion and loading change the buffers, never the weights of the map.
        for i, weight in enumerate(self.map.weights):
            self.register_buffer(f"weight_{i}", weight.clone())
        self.log_scale = None
        if bandwidth != "fixed":
            scale = torch.zeros(1 if bandwidth == "learned" else phi.n_inputs)
            scale = scale.to(self.map.place.device, getattr(torch, self.map.first_dtype))
            self.log_scale = nn.Parameter(scale)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.map.n_features

    def forward(self, X: Tensor) -> Tensor:
        """Compute the features of rows.

        Parameters
        ----------
        X : tensor, shape (..., n_inputs)
            Rows. On a CPU those whose angles lose their phase are refused; NaN and infinity pass.

        Returns
        -------
        tensor, shape (..., n_features)
            In the dtype of the weights; codes are integers.
        """
        if not isinstance(X, Tensor) or X.layout is not torch.strided or X.is_complex():
            kind = f"{X.dtype}, {X.layout}" if isinstance(X, Tensor) else type(X).__name__
            raise TypeError(
                f"X must be a dense tensor of real numbers, not {kind}: pass torch.as_tensor(X), "
                "X.to_dense() or X.real"
            )
        d = self.map.n_inputs
        if X.ndim == 0 or X.shape[-1] != d:
            raise ValueError(f"X has shape {tuple(X.shape)}, but its last axis must be {d} long")
        rows = self._scaled(X).reshape(-1, d)
        weights = list(self.buffers(recurse=False))
        dtype = next(w.dtype for w in weights if w.is_floating_point())
        wide = torch.promote_types(dtype, torch.float32)
        weights = [w.to(wide) if w.is_floating_point() else w for w in weights]
        rows, waves = rows.to(wide), self.map._unit.angles is not None
        if waves and rows.shape[0] > 0:
            self.map._require_range(rows, self.map.first_dtype, None, self.map.weights)
        with _arrays.full_precision(rows):
            values = self.map._transform(self.map.place.xp, rows, *weights)
        if values.is_floating_point():
            values = _arrays.attached(values, rows).to(dtype)
        return values.reshape(*X.shape[:-1], self.map.n_features)

    def kernel(self, X: Tensor, Y: Tensor | None = None, *, check_finite: bool = True) -> Tensor:
        """Compute the kernel of the scaled rows, (n, k), by the map's method: differentiable."""
        right = None if Y is None else self._scaled(Y)
        return self.map.kernel(self._scaled(X), right, check_finite=check_finite)

    def _scaled(self, X: Tensor) -> Tensor:
        return X if self.log_scale is None else X * self.log_scale.exp()

    def extra_repr(self) -> str:
        return repr(self.map)

    def get_extra_state(self) -> dict[str, Any]:
        """Return the recipe of the map; none if it was drawn with a function."""
        try:
            return {"recipe": self.map.recipe()}
        except ValueError:
            return {"recipe": None}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """Draw the map of the recipe, so that its seed is that of the weights."""
        recipe, mine = state["recipe"], self.get_extra_state()["recipe"]
        if recipe is None or mine is None or recipe == mine:
            return
        if {**recipe, "seed": 0, "mehler": ""} != {**mine, "seed": 0, "mehler": ""}:
            raise ValueError(f"the state is of another map, {recipe}: make the layer with it")
        self.map = from_recipe(recipe, like=self.map.place)
