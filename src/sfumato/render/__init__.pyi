from sfumato.render.heatmap import heatmap_svg
from sfumato.render.html import certificate_html
from sfumato.render.plots import accuracy_svg, cost_svg, plan_svg
from sfumato.render.share_plots import shares_svg
from sfumato.render.spinner import spinner_svg
from sfumato.render.text import audit_text, certificate_markdown, certificate_table

__all__ = [
    "accuracy_svg",
    "audit_text",
    "certificate_html",
    "certificate_markdown",
    "certificate_table",
    "cost_svg",
    "heatmap_svg",
    "plan_svg",
    "shares_svg",
    "spinner_svg",
]
