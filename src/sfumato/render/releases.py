"""What was released of a study so far, for the terminal and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.account.payers import people_key
from sfumato.account.published import Published, Role
from sfumato.account.readers import PUBLIC
from sfumato.printing import printable
from sfumato.render.words import counted
from sfumato.study.release_words import sum_words, sums_words
from sfumato.study.steps.records import StudyRecord

if TYPE_CHECKING:
    from rich.console import RenderableType

_HEADER = ("release", "noted", "epoch", "people", "part", "rows", "questions", "public", "public so far", "state")


def releases_table(found: StudyRecord) -> RenderableType:
    """Return every release of a study, and what they add up to, for rich to print."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    title = Text(printable(found.study.name), style="bold")
    if not found.releases:
        return Group(title, Text("Nothing of it was released, as far as its record knows."))
    table = Table()
    for i, name in enumerate(_HEADER):
        table.add_column(name, justify="right" if i in {2, 5} else "left")
    for number, one in enumerate(found.releases):
        published = one.published
        table.add_row(
            Text(printable(published.again or ("the first" if published.of is None else ""))),
            one.time,
            str(published.epoch),
            Text(printable(published.people or "of the study")),
            _part_words(published),
            f"{published.rows:,}",
            Text(printable(", ".join(column.question for column in published.columns))),
            sum_words(_public(found, number, alone=True)),
            sum_words(_public(found, number)),
            "released" if one.released else "unfinished",
        )
    parts: list[RenderableType] = [title, table, Text(adding_words(found))]
    if not all(one.released for one in found.releases):
        parts.append(Text("An unfinished release is finished by the command that began it.", style="red"))
    return Group(*parts)


def adding_words(found: StudyRecord) -> str:
    """Say what the person gives away of whom most is seen."""
    count = counted(len(found.releases), "release")
    said = f"Of one person, {count} show at most: {sums_words(found.sums)}."
    names = {people_key(one.published.people) for one in found.releases} - {None}
    parts = {one.published.role for one in found.releases} & {Role.APPEND}
    if len(names) > 1 or parts:
        whom = " and ".join(["people of different names"] * (len(names) > 1) + ["parts of a publication"] * bool(parts))
        said += f" That {whom} have nobody in common was declared, and is not checked here."
    return said


def releases_document(found: StudyRecord) -> dict[str, Any]:
    """Return every release of a study as one document."""
    return {
        "schema": "sfumato/released/2",
        "study": found.study.name,
        "record": None if found.record is None else str(found.record),
        "ledger": None if found.ledger is None else str(found.ledger),
        "releases": [
            {
                "release": one.published.token,
                "id": one.published.id,
                "name": one.published.again,
                "people": one.published.people,
                "part": one.published.part,
                "role": one.published.role.value,
                "of": one.published.of,
                "amends": one.published.amends,
                "time": one.time,
                "released": one.released,
                "epoch": one.published.epoch,
                "rows": one.published.rows,
                "fingerprint": one.published.fingerprint,
                "columns": {
                    column.question: {"drawing": column.drawing, "digest": column.digest}
                    for column in one.published.columns
                },
                "epsilon": dict(one.published.seen),
                "total_epsilon_of_releases": {total.holder: total.as_json for total in found.sums_at(number)},
            }
            for number, one in enumerate(found.releases)
        ],
        "total_epsilon_of_releases": {total.holder: total.as_json for total in found.sums} if found.releases else {},
    }


def _part_words(published: Published) -> str:
    short = published.part[:8]
    if published.amends is not None:
        return f"{short} amends {published.amends[:8]}"
    return f"{short} added" if published.role is Role.APPEND else short


def _public(found: StudyRecord, number: int, *, alone: bool = False) -> float | None:
    """What everybody sees: of one release, or up to it."""
    if alone:
        return float(dict(found.releases[number].published.seen)[PUBLIC])
    return found.sums_at(number)[0].epsilon
