"""What a paper becomes here: figures and tables to redraw, and errata that can be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from sfumato.errors import ClaimRefused, Refused
from sfumato.values.checks import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Fractions are exact and shown as such; floats are rounded where they are shown.
Cell = str | Fraction | float


ErratumKind = Literal["error", "missing hypothesis", "unit or notation", "gap in a proof", "question settled"]
"""What an entry says of the print; only an error is called one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with what the print says and what comes out; `rows` hold one cell for each of `columns`.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> table = next(iter(paper.tables.values()))()
    >>> table.title
    'Table I at δ = 1/4, weight 1/2: guess error (3/8 or more is asked) and Fisher information J at θ = 1/10'
    >>> table.columns[:4], len(table.rows)
    (('scheme', 'printed p0, p1', 'guess error, printed', 'J, printed'), 4)
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that the print says beside ours; both can be worked out at other values of `parameter`.

    `place` names a figure, a table or a passage. `relation` is what the print says of ours: that it equals the printed
    number, is at most or is at least that. Where `printed` is None the print has words only. `erratum` is the `where`
    of the erratum that explains why print and ours do not agree, and None when they do.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> entry = paper.entries[0]
    >>> entry.place, entry.what, entry.parameter, entry.value
    ('table-1', 'Warner: J at θ = 1/10', 'δ', Fraction(1, 4))
    >>> entry.judge().agrees, entry.erratum
    (False, "Table I, Warner's row")
    """

    place: str
    what: str
    parameter: str
    value: Any
    ours: Callable[[Any], Number]
    says: str
    printed: Callable[[Any], Number] | None = None
    relation: Literal["=", "≤", "≥"] = "="
    tolerance: float = 1e-9
    erratum: str | None = None

    def judge(self) -> Comparison:
        """Work out both sides where the paper stands."""
        ours = self.ours(self.value)
        if self.printed is None:
            return Comparison(entry=self, ours=ours, printed=None, agrees=None)
        printed = self.printed(self.value)
        excess = float(ours - printed)
        holds = {"=": abs(excess) <= self.tolerance, "≤": excess <= self.tolerance, "≥": excess >= -self.tolerance}
        return Comparison(entry=self, ours=ours, printed=printed, agrees=holds[self.relation])


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """An entry with its numbers; `agrees` is None where the print has no number.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> judged = paper.entries[0].judge()
    >>> judged.ours, judged.printed, judged.agrees, judged.is_explained
    (Fraction(25, 96), Fraction(25, 21), False, True)
    """

    entry: Entry
    ours: Number
    printed: Number | None
    agrees: bool | None

    @property
    def is_explained(self) -> bool:
        """Whether an erratum is named exactly where print and ours do not agree."""
        return (self.agrees is False) == (self.entry.erratum is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """Where the software departs from print. `check` runs the example and raises unless it shows what it says.

    Only a sentence that is false as printed is an error. It is `quoted` word for word (formulas in plain letters), and
    `reading` names the reading under which it is false; a question that the paper leaves open needs none.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> erratum = next(one for one in paper.errata if one.kind == "error")
    >>> erratum.where
    'Theorem 1, two outputs'
    >>> erratum.check()  # runs the counter-example, and would raise unless it shows what it says
    """

    where: str
    kind: ErratumKind
    quoted: str
    reading: str
    printed: str
    correct: str
    counter_example: str
    check: Callable[[], None]

    @property
    def sayings(self) -> tuple[tuple[str, str], ...]:
        """What there is to say, each with its heading, in the order of reading."""
        right, shown = ("correct", "counter-example") if self.kind == "error" else ("here", "example")
        said = (
            ("printed", self.printed),
            ("in its words", f"“{self.quoted}”" if self.quoted else ""),
            ("reading", self.reading),
            (right, self.correct),
            (shown, self.counter_example),
        )
        return tuple((name, words) for name, words in said if words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper by its key in docs/references.bib; figures and tables are made when they are called for.

    Each is a function of keyword parameters, all with the paper's own values as defaults; `paper_at` sets others.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> paper.key, list(paper.tables), list(paper.figures)
    ('C', ['table-1'], ['figure-2', 'figure-3', 'figure-4', 'both-limits'])
    >>> len(paper.errata) > 0, all(entry.judge().is_explained for entry in paper.entries[:5])
    (True, True)
    """

    key: str
    title: str
    figures: Mapping[str, Callable[..., Figure]]
    tables: Mapping[str, Callable[..., Table]]
    errata: tuple[Erratum, ...]
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        for name in ("figures", "tables"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


def refusal_of(erratum: Erratum) -> str:
    """Run a counter-example: empty when it shows what it says, else why it does not.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> sf.papers.refusal_of(paper.errata[0])  # empty: it shows what it says
    ''
    """
    try:
        erratum.check()
    except Refused as error:
        return str(error)
    return ""


def must_show(what: str, *, holds: bool) -> None:
    """Raise unless a counter-example shows what it says."""
    if not holds:
        raise ClaimRefused(
            f"the counter-example does not show that {what}", way_out="The print may be right after all."
        )
