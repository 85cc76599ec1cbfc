"""sfumato plan: how each question is asked, who sees what, and how many respondents are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Json, Markdown, one_screen
from sfumato.cli.output import console, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.study.planning import StudyPlan
    from sfumato.study.study import Study


_LIMITS = "Limits of a card, without a study file"
_GOAL = "Goal of a card"
_OUTPUT = "Output"


def plan_command(
    study: Annotated[
        Path | None, typer.Argument(help="The study file (TOML). Without one, give --guess-error.")
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="The question that goals and --card are for. Default: the only one with a card.")
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
    expected_share: Annotated[
        str | None, typer.Option(help="Share of the second answer that you expect.", rich_help_panel=_GOAL)
    ] = None,
    share_range: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="The least and the largest share for which the plan says what a report discloses: 0.05 0.3.",
            rich_help_panel=_GOAL,
        ),
    ] = None,
    half_width: Annotated[
        str | None, typer.Option(help="Half of the interval's width: 0.02.", rich_help_panel=_GOAL)
    ] = None,
    difference: Annotated[
        str | None,
        typer.Option(help="A difference between two groups that should be seen. Default: 0.05.", rich_help_panel=_GOAL),
    ] = None,
    theta_1: Annotated[
        str | None, typer.Option(help="One of two shares to tell apart. Default: the expected.", rich_help_panel=_GOAL)
    ] = None,
    theta_2: Annotated[
        str | None, typer.Option(help="The other of two shares to tell apart.", rich_help_panel=_GOAL)
    ] = None,
    error: Annotated[
        str | None, typer.Option(help="How often that test may be wrong. Default: 0.05.", rich_help_panel=_GOAL)
    ] = None,
    confidence: Annotated[
        str | None, typer.Option(help="Confidence of the interval. Default: 0.95.", rich_help_panel=_GOAL)
    ] = None,
    json: Json = False,
    markdown: Markdown = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Write privacy against accuracy or respondents (SVG) here.", rich_help_panel=_OUTPUT),
    ] = None,
    card: Annotated[
        Path | None, typer.Option(help="Write the respondent's card (SVG) here.", rich_help_panel=_OUTPUT)
    ] = None,
    statement: Annotated[
        Path | None,
        typer.Option(help="Write a statement for an ethics board (HTML, to print) here.", rich_help_panel=_OUTPUT),
    ] = None,
    script: Annotated[
        Path | None,
        typer.Option(
            help="Write the interviewer's script, with card and consent text (HTML), here.", rich_help_panel=_OUTPUT
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the sealed certificates here: a folder, or for one question a file that ends in .json.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Plan a study: how each question is asked and why, what it protects, and how many respondents it needs.

    For a question with a card, options of the goal take the place of what the study file says; its limits are changed
    in the file.

    Examples:

        sfumato plan study.toml --card card.svg -o certificate.json

        sfumato plan --guess-error 0.375 --expected-share 0.1 --half-width 0.02 --plot cost.svg

        sfumato plan --guess-error 0.375 --max-epsilon 2 --theta-1 0.1 --theta-2 0.2 --error 0.05
    """
    from sfumato.display.text import escaped
    from sfumato.files.disk import write_atomically
    from sfumato.files.formats import check_folder, check_places
    from sfumato.output.plans import study_plan_document, study_plan_markdown, study_plan_tables
    from sfumato.workflows.planning import plan as plan_step

    one_screen(json=json, markdown=markdown)
    check_places(card=card, plot=plot, statement=statement, script=script, out=out if _is_file(out) else None)
    check_folder("out", None if _is_file(out) else out)
    limits = {"guess_error": guess_error, "delta": delta, "weight": weight, "max_epsilon": max_epsilon}
    goal = {
        "expected_share": expected_share,
        "share_range": share_range,
        "half_width": half_width,
        "difference": difference,
        "theta_1": theta_1,
        "theta_2": theta_2,
        "error": error,
        "confidence": confidence,
    }
    declared = _declared(study, question, limits, {"outputs": outputs, "faces": faces}, goal)
    with show_waiting("planning"):
        found = plan_step(declared)
    # Every document is made before any is written, so a failure leaves nothing behind.
    documents = _certificates(found, out)
    if card is not None:
        documents[card] = _card(found, question)
    if plot is not None:
        from sfumato.display.plots import plan_svg

        documents[plot] = plan_svg(found.questions, population=declared.population, title=declared.name)
    if statement is not None or script is not None:
        from sfumato.output.statement_pages import script_html, statement_html

        documents |= {statement: statement_html(found)} if statement else {}
        documents |= {script: script_html(found)} if script else {}
    if out is not None and not _is_file(out):
        out.mkdir(parents=True, exist_ok=True)
    for target, document in documents.items():
        write_atomically(target, document)
        say(f"wrote {target}")
    released = "" if study is None else _released(study, declared)
    if json:
        tell_json(study_plan_document(found))
    elif markdown:
        tell(study_plan_markdown(found), end="")
        if released:
            tell(f"\n{escaped(released)}")
    else:
        for part in study_plan_tables(found):
            console().print(part)
        if released:
            tell(released)


def _released(study: Path, declared: Study) -> str:
    """Say what was released of a study that is about to be planned, by the record beside it."""
    from sfumato.publications.registry import may_be_remembered

    if not may_be_remembered(study, declared):
        return ""
    from sfumato.errors import SfumatoError
    from sfumato.output.accounts import adding_words
    from sfumato.publications.registry import read_registry

    try:
        found = read_registry(study)
    except SfumatoError as error:  # a plan needs neither record nor ledger, and goes on without
        return f"What was released of it is not known. {error}"
    return f"Published before. {adding_words(found)}" if found.releases else ""


def _declared(
    path: Path | None,
    question: str | None,
    limits: dict[str, str | None],
    wholes: dict[str, int | None],
    goal: Mapping[str, str | tuple[str, str] | None],
) -> Study:
    """Return the study of a file with the goals that were wished for, or one of a single card."""
    from sfumato.errors import InvalidInput, InvalidParameter, Place
    from sfumato.study.fields import exact_number
    from sfumato.study.file import read_study, study_from

    given: dict[str, object] = {name: value for name, value in (limits | wholes).items() if value is not None}
    wished = {
        name: exact_number(name, text) if isinstance(text, str) else tuple(exact_number(name, end) for end in text)
        for name, text in goal.items()
        if text is not None
    }
    if path is None:
        if ("guess_error" in given) == ("delta" in given):
            raise InvalidParameter(
                "or `delta` = 1 - 2 × guess error says what to plan for, where there is no study file",
                parameter="guess_error",
                way_out="Give a study file, or one of the two.",
            )
        if "theta_2" in wished and "theta_1" not in wished and "expected_share" in wished:
            wished["theta_1"] = wished["expected_share"]
        asked = {name: list(map(str, n)) if isinstance(n, tuple) else str(n) for name, n in wished.items()}
        try:
            return study_from({"name": "Plan", "question": "your yes/no question", **given, **asked})
        except InvalidInput as error:
            raise error.at(Place()) from None  # there is no file: its keys are options here
    if given:
        raise InvalidParameter(
            "is promised by the study file",
            parameter=next(iter(given)),
            way_out="Change it there, or plan without a file.",
        )
    return _wished(read_study(path), question, wished)


def _wished(study: Study, question: str | None, wished: Mapping[str, object]) -> Study:
    from dataclasses import replace

    if question is not None:
        study.question(question)
    if not wished:
        return study
    name = question or _only([one.id for one in study.questions if one.takes_goal], "a goal")
    changed = study.question(name).with_goal(wished)
    return replace(study, questions=tuple(changed if one.id == name else one for one in study.questions))


def _is_file(out: Path | None) -> bool:
    """Certificates go to a folder, or the only one to a file that is named as such."""
    return out is not None and out.suffix.lower() == ".json"


def _certificates(plan: StudyPlan, out: Path | None) -> dict[Path, str]:
    from sfumato.errors import InvalidParameter

    if out is None:
        return {}
    sealed = {name: certificate.to_json() for name, certificate in plan.certificates.items()}
    if not _is_file(out):
        return {out / f"{name}.certificate.json": document for name, document in sealed.items()}
    if len(sealed) > 1:
        raise InvalidParameter(
            f"is one file, and there are {len(sealed)} certificates",
            parameter="out",
            value=str(out),
            way_out="Name a folder.",
        )
    return {out: next(iter(sealed.values()))}


def _card(plan: StudyPlan, question: str | None) -> str:
    from sfumato.errors import InvalidParameter
    from sfumato.output.cards import spinner_svg

    asked = [planned for planned in plan.questions if planned.instructions]
    name = question or _only([planned.question.id for planned in asked], "a card")
    for planned in asked:
        if planned.question.id == name:
            if planned.card is None:
                raise InvalidParameter(
                    "cannot be drawn: the design draws too finely",
                    parameter="card",
                    way_out="Set faces = 1000 in the study, or give `faces` 1000.",
                )
            return spinner_svg(planned.card, title=planned.question.text)
    raise InvalidParameter(
        "is not asked with a card",
        parameter="question",
        value=name,
        way_out="Give it guess_error in the study, or name another.",
    )


def _only(names: list[str], what: str) -> str:
    from sfumato.errors import InvalidParameter

    if len(names) != 1:
        raise InvalidParameter(
            f"must say which one: {len(names) or 'no'} questions have {what}",
            parameter="question",
            way_out=f"Name one of {', '.join(names)}." if names else "Give one of them guess_error in the study.",
        )
    return names[0]
