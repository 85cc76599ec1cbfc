"""How a certificate of noise for bounded beliefs speaks of records or households, and of numbers or histograms."""

from __future__ import annotations

from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.belief_subjects import HISTOGRAM, BeliefSubject


def unit_words(subject: BeliefSubject) -> str:
    """What the bits are about."""
    return "record" if subject.people == 1 else "household"


def apart_words(subject: BeliefSubject) -> str:
    """What beliefs differ from."""
    return "independent records" if subject.people == 1 else f"independent households of at most {subject.people}"


def about_words(subject: BeliefSubject) -> str:
    """What beliefs may tie together."""
    if subject.people == 1:
        return f"the {subject.records} records"
    return f"the households of at most {subject.people} among the {subject.records} records"


def within_words(subject: BeliefSubject) -> str:
    """Where the records are."""
    if subject.statistic == HISTOGRAM:
        return f", each in at most one of {subject.dimension} cells"
    return f", each between {fraction_text(subject.low)} and {fraction_text(subject.high)}"


def split_reason(subject: BeliefSubject) -> str:
    """Theorem 1, as it holds for the subject."""
    many = "" if subject.people == 1 else "m"
    squared = "" if subject.people == 1 else "m²"
    own = f"½ log2(1 + {squared}D²/4s)" if subject.ball.dimension == 1 else f"(k/2) log2(1 + {squared}R²/ks)"
    return (
        f"c(1 - e^(-{many}(n-1)D²/4r)) + {own}: normal noise of variance r + s divides among the "
        f"{unit_words(subject)}s, and what the others' parts let through of c bits shrinks by that factor "
        "[E, Assumption 3]"
    )


def noise_words(subject: BeliefSubject) -> str:
    """The noise, and how its result is rounded."""
    several = subject.statistic == HISTOGRAM
    whose = "on each number, which" if several else f"; the noisy {subject.statistic}"
    return (
        f"The noise is normal with a deviation of at most {at_most(subject.deviation)}{' ' if several else ''}{whose} "
        f"is rounded to multiples of {fraction_text(subject.grid)}."
    )


def title_words(subject: BeliefSubject) -> str:
    """The title of a certificate."""
    return (
        f"Certificate of noise: the {subject.statistic} of {subject.records} records, for beliefs that share at most "
        f"{fraction_text(subject.shared_bits)} bits"
    )


def subject_words(subject: BeliefSubject) -> str:
    """What it is about, and what is assumed."""
    return (
        f"About the {subject.statistic} of {subject.records} records{within_words(subject)}, "
        f"with normal noise, rounded to multiples of {fraction_text(subject.grid)}. "
        f"Assumed: beliefs differ from {apart_words(subject)} by at most {fraction_text(subject.shared_bits)} bits."
    )
