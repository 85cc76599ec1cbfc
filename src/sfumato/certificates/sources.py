"""The works that claims cite, spelled out: a file that says [B, Thm 3] says who wrote B as well.

A test compares this table with docs/references.bib.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sfumato.errors import InvalidParameter
from sfumato.values import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A work, by the short key that stands in square brackets.

    A certificate spells out the works that its claims cite: `certificate.sources`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> made = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    >>> [source.key for source in made.sources]
    ['A', 'B', 'Bir46', 'C', 'Che52', 'E', 'IWK20', 'Sha48', 'Smith09']
    >>> str(made.sources[-2])
    '[Sha48] Claude E. Shannon: A mathematical theory of communication. Bell System Technical Journal, 1948.'
    """

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"[{self.key}] {self.authors}: {self.title}. {self.venue}, {self.year}."


def _table(*sources: Source) -> dict[str, Source]:
    return {source.key: source for source in sources}


SOURCES = _table(
    Source(
        key="A",
        authors="Ajaykrishnan Nageswaran, Prakash Narayan",
        title="Data Privacy for a ρ-Recoverable Function",
        venue="IEEE Transactions on Information Theory",
        year=2019,
    ),
    Source(
        key="B",
        authors="Antonious M. Girgis, Deepesh Data, Kamalika Chaudhuri, Christina Fragouli, Suhas Diggavi",
        title="Successive Refinement of Privacy",
        venue="arXiv:2005.11651",
        year=2020,
    ),
    Source(
        key="C",
        authors="Yuuya Yoshida, Man-Hong Yung, Masahito Hayashi",
        title="Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
        venue="arXiv:1805.06278v1",
        year=2018,
    ),
    Source(
        key="D",
        authors="Borzoo Rassouli, Fernando E. Rosas, Deniz Gündüz",
        title="Data Disclosure under Perfect Sample Privacy",
        venue="IEEE Transactions on Information Forensics and Security",
        year=2020,
    ),
    Source(
        key="E",
        authors="Genqiang Wu, Xianyao Xia, Yeping He",
        title="Achieving Dalenius' Goal of Data Privacy with Practical Assumptions",
        venue="arXiv:1703.07474",
        year=2017,
    ),
    Source(
        key="AS19b",
        authors="Mohammad A. Alhejji, Graeme Smith",
        title="A Tight Uniform Continuity Bound for Equivocation",
        venue="arXiv:1909.00787",
        year=2019,
    ),
    Source(
        key="Bir46",
        authors="Garrett Birkhoff",
        title="Tres observaciones sobre el álgebra lineal",
        venue="Universidad Nacional de Tucumán, Revista, Serie A",
        year=1946,
    ),
    Source(
        key="Che52",
        authors="Herman Chernoff",
        title="A measure of asymptotic efficiency for tests of a hypothesis based on the sum of observations",
        venue="The Annals of Mathematical Statistics",
        year=1952,
    ),
    Source(
        key="CP34",
        authors="C. J. Clopper, E. S. Pearson",
        title="The use of confidence or fiducial limits illustrated in the case of the binomial",
        venue="Biometrika",
        year=1934,
    ),
    Source(
        key="IWK20",
        authors="Ibrahim Issa, Aaron B. Wagner, Sudeep Kamath",
        title="An operational approach to information leakage",
        venue="IEEE Transactions on Information Theory",
        year=2020,
    ),
    Source(
        key="McK04",
        authors="Andrew L. McKellips",
        title="Simple Tight Bounds on Capacity for the Peak-Limited Discrete-Time Channel",
        venue="IEEE International Symposium on Information Theory",
        year=2004,
    ),
    Source(
        key="Sha48",
        authors="Claude E. Shannon",
        title="A mathematical theory of communication",
        venue="Bell System Technical Journal",
        year=1948,
    ),
    Source(
        key="Smith09",
        authors="Geoffrey Smith",
        title="On the foundations of quantitative information flow",
        venue="Foundations of Software Science and Computational Structures (FOSSACS)",
        year=2009,
    ),
    Source(
        key="WOS+03",
        authors="Tsachy Weissman, Erik Ordentlich, Gadiel Seroussi, Sergio Verdu, Marcelo J. Weinberger",
        title="Inequalities for the L1 Deviation of the Empirical Distribution",
        venue="Hewlett-Packard Labs",
        year=2003,
    ),
)

_BRACKETS = re.compile(r"\[([^][]+)\]")
# A letter of the five papers, or author and year; "[0.1, 0.2]" is no citation.
_KEY = re.compile(r"[A-E]|[A-Z][A-Za-z]*\+?[0-9]{2}[a-z]?")


def keys_in(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites: of "[B, Lemma 6; Bir46]" B and Bir46."""
    entries = (entry for inside in _BRACKETS.findall(text) for entry in inside.split(";"))
    firsts = (entry.split(",")[0].strip() for entry in entries)
    return tuple(key for key in firsts if _KEY.fullmatch(key))


def cited_sources(claims: Iterable[Claim]) -> tuple[Source, ...]:
    """Return every work that the claims cite, sorted by key."""
    keys = sorted({key for claim in claims for key in keys_in(claim.because)})
    if unknown := [key for key in keys if key not in SOURCES]:
        raise InvalidParameter(
            f"a claim cites [{unknown[0]}], which is none of the works that claims rest on",
            way_out="Ask for the original certificate.",
        )
    return tuple(SOURCES[key] for key in keys)
