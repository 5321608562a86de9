"""Suggest why a refuted kernel is wrong, with the fit of each suggestion."""

from mehler.verify.diagnosis._diagnose import observe as observe
