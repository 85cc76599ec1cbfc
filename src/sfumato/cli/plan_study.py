"""The part of `sfumato plan` for studies of several questions."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sfumato.cli.output import console, say, show_waiting

if TYPE_CHECKING:
    from sfumato.study.planning import QuestionPlan, StudyPlan


def plan_whole_study(path: Path, *, json: bool, markdown: bool, plot: Path | None, output: Path | None) -> None:
    """Work a study out; write certificates and a picture if asked, then print the plan."""
    from sfumato.files import write_atomically
    from sfumato.render.study_plans import accuracy_svg, study_plan_markdown, study_plan_tables
    from sfumato.study import read_study
    from sfumato.study.planning import LadderPlan, plan_study

    study = read_study(path)
    with show_waiting("planning"):
        plan = plan_study(study)
    documents: dict[Path, str] = {}
    if output is not None:
        documents |= {
            output / f"{planned.question.id}.certificate.json": planned.certificate.to_json()
            for planned in plan.questions
        }
    if plot is not None:
        ladders = [planned for planned in plan.questions if isinstance(planned, LadderPlan)]
        documents[plot] = accuracy_svg(ladders, population=study.population, title=study.name)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    for target, document in documents.items():
        write_atomically(target, document)
        say(f"wrote {target}")
    if json:
        typer.echo(json_module.dumps(plan_json(plan), ensure_ascii=False, allow_nan=False))
    elif markdown:
        typer.echo(study_plan_markdown(plan), nl=False)
    else:
        for part in study_plan_tables(plan):
            console().print(part)


def plan_json(plan: StudyPlan) -> dict[str, Any]:
    """Return a plan as one document."""
    from sfumato.render.budgets import debit_words
    from sfumato.study.study_files import as_document, fingerprint

    return {
        "schema": "sfumato/study-plan/1",
        "study": as_document(plan.study),
        "fingerprint": fingerprint(plan.study),
        "questions": [_question_json(planned) for planned in plan.questions],
        "total_epsilon": {total.holder: total.as_json for total in plan.totals},
        "debits": debit_words(plan.study) or None,
    }


def _question_json(planned: QuestionPlan) -> dict[str, Any]:
    from sfumato.study.planning import CardPlan, HuntPlan, ToldPlan

    if isinstance(planned, ToldPlan):
        return {
            "id": planned.question.id,
            "because": planned.because,
            "privacy": float(planned.design.privacy),
            "critical_recover_probability": float(planned.design.critical_rho),
        }
    if isinstance(planned, HuntPlan):
        return {
            "id": planned.question.id,
            "because": planned.because,
            "epsilon": planned.epsilon,
            "least_share": planned.least_share,
        }
    if isinstance(planned, CardPlan):
        chosen = planned.survey.costs[0]
        return {"id": planned.question.id, "design": chosen.name, "respondents": chosen.respondents}
    return {
        "id": planned.question.id,
        "because": planned.because,
        "ladder": json_module.loads(planned.ladder.declaration),
        "random_bits": planned.random_bits,
        "separate_random_bits": planned.separate_bits,
        "report_bytes": planned.report_bytes,
        "share": planned.share,
        "goal_half_width": planned.half_width,
        "levels": [
            {
                "level": level.level,
                "epsilon": level.epsilon,
                "readers": list(level.readers),
                "deviation": level.deviation,
                "respondents": level.respondents,
                "half_width": level.half_width,
                "key_bits": level.key_bits,
            }
            for level in planned.levels
        ],
    }
