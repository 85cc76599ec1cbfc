"""Text, numbers, tables and charts as data, for terminals, Markdown, HTML and SVG."""
