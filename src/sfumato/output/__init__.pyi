from sfumato.output.cards import spinner_svg
from sfumato.output.certificates import (
    audit_text,
    certificate_html,
    certificate_markdown,
    certificate_table,
    heatmap_svg,
)
from sfumato.output.estimate_plots import shares_svg

__all__ = [
    "audit_text",
    "certificate_html",
    "certificate_markdown",
    "certificate_table",
    "heatmap_svg",
    "shares_svg",
    "spinner_svg",
]
