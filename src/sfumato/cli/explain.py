"""sfumato explain: short explanations with numbers worked out on the spot, and a page to try numbers out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import tell, tell_json

EXPLORER = "explorer"


def explain_command(
    topic: Annotated[str | None, typer.Argument(help="What to explain. Without one, the topics are listed.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help=f"Write it into this file. The explorer goes into {EXPLORER}.html without it."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain an idea in a few lines, with numbers that are computed while you read.

    The explorer is one page for a browser, which works offline: sliders for privacy, people, answers and analysts, and
    what each does to respondents and to what you learn.

    Example:

        sfumato explain key-reuse
        sfumato explain correlations --json
        sfumato explain explorer --out explorer.html
    """
    from sfumato.errors import InvalidParameter
    from sfumato.files import write_atomically
    from sfumato.files.places import check_places
    from sfumato.render.explanations import TABLES, TOPICS
    from sfumato.render.explorer_pages import TITLE, explorer_html

    check_places(out=out)
    if json:
        if topic not in TOPICS or out is not None:
            raise InvalidParameter(
                "prints one topic on the screen",
                parameter="json",
                way_out=f"Name one of {', '.join(TOPICS)}, without `out`.",
            )
        headline, explain = TOPICS[topic]
        table = TABLES[topic]() if topic in TABLES else None
        tell_json({"topic": topic, "headline": headline, "text": explain(), "table": table})
        return
    if topic is None:
        for name, headline in [*((name, headline) for name, (headline, _) in TOPICS.items()), (EXPLORER, TITLE)]:
            tell(f"{name:14} {headline}")
        return
    if topic == EXPLORER:
        out, text = Path(f"{EXPLORER}.html") if out is None else out, explorer_html()
    elif topic in TOPICS:
        headline, explain = TOPICS[topic]
        text = f"{headline}\n\n{explain()}"
    else:
        raise InvalidParameter(
            "is not explained here",
            parameter="topic",
            value=topic,
            way_out=f"Choose one of {', '.join([*TOPICS, EXPLORER])}.",
        )
    if out is None:
        tell(text, end="")
        return
    write_atomically(out, text)
    tell(f"wrote {out}")
