"""The papers behind this software: a folder each, with what they draw, tabulate and misprint.

Everything is computed by the calls that users have, so a figure that agrees with print is a test of the software, and
one that does not is an erratum of either.
"""

from types import MappingProxyType

from sfumato.errors import InvalidParameter
from sfumato.papers import (
    dalenius_goal,
    perfect_sample_privacy,
    randomized_responses,
    recoverable_functions,
    successive_refinement,
)
from sfumato.papers.drawing import png_bytes, svg_bytes
from sfumato.papers.records import Cell, Comparison, Entry, Erratum, ErratumKind, Paper, Table, refusal_of
from sfumato.papers.settings import paper_at, parameters_of, places_of, read_settings

PAPERS = MappingProxyType(
    {
        "randomized-responses": randomized_responses.PAPER,
        "recoverable-functions": recoverable_functions.PAPER,
        "successive-refinement": successive_refinement.PAPER,
        "perfect-sample-privacy": perfect_sample_privacy.PAPER,
        "dalenius-goal": dalenius_goal.PAPER,
    }
)

__all__ = [
    "PAPERS",
    "Cell",
    "Comparison",
    "Entry",
    "Erratum",
    "ErratumKind",
    "Paper",
    "Table",
    "paper_at",
    "paper_named",
    "parameters_of",
    "places_of",
    "png_bytes",
    "read_settings",
    "refusal_of",
    "svg_bytes",
]


def paper_named(slug: str) -> Paper:
    """Return a paper by its slug.

    Raises:
        InvalidParameter: no paper has that slug.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> paper.key, paper.title
    ('C', 'Accuracy-Privacy Trade-off in Analyzing Randomized Responses')
    >>> sorted(sf.papers.PAPERS)[:3]
    ['dalenius-goal', 'perfect-sample-privacy', 'randomized-responses']
    """
    try:
        return PAPERS[slug]
    except KeyError:
        raise InvalidParameter(
            "names no paper", parameter="slug", value=slug, way_out=f"Known papers: {', '.join(sorted(PAPERS))}."
        ) from None
