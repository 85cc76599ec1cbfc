"""A study's plan in words and tables, for the terminal and as Markdown, and privacy against accuracy as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.render.budgets import debit_words
from sfumato.render.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title
from sfumato.render.studies import epsilon_text, totals_rows, totals_table
from sfumato.render.surveys import escaped, goal_words, markdown_table, plan_table, printable, protection
from sfumato.study.planning import CardPlan, HuntPlan, LadderPlan, StudyPlan, ToldPlan, accuracy_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

_WIDTH = 46


def study_plan_tables(plan: StudyPlan) -> list[RenderableType]:
    """Return the plan for rich to print."""
    from rich.text import Text  # noqa: PLC0415  rich is only needed to print

    parts: list[RenderableType] = [Text(plan.study.name, style="bold")]
    for planned in plan.questions:
        parts.append(Text())
        if isinstance(planned, CardPlan):
            parts.append(plan_table(planned.survey, planned.certificate))
            continue
        if isinstance(planned, HuntPlan | ToldPlan):
            title = f"{planned.question.id}: {printable(planned.question.text)}"
            parts += [Text(title, style="bold"), Text(planned.because), Text(planned.words)]
            continue
        parts += [
            Text(f"{planned.question.id}: {printable(planned.question.text)}", style="bold"),
            Text(planned.because),
            Text(cost_words(planned)),
            Text(
                f"95 % intervals, if {100 * planned.share:.3g} % hold an answer; respondents for ± "
                f"{100 * planned.half_width:g} points:"
            ),
            _level_table(planned),
            Text(terminal_curve(planned)),
        ]
    parts += [Text(), totals_table(plan.study), Text(coalition_words(plan))]
    if plan.study.ledger is not None:
        parts.append(Text(printable(debit_words(plan.study))))
    return parts


def study_plan_markdown(plan: StudyPlan) -> str:
    """Return the same plan as Markdown."""
    said = [f"# {escaped(plan.study.name)}", ""]
    for planned in plan.questions:
        question = planned.question
        said += [f"## {escaped(question.id)}: {escaped(question.text)}", ""]
        if isinstance(planned, CardPlan):
            said += [f"- {'**!** ' if alarm else ''}{line}" for alarm, line in protection(planned.certificate)]
            chosen = planned.survey.costs[0]
            asked = planned.question
            said += ["", f"{goal_words(asked.plan, asked.answers[1])}: {chosen.respondents}", ""]
            continue
        if isinstance(planned, HuntPlan | ToldPlan):
            said += [escaped(planned.because), "", escaped(planned.words), ""]
            continue
        said += [escaped(planned.because), "", escaped(cost_words(planned)), ""]
        said += [*markdown_table(_LEVEL_HEADER, _level_rows(planned)), ""]
    header, rows = totals_rows(plan.study)
    said += ["## ε that a respondent spends", "", *markdown_table(header, rows), "", coalition_words(plan)]
    if plan.study.ledger is not None:
        said += ["", escaped(debit_words(plan.study))]
    return "\n".join(said) + "\n"


def coalition_words(plan: StudyPlan) -> str:
    """Say what all analysts together see."""
    by_holder = {total.holder: total for total in plan.totals}
    if "all analysts together" not in by_holder:
        return "There is one reader at most with a key; keys are nested, so nothing adds up between readers."
    together = by_holder["all analysts together"].epsilon
    return (
        f"All analysts together see ε = {epsilon_text(together)} of a respondent over all questions: of each question "
        f"what the best of their keys shows, and nothing more."
    )


def cost_words(planned: LadderPlan) -> str:
    """Say what a report costs in bits and bytes."""
    size = f"{planned.report_bytes} byte{'s' if planned.report_bytes > 1 else ''}"
    if len(planned.levels) == 1:
        return f"A report takes {planned.random_bits:.2f} random bits and {size}."
    return (
        f"A report takes {planned.random_bits:.2f} random bits ({planned.separate_bits:.2f} if each level had a report "
        f"of its own) and {size}."
    )


_LEVEL_HEADER = ("readers", "ε", "± with all", "respondents", "key, bits a row")


def _level_rows(planned: LadderPlan) -> list[tuple[str, ...]]:
    return [
        (
            ", ".join(level.readers) or "-",
            epsilon_text(level.epsilon),
            "-" if level.half_width is None else f"{100 * level.half_width:.2f} points",
            f"{level.respondents:,}",
            "none" if level.key_bits is None else f"{level.key_bits:.3f}",
        )
        for level in planned.levels
    ]


def _level_table(planned: LadderPlan) -> RenderableType:
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    table = Table()
    for i, name in enumerate(_LEVEL_HEADER):
        table.add_column(name, justify="left" if i == 0 else "right")
    for row in _level_rows(planned):
        table.add_row(*row)
    return table


def terminal_curve(planned: LadderPlan) -> str:
    """Draw privacy against accuracy with letters: the longer the bar, the wider the interval."""
    points = accuracy_curve(planned.question, planned.share)
    widest = math.log(points[0][1] / points[-1][1]) or 1.0
    lines = ["Privacy against accuracy: how many respondents for the same accuracy (log scale)"]
    reach = 1.959964
    for epsilon, deviation in points:
        length = round(1 + (_WIDTH - 1) * math.log(deviation / points[-1][1]) / widest)
        needed = math.ceil((reach * deviation / planned.half_width) ** 2)
        lines.append(f"  ε {epsilon:<5g} {'█' * length:<{_WIDTH}} {needed:>12,}")
    return "\n".join(lines)


def accuracy_svg(plans: Sequence[LadderPlan], *, population: int | None, title: str) -> str:
    """Draw the half-width of an interval against ε for every question; the study's levels are marked."""
    people = population or 1000

    def draw(figure: Figure) -> None:
        from matplotlib.ticker import LogLocator  # noqa: PLC0415  takes a second to import

        axes = figure.add_subplot()
        for i, planned in enumerate(plans):
            colour, dashes = LINE_STYLES[i % len(LINE_STYLES)]
            points = accuracy_curve(planned.question, planned.share)
            scale = 1.959964 / math.sqrt(people)
            axes.plot(
                [epsilon for epsilon, _ in points],
                [scale * deviation for _, deviation in points],
                color=colour,
                linestyle=dashes,
                linewidth=2.2,
                label=planned.question.id,
            )
            for level in planned.levels:
                axes.plot([level.epsilon], [scale * level.deviation], "o", color=colour, markersize=6)
                who = ", ".join(level.readers)
                if i == 0:
                    axes.axvline(level.epsilon, color=SOFT_INK, linewidth=1, linestyle=":")
                    axes.annotate(
                        who, (level.epsilon, 1.01), xycoords=("data", "axes fraction"), ha="center", fontsize=9
                    )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5], ["0.1", "0.2", "0.5", "1", "2", "5"])
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter(lambda _value, _: "")
        axes.yaxis.set_major_formatter(lambda value, _: f"± {100 * value:g} points")
        axes.yaxis.set_minor_formatter(lambda _value, _: "")
        axes.grid(which="major")
        axes.set_axisbelow(True)
        axes.set_xlabel("ε, nats (less is more private)")
        axes.set_ylabel(f"95 % interval of a share, {people:,} respondents")
        axes.legend(frameon=False, loc="lower left")
        figure_title(figure, title, "What each reader's key costs in accuracy")

    return figure_svg(draw, (9.6, 6.0))
