from sfumato.display.plots import accuracy_svg, cost_svg, plan_svg

__all__ = [
    "accuracy_svg",
    "cost_svg",
    "plan_svg",
]
