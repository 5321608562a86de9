"""Pages of the result model: HTML, JSON, Markdown, SVG and lines for a terminal."""
