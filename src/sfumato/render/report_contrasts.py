"""What differs between groups, on a study's page: a line for each pair of groups and number, as each reader sees it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.printing import printable
from sfumato.render.contrast_tables import contrast_cells, contrast_name
from sfumato.render.page_texts import number_mark
from sfumato.render.report_material import Seen
from sfumato.render.report_rows import epsilon_mark
from sfumato.render.sheets import scroll_box
from sfumato.study.contrasts import Contrast, group_contrasts

# More lines would bury the page; the command has them all.
_MOST_LINES = 120
_SAID = (
    "Whether two groups differ is not seen from their two intervals: each difference has an interval of its own, and "
    "one that holds 0 is no proof of a difference."
)


def contrasts_part(name: str, group: str, shown: Sequence[Seen]) -> str:
    """Return the differences between the groups of a question; nothing where there are none to tell."""
    readers = [{_key(one): one for one in group_contrasts(seen.groups)} for seen in shown]
    keys = [key for key in readers[0] if all(key in found for found in readers)]
    if not keys:
        return ""
    head = f"<h5>Differences by {escape(group)}</h5>"
    if len(keys) > _MOST_LINES:
        many = number_mark(len(keys), "count")
        return f"{head}<p>{many} of them; <code>sfumato estimate --contrasts</code> shows them all.</p>"
    columns = "".join(
        f'<th scope="colgroup" colspan="2" class="number">{escape(one.reader)}, '
        f"ε = {epsilon_mark(one.whole.epsilon, one.whole.question.id, one.whole.level)}</th>"
        for one in shown
    )
    confidence = f"{100 * readers[0][keys[0]].confidence:.6g} % interval"
    below = f'<th scope="col" class="number">difference</th><th scope="col" class="number">{confidence}</th>'
    rows = "".join(_row([found[key] for found in readers]) for key in keys)
    table = (
        f'<table><thead><tr><th scope="col" rowspan="2">{escape(group)}</th><th scope="col" rowspan="2">of</th>'
        f"{columns}</tr><tr>{below * len(shown)}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return f'{head}<p class="caption">{_SAID}</p>' + scroll_box(f"Differences for {name} by {group}", table)


def _key(one: Contrast) -> tuple[str, str, str, str | None]:
    return one.first, one.second, one.quantity, one.answer


def _row(same: Sequence[Contrast]) -> str:
    one = same[0]
    head = f'<th scope="row">{escape(printable(one.first))} minus {escape(printable(one.second))}</th>'
    cells = "".join(
        f'<td class="number">{escape(cell)}</td>' for found in same for cell in contrast_cells(found, number_mark)
    )
    return f"<tr>{head}<td>{escape(contrast_name(one))}</td>{cells}</tr>"
