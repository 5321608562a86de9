"""Spectra of kernels of differences: distributions of frequencies.

:class:`Spectrum` is the interface; pass your own to `FourierFeatures.draw(kernel=...)`.
"""

from mehler.features.spectra._gaussian import Gaussian
from mehler.features.spectra._laplacian import Laplacian
from mehler.features.spectra._matern import Matern
from mehler.features.spectra._named import spectrum_of
from mehler.features.spectra._spectrum import Spectrum

__all__ = ["Gaussian", "Laplacian", "Matern", "Spectrum", "spectrum_of"]
