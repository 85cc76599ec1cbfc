"""What the steps of a study cost, and paying for it: the debit first, then the release, then the note that it was made.

A study names its ledger in [budget]. Reports are locally private, so their ε adds up about a person's own answers.
Against an adversary who knows how people are alike, all reports together may tell a whole answer, and that is what is
charged in bits: no discount for other people [E, Prop. 7].   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from sfumato import measures
from sfumato.account import Ledger, Release, information, local, perfect_samples, recoverable
from sfumato.errors import InvalidParameter
from sfumato.io.query_files import QueryDesign
from sfumato.prob import Channel
from sfumato.study.collecting import channel_for
from sfumato.study.publishing import StudyPublication
from sfumato.study.questions import FreeText, Question, Recoverable
from sfumato.study.studies import Study, has_card
from sfumato.study.totals import totals_of
from sfumato.values.rounding import float_above, log2_bounds

# 1/ln 2, rounded up.
_BITS_A_NAT = Fraction("1.4426950408889634074")


def ledger_path(study: Study, study_file: str | Path | None = None) -> Path | None:
    """Where the ledger of a study is: the name in the study is relative to the study's file, as links in a page are."""
    if study.ledger is None:
        return None
    return Path(study.ledger) if study_file is None else Path(study_file).parent / study.ledger


@contextmanager
def paid(ledger: str | Path | None, release: Release | None, release_id: str | None = None) -> Iterator[None]:
    """Debit the ledger, let the release happen, and note that it did; without a ledger just let it happen.

    If the release fails, the debit stays: nobody can know how much of it was seen.
    """
    if ledger is None or release is None:
        yield
        return
    book = Ledger(ledger)
    receipt = book.spend(release, release_id=release_id)
    yield
    book.settle(receipt)


def refuse_simulation(ledger: str | Path | None) -> None:
    """Refuse to pay for reports from a seed that anyone can repeat: they hide nothing, whatever they cost."""
    if ledger is not None:
        raise InvalidParameter(
            "insecure_seed makes a simulation, and a ledger pays for releases only. Leave out the seed, or the ledger."
        )


def check_folder_of(path: str | Path) -> None:
    """Refuse a place that cannot be written to before anything is paid for."""
    if not Path(path).absolute().parent.is_dir():
        raise InvalidParameter(f"path={path}: its folder does not exist. Create the folder first; nothing was debited.")


def release_of_reports(study: Study, rows: int) -> Release:
    """What publishing the study for so many people costs each of them, if all analysts put their keys together."""
    # The public, each analyst, all of them together, the registrar: the last who sees no answers sees most.
    *_, sharpest = (total for total in totals_of(study) if not total.sees_answers)
    by_question = dict(sharpest.by_question)
    worst = [
        _at_most(_answer_bits(question), rows, _BITS_A_NAT * _exact(by_question[question.id]))
        for question in study.questions
    ]
    leakage = [_leakage_bits(study, question, by_question[question.id]) for question in study.questions]
    notes = [f"seen by: {sharpest.holder}"]
    if study.recover:
        notes.append("the registrar's key gives the answers back, and is not counted as a release")
    return local(
        f"reports: {study.name}"[:200],
        sharpest.epsilon,
        worst_case_bits=_sum_up(worst),
        leakage_bits=_sum_up(leakage),
        notes=notes,
    )


def id_of_reports(published: StudyPublication) -> str | None:
    """Name a publication by its draws: made again under the same keys it is the same release, already paid for."""
    note = published.reports.note
    drawings = sorted({key.drawing for by_level in published.keys.values() for key in by_level.values()})
    if len(drawings) == 0 or len(published.keys) < len(note.columns):
        return None  # something in it was drawn afresh
    drawn = sha256(" ".join(drawings).encode()).hexdigest()
    return f"reports {note.fingerprint[:16]} epoch {note.epoch} drawing {drawn[:32]}"


def release_of_answers(design: QueryDesign, rows: int) -> Release:
    """What the answers of a query cost each person, all responses together."""
    answers = Fraction(float_above(Fraction(log2_bounds(Fraction(len(design.query.prior.labels)))[1])))
    capacity = _sum_up([Fraction(measures.capacity_bits(channel).upper) for channel in design.channels])
    return recoverable(
        f"answers: {design.name}"[:200],
        _sum_up([_channel_leakage(channel) for channel in design.channels]),
        worst_case_bits=_at_most(answers, rows, capacity),
        epsilon=_sum_up([_exact(measures.epsilon(channel)) for channel in design.channels]),
        rho=design.query.rho,
    )


def release_of_disclosure(title: str, columns: Sequence[str], cells: int) -> Release:
    """What a disclosure costs: nothing about any sample under its law, up to the whole row against any other."""
    return perfect_samples(
        f"disclosure: {title}"[:200], rows_id=columns, worst_case_bits=Fraction(log2_bounds(Fraction(cells))[1])
    )


def release_of_noise(title: str, bits: float) -> Release:
    """What a calibrated answer about everybody costs: its individual capacity."""
    return information(f"noise: {title}"[:200], bits)


def _answer_bits(question: Question) -> Fraction:
    """log2 of how many different answers a person can have given, rounded up."""
    if isinstance(question, FreeText):
        return Fraction(8 * question.longest) + 1  # texts of every length up to the longest
    return Fraction(log2_bounds(Fraction(len(question.labels)))[1])


def _leakage_bits(study: Study, question: Question, epsilon: float) -> Fraction | float:
    if has_card(question) or isinstance(question, Recoverable):
        return _channel_leakage(channel_for(study, question))
    return min(_answer_bits(question), _BITS_A_NAT * _exact(epsilon))


def _channel_leakage(channel: Channel) -> Fraction:
    return Fraction(measures.maximal_leakage_interval(channel).upper)


def _at_most(answer: Fraction, rows: int, each: Fraction | float) -> Fraction | float:
    """The whole answer, or what so many reports can tell together, whichever is less."""
    together: Fraction | float = rows * each
    return min(together, answer)


def _sum_up(terms: Sequence[Fraction | float]) -> Fraction | float:
    exact = [term for term in terms if isinstance(term, Fraction)]
    return sum(exact, Fraction(0)) if len(exact) == len(terms) else math.inf


def _exact(amount: float) -> Fraction | float:
    return amount if math.isinf(amount) else Fraction(amount)
