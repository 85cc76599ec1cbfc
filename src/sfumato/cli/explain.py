"""sfumato explain: short explanations with numbers worked out on the spot."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.output import tell


def explain_command(
    topic: Annotated[str | None, typer.Argument(help="What to explain. Without one, the topics are listed.")] = None,
) -> None:
    """Explain an idea in a few lines, with numbers that are computed while you read.

    Example:

        sfumato explain key-reuse
    """
    from sfumato.errors import InvalidParameter
    from sfumato.render.explanations import TOPICS

    if topic is None:
        for name, (headline, _) in TOPICS.items():
            tell(f"{name:14} {headline}")
        return
    if topic not in TOPICS:
        raise InvalidParameter(
            "is not explained here", parameter="topic", value=topic, way_out=f"Choose one of {', '.join(TOPICS)}."
        )
    headline, explain = TOPICS[topic]
    tell(f"{headline}\n\n{explain()}", end="")
