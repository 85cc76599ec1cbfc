from sfumato.certificates.rendering import audit_text, certificate_html, certificate_markdown, certificate_table
from sfumato.output.cards import spinner_svg
from sfumato.output.estimate_plots import shares_svg
from sfumato.prob.pictures import heatmap_svg

__all__ = [
    "audit_text",
    "certificate_html",
    "certificate_markdown",
    "certificate_table",
    "heatmap_svg",
    "shares_svg",
    "spinner_svg",
]
