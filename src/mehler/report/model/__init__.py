"""The result model from which all pages are rendered."""
