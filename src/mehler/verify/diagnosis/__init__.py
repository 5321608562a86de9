"""Suggest why a refuted kernel is wrong, with the fit of each suggestion."""
