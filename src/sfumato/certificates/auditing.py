"""audit: draw from a mechanism and let the counts contradict its claim.

Each probability P(y|x) gets a Clopper-Pearson interval, all of them together failing with probability at most 1e-6. If
a lower end over an upper end of the same report exceeds e^ε, the claim of ε is refuted at that confidence. An audit can
refute a claim; it never proves one.   Ref: [CP34]; theory: docs/theory/audit.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits import BitSource, Mechanism
from sfumato.bits.mechanism import bits_or_default
from sfumato.certificates.words import at_least, at_most
from sfumato.errors import InvalidParameter
from sfumato.measures import epsilon
from sfumato.prob.alphabet import Alphabet, Label, check_labels
from sfumato.prob.binomial import clopper_pearson
from sfumato.values import Claim, Relation, Status
from sfumato.values.checks import check_at_least, check_between, check_integer
from sfumato.values.shown import Shown

DEFAULT_FAILURE = 1e-6
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Shown):
    """What the draws say about epsilon. `pair`: the answer favoured, the one disfavoured, the report.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> found = sf.audit(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)), 10_000)
    >>> found.claim.status.value
    'estimated'
    """

    draws: int
    epsilon_at_least: float
    claimed_epsilon: float | None
    confidence: float
    pair: tuple[Label, Label, Label]
    bits: str

    @property
    def contradicts_claim(self) -> bool:
        """Whether the draws refute the claimed epsilon, at the stated confidence."""
        return self.claimed_epsilon is not None and self.epsilon_at_least > self.claimed_epsilon

    @property
    def claim(self) -> Claim:
        """The result in the vocabulary of certificates."""
        return Claim(
            measure="epsilon",
            relation=Relation.AT_LEAST,
            value=self.epsilon_at_least,
            unit="nats",
            status=Status.ESTIMATED,
            because=f"Clopper-Pearson bounds on every P(y|x), {self.draws} draws [CP34]",
            sentence=self.sentence,
            confidence=self.confidence,
        )

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        found = f"From {self.draws} draws ε is at least {at_least(self.epsilon_at_least)}"
        if self.claimed_epsilon is None:
            return f"{found}."
        contradicts = "contradicts" if self.contradicts_claim else "does not contradict"
        return f"{found}, which {contradicts} the claim of {_stated(self.claimed_epsilon)}."


def _stated(claimed: float) -> str:
    """The claim as it was written: 0.1 means one tenth, and not the double above it."""
    return "∞" if math.isinf(claimed) else at_most(Fraction(repr(float(claimed))))


def audit(
    mechanism: Mechanism,
    n: int,
    *,
    claimed_epsilon: float | None = None,
    failure: float = DEFAULT_FAILURE,
    bits: BitSource | None = None,
    progress: Callable[[int], None] | None = None,
) -> Audit:
    """Draw `n` reports, spread evenly over the answers, and bound epsilon from below.

    The claim is the mechanism's own when none is given. `progress` is called with the number of new draws.

    Returns:
        The largest ε that the draws prove, and what it is held against.

    Raises:
        InvalidParameter: there are too few draws, or a parameter is outside of its range.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> sf.audit(coin, 100_000).claim.value > 1  # from draws alone, below ln 3 = 1.0986
    True
    """
    least = mechanism.size
    check_at_least("n", check_integer("n", n), least)
    source = bits_or_default(bits)
    claim = epsilon(mechanism.channel()) if claimed_epsilon is None else claimed_epsilon
    counts = [_draw_counts(mechanism, x, n // least + (x < n % least), source, progress) for x in range(mechanism.size)]
    labels = mechanism.channel()
    return audit_counts(
        counts,
        claimed_epsilon=claim,
        failure=failure,
        bits=source.label,
        answers=labels.inputs,
        reports=labels.outputs,
    )


def audit_counts(
    counts: Sequence[Sequence[int]],
    *,
    claimed_epsilon: float | None = None,
    failure: float = DEFAULT_FAILURE,
    bits: str = "not known",
    answers: Alphabet | None = None,
    reports: Alphabet | None = None,
) -> Audit:
    """Bound ε from below by counts[x][y] of reports that someone else's mechanism made.

    It is what `sf.audit` does with draws of its own. `answers` and `reports` are the labels of rows and columns,
    numbered when left out.

    Returns:
        The largest ε that the counts prove, and what it is held against.

    Raises:
        InvalidParameter: the counts are no table of whole numbers with a report for each of at least two answers,
            or a parameter is outside of its range.

    >>> import sfumato as sf
    >>> found = sf.certificates.audit_counts([[820, 180], [190, 810]], claimed_epsilon=1.0, answers=("no", "yes"))
    >>> found.contradicts_claim, found.pair
    (True, ('yes', 'no', 1))
    >>> found.sentence
    'From 2000 draws ε is at least 1.09, which contradicts the claim of 1.'
    """
    check_between("failure", failure, 1e-300, 0.5)
    if claimed_epsilon is not None and not claimed_epsilon >= 0:
        raise InvalidParameter(
            "must be at least 0",
            parameter="claimed_epsilon",
            value=claimed_epsilon,
            way_out="Give the epsilon to be tested.",
        )
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1 or table.dtype.kind not in "iu" or (table < 0).any():
        raise InvalidParameter(
            "must be a table of whole numbers ≥ 0 with a row for each of at least two answers",
            parameter="counts",
            way_out="Count the reports of each answer.",
        )
    rows, columns = (
        check_labels(name, labels, size)
        for name, labels, size in zip(("answers", "reports"), (answers, reports), table.shape, strict=True)
    )
    totals = table.sum(axis=1, keepdims=True)
    if (totals == 0).any():
        x = int(np.flatnonzero(totals[:, 0] == 0)[0])
        raise InvalidParameter(
            f"holds no reports at all of answer number {x}", parameter="counts", way_out="Draw some for every answer."
        )
    # One lower and one upper bound for each entry; together they fail with probability ≤ failure.
    tail = failure / (2 * table.size)
    lower, upper = clopper_pearson(table, totals, lower_tail=tail, upper_tail=tail)
    favoured, disfavoured = lower.argmax(axis=0), upper.argmin(axis=0)
    each = np.arange(table.shape[1])
    with np.errstate(divide="ignore"):
        ratios = np.log(lower[favoured, each]) - np.log(upper[disfavoured, each])
    worst = int(ratios.argmax())
    # One part in 1e9 covers what the inverse beta function may be off by; towards a weaker finding.
    found = max(0.0, float(ratios[worst]) - 1e-9) if math.isfinite(ratios[worst]) else 0.0
    return Audit(
        draws=int(totals.sum()),
        epsilon_at_least=found,
        claimed_epsilon=claimed_epsilon,
        confidence=1 - failure,
        pair=(rows[favoured[worst]], rows[disfavoured[worst]], columns[worst]),
        bits=bits,
    )


def _draw_counts(
    mechanism: Mechanism, x: int, n: int, bits: BitSource, progress: Callable[[int], None] | None
) -> tuple[int, ...]:
    total = None
    for start in range(0, n, _CHUNK):
        size = min(_CHUNK, n - start)
        part = mechanism.tally(mechanism.privatize(np.full(size, x), bits))
        total = part if total is None else total + part
        if progress is not None:
            progress(size)
    if total is None:
        raise InvalidParameter("must give every answer at least one draw", parameter="n", way_out="Raise `n`.")
    return total.counts
