"""For people to look at: terminal tables, Markdown, and pages that stand alone."""

from sfumato.render.heatmap import heatmap_svg
from sfumato.render.html import certificate_html
from sfumato.render.text import audit_text, certificate_markdown, certificate_table

__all__ = ["audit_text", "certificate_html", "certificate_markdown", "certificate_table", "heatmap_svg"]
