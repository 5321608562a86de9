"""Render results as HTML, JSON, Markdown, SVG and lines for a terminal."""
