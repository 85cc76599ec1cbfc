"""sfumato plan: the best survey within the limits, its card, and what it costs."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output import console, say
from sfumato.cli.plan_study import plan_whole_study

if TYPE_CHECKING:
    from sfumato.certificates import Certificate
    from sfumato.study import Plan, Survey, SurveyPlan

_LIMITS = "Limits"
_GOAL = "Goal"
_OUTPUT = "Output"


def plan_command(
    study: Annotated[
        Path | None, typer.Argument(help="The study file (TOML). Without one, give --guess-error.")
    ] = None,
    guess_error: Annotated[
        str | None,
        typer.Option(help="How often the best guess of an answer must be wrong: 0.375.", rich_help_panel=_LIMITS),
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="The same as 1 - 2 × guess error: 0.25.", rich_help_panel=_LIMITS)
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Weight of missing the second answer. Default: 0.5.", rich_help_panel=_LIMITS)
    ] = None,
    max_epsilon: Annotated[
        str | None, typer.Option(help="Largest ε in nats. Default: no limit.", rich_help_panel=_LIMITS)
    ] = None,
    outputs: Annotated[int | None, typer.Option(help="3 reports, or 2.", rich_help_panel=_LIMITS)] = None,
    faces: Annotated[
        int | None, typer.Option(help="Make it playable with so many faces: 6, 20, 1000.", rich_help_panel=_LIMITS)
    ] = None,
    share: Annotated[
        str | None, typer.Option(help="Expected share of the second answer.", rich_help_panel=_GOAL)
    ] = None,
    half_width: Annotated[
        str | None, typer.Option(help="Half of the interval's width: 0.02.", rich_help_panel=_GOAL)
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A second share, to be told apart from --share.", rich_help_panel=_GOAL)
    ] = None,
    error: Annotated[
        str | None, typer.Option(help="How often that test may be wrong. Default: 0.05.", rich_help_panel=_GOAL)
    ] = None,
    confidence: Annotated[
        str | None, typer.Option(help="Confidence of the interval. Default: 0.95.", rich_help_panel=_GOAL)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.", rich_help_panel=_OUTPUT)] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the plan as Markdown.", rich_help_panel=_OUTPUT)
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Write privacy against respondents (SVG) here.", rich_help_panel=_OUTPUT)
    ] = None,
    card: Annotated[
        Path | None, typer.Option(help="Write the respondent's card (SVG) here.", rich_help_panel=_OUTPUT)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the design's sealed certificate here.", rich_help_panel=_OUTPUT),
    ] = None,
) -> None:
    """Plan a study: how each question is asked and why, what it protects, and how many respondents it needs.

    For one yes/no question, options of the goal take the place of what the study file says; its limits are changed in
    the file. For a study of several questions --output names a folder, which gets a certificate for each.

    Examples:

        sfumato plan study.toml --card card.svg -o certificate.json

        sfumato plan --guess-error 0.375 --share 0.1 --half-width 0.02 --plot cost.svg

        sfumato plan --guess-error 0.375 --max-epsilon 2 --share 0.1 --against 0.2 --error 0.05
    """
    from sfumato.errors import InvalidParameter
    from sfumato.files import write_atomically
    from sfumato.render import plan_markdown, plan_table, spinner_svg
    from sfumato.study import plan_survey
    from sfumato.study.study_files import is_short_form

    if json and markdown:
        raise InvalidParameter("--json and --markdown both want the screen. Choose one.")
    if study is not None and not is_short_form(study):
        given = (guess_error, delta, weight, max_epsilon, outputs, faces, share, half_width, against, error, confidence)
        if any(value is not None for value in (*given, card)):
            raise InvalidParameter(
                "a study of several questions has its limits and goals in its file. Change them there."
            )
        plan_whole_study(study, json=json, markdown=markdown, plot=plot, output=output)
        return
    limits = {"guess_error": guess_error, "delta": delta, "weight": weight, "max_epsilon": max_epsilon}
    goal = {"expected_share": share, "half_width": half_width, "theta_2": against, "error": error}
    declared = _declared(study, limits, outputs, faces, goal | {"confidence": confidence})
    worked_out = plan_survey(declared)
    certificate = worked_out.design.certificate
    # Every document is made before any is written, so a failure leaves nothing behind.
    documents: dict[Path, str] = {}
    if output is not None:
        documents[output] = certificate.to_json()
    if card is not None:
        if worked_out.card is None:
            raise InvalidParameter(
                "the design draws too finely for a card. Set faces = 1000 in the study, or give --faces 1000."
            )
        documents[card] = spinner_svg(worked_out.card, title=declared.question)
    if plot is not None:
        documents[plot] = _plot(declared)
    for path, document in documents.items():
        write_atomically(path, document)
        say(f"wrote {path}")
    if json:
        typer.echo(json_module.dumps(_as_json(worked_out, certificate), ensure_ascii=False, allow_nan=False))
    elif markdown:
        typer.echo(plan_markdown(worked_out, certificate), nl=False)
    else:
        console().print(plan_table(worked_out, certificate))


def _declared(
    path: Path | None,
    limits: dict[str, str | None],
    outputs: int | None,
    faces: int | None,
    goal: dict[str, str | None],
) -> Survey:
    from dataclasses import replace

    from sfumato.errors import InvalidParameter
    from sfumato.study import Plan, StudyLimits, Survey, exact_number, read_survey
    from sfumato.study.survey_files import error_from_delta

    given = {name: exact_number(name, text) for name, text in limits.items() if text is not None}
    wished = {name: exact_number(name, text) for name, text in goal.items() if text is not None}
    if path is not None:
        if given or outputs is not None or faces is not None:
            raise InvalidParameter(
                "limits, outputs and faces are promised by the study file. Change them there, or plan without a file."
            )
        study = read_survey(path)
        return replace(study, plan=_goal(study.plan, wished))
    if ("guess_error" in given) == ("delta" in given):
        raise InvalidParameter("give a study file, or --guess-error, or --delta = 1 - 2 × guess error: one of them.")
    if "delta" in given:
        given["guess_error"] = error_from_delta(given.pop("delta"))
    return Survey(
        name="Plan",
        question="your yes/no question",
        limits=StudyLimits(**given),
        outputs=3 if outputs is None else outputs,
        faces=faces,
        plan=_goal(Plan(), wished),
    )


def _goal(plan: Plan, wished: dict[str, Any]) -> Plan:
    """Put the wishes in the place of what the plan says; wishing for an interval drops the test, and the reverse."""
    from dataclasses import replace

    from sfumato.errors import InvalidParameter

    if "theta_2" in wished:
        if "half_width" in wished:
            raise InvalidParameter("--half-width and --against are two different goals. Choose one.")
        if "expected_share" not in wished and plan.expected_share is None and plan.theta_1 is None:
            raise InvalidParameter("--against needs --share, the other of the two shares to tell apart. Give both.")
        first = wished.get("expected_share", plan.theta_1 if plan.theta_1 is not None else plan.expected_share)
        return replace(plan, half_width=None, theta_1=first, **wished)
    if "half_width" in wished:
        return replace(plan, theta_1=None, theta_2=None, **{"error": None, **wished})
    return replace(plan, **wished)


def _plot(study: Survey) -> str:
    from fractions import Fraction

    from sfumato.render import cost_svg
    from sfumato.render.surveys import goal_words
    from sfumato.study import cost_levels

    chosen = study.limits.guess_error
    levels = cost_levels(study, sorted({*(Fraction(i, 200) for i in range(2, 97)), chosen}))
    return cost_svg(
        levels, guess_error=float(chosen), goal=goal_words(study.plan, study.answers[1]), title=study.question
    )


def _as_json(plan: SurveyPlan, certificate: Certificate) -> dict[str, object]:
    from math import isfinite

    from sfumato.render.surveys import protection
    from sfumato.study.survey_files import as_document

    channel, card = plan.design.channel, plan.card
    return {
        "schema": "sfumato/plan/1",
        "study": as_document(plan.study),
        "design": {
            "name": plan.design.name,
            "answers": channel.inputs,
            "reports": channel.outputs,
            "rows": [[str(p) for p in row] for row in channel.rows],
        },
        "card": None
        if card is None
        else {"faces": card.faces, "device": card.device, "lines": card.lines(), "ranges": card.ranges},
        "protection": [sentence for _, sentence in protection(certificate)],
        "designs": [
            {
                "name": cost.name,
                "chosen": cost.is_chosen,
                "respondents": cost.respondents,
                "rule": cost.rule,
                "fisher_information": cost.information if isfinite(cost.information) else "inf",
                "guess_error": str(cost.guess_error),
                "epsilon": cost.epsilon if isfinite(cost.epsilon) else "inf",
                "exposure": str(cost.exposure),
            }
            for cost in plan.costs
        ],
        "levels": [
            {
                "guess_error": str(level.guess_error),
                "respondents_about": {name: n if isfinite(n) else "inf" for name, n in level.respondents},
            }
            for level in plan.levels
        ],
    }
