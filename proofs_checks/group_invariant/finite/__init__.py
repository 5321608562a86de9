"""What finitely many templates, elements and bins leave of it."""
