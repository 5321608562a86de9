"""Check the invariance of features under the action of a group."""
