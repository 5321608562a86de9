"""MODULE:NAME: what the user wrote in, a map that can be drawn for any seed out."""
