"""Samples in, verdicts out: means of vectors and covariances, of which nothing need be known."""

from mehler.verify.checks.samples._covariance import check_covariance
from mehler.verify.checks.samples._mean_vector import check_mean_vector

__all__ = ["check_covariance", "check_mean_vector"]
