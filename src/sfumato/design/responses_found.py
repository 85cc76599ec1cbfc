"""What a search for n responses has found: schemes with their privacy, and the best of them with the bound.

Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.design.converses import best_converse
from sfumato.design.patience import Patience
from sfumato.design.queries import Query
from sfumato.design.recoverable_answers import Rows
from sfumato.design.response_search import Progress, search
from sfumato.design.stakes import Stakes, privacy_interval
from sfumato.prob import Channel
from sfumato.values import Interval
from sfumato.values.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesDesign(Shown):
    """Channels, one a response, with the privacy of all of them together and the bound that none passes.

    `exact` is the privacy as a fraction where it was summed in fractions. `candidates` are the privacies of every
    scheme that was tried, best first; `search` says how far the search went; `gap` is what may still be missing.

    >>> import sfumato as sf
    >>> two = sf.design.responses([0.6, 0.4], [0, 1], 0.7, 5)
    >>> two.name, two.n, float(two.exact), two.exact == two.converse, two.gap
    ('V_o repeated', 5, 0.16308, True, 0.0)
    >>> two.search, [name for name, _ in two.candidates]
    ('not searched', ['V_o repeated', 'V_1 repeated'])
    """

    name: str
    query: Query
    channels: tuple[Channel, ...]
    privacy: Interval
    exact: Fraction | None
    converse: Fraction
    candidates: tuple[tuple[str, Interval], ...]
    search: str

    @property
    def gap(self) -> float:
        """How far the privacy may be from the best possible; 0 is proved."""
        reached = Fraction(self.privacy.lower) if self.exact is None else self.exact
        return float(max(Fraction(0), self.converse - reached))

    @property
    def n(self) -> int:
        """How many responses there are."""
        return len(self.channels)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Responses with a name, and their privacy: enclosed, and exact where it was summed in fractions."""

    name: str
    privacy: Interval
    exact: Fraction | None
    channels: tuple[Channel, ...]


@dataclass(slots=True)
class SchemeSearch:
    """What a search is given, what it has found, and whether it was stopped."""

    query: Query
    n: int
    starts: int
    patience: Patience
    progress: Progress | None
    found: list[Scheme] = field(default_factory=list)
    tried: bool = False
    stopped: bool = False

    @property
    def words(self) -> str:
        """How far the search went."""
        if not self.tried:
            return "not searched"
        return f"stopped after {self.patience.seconds:g} seconds" if self.stopped else "searched to its end"

    def add(self, name: str, right: Fraction | Interval, channels: tuple[Channel, ...]) -> None:
        """Add a scheme by how often guesses are right."""
        exact = 1 - right if isinstance(right, Fraction) else None
        self.found.append(Scheme(name, privacy_interval(right), exact, channels))

    def alternate(self, name: str, stakes: Stakes, bases: Sequence[Rows], expand: Callable[[Rows], Channel]) -> None:
        """Search for responses that differ from one another."""
        self.tried = True
        ended = search(stakes, self.n, bases, starts=self.starts, patience=self.patience, progress=self.progress)
        self.stopped |= not ended.ended
        if ended.responses is not None:
            right = stakes.right(ended.responses)
            self.add(name, right, tuple(expand(rows) for rows in ended.responses))

    def design(self, stakes: Stakes) -> ResponsesDesign:
        """Return the best of all that was found, with the bound that none passes."""
        self.found.sort(key=lambda candidate: -candidate.privacy.lower)
        best = self.found[0]
        reached = Fraction(best.privacy.lower) if best.exact is None else best.exact
        return ResponsesDesign(
            name=best.name,
            query=self.query,
            channels=best.channels,
            privacy=best.privacy,
            exact=best.exact,
            converse=best_converse(stakes, self.n, enough=reached),
            candidates=tuple((candidate.name, candidate.privacy) for candidate in self.found),
            search=self.words,
        )
