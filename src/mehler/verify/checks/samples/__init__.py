"""Checks of means of vectors and of covariances, from samples alone."""

from mehler.verify.checks.samples._covariance import check_covariance
from mehler.verify.checks.samples._mean_vector import check_mean_vector

__all__ = ["check_covariance", "check_mean_vector"]
