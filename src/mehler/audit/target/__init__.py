"""Turn MODULE:NAME into a map that can be drawn for any seed."""
