"""For people to look at: terminal tables, Markdown, plots, and pages that stand alone."""

from sfumato.render.balance_plots import balance_svg
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.html import certificate_html
from sfumato.render.plots import cost_svg, estimate_svg
from sfumato.render.spinner import spinner_svg
from sfumato.render.surveys import estimates_markdown, estimates_text, plan_markdown, plan_table
from sfumato.render.text import audit_text, certificate_markdown, certificate_table

__all__ = [
    "audit_text",
    "balance_svg",
    "certificate_html",
    "certificate_markdown",
    "certificate_table",
    "cost_svg",
    "estimate_svg",
    "estimates_markdown",
    "estimates_text",
    "heatmap_svg",
    "plan_markdown",
    "plan_table",
    "spinner_svg",
]
