"""What a certificate of a channel is about: an exact channel under an exact prior, and how the two came to be exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.certificates.collected import MAKER_SAYS, Collected, check_collected, collected_notes
from sfumato.certificates.registry import subject_of
from sfumato.errors import ClaimRefused, InvalidInput, InvalidLaw, InvalidParameter
from sfumato.measures.individual.records import check_shape
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution, DistributionLike, as_channel, as_prior
from sfumato.prob.exact import MOST_DENOMINATOR_BITS, common_denominator
from sfumato.values.checks import Number

# A structured channel no larger than this is written out, so that every measure applies to it.
_SMALL_ENTRIES = 4096
# Below this the logarithms that certificates need have left the range of doubles.
_SMALLEST = Fraction(1, 1 << 900)
# Rows of floats sum to 1 up to 1e-9, and the largest entry takes up what is missing: no entry moves further.
_MOST_MOVED = 1e-8
# Symbols of a structured channel that are looked at one by one within seconds.
MOST_SYMBOLS = 1 << 19
_MAKER = f"{MAKER_SAYS} this is"
# Families of mechanisms that a note may name; any other is called a mechanism.
FAMILIES = (
    "arc_response",
    "binary_hadamard",
    "cyclic_response",
    "flags",
    "hadamard_response",
    "mechanism",
    "optimised_unary",
    "permanent_unary",
    "randomized_response",
    "sets",
    "subset_selection",
    "symmetric_unary",
    "tabulated",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSubject:
    """A channel under a prior. With `shape`, its inputs are tables of records with so many values each.

    `mechanism` is the family of the mechanism whose sampled law it is. `channel_moved` and `prior_moved` bound how far
    an entry moved when float64 was made exact, None where it was exact already. `collected` says how reports came in.

    >>> import sfumato as sf
    >>> subject = sf.certify(sf.Channel([[0.7, 0.3], [0.2, 0.8]])).subject
    >>> subject.channel.exact, subject.prior.probabilities
    (True, (Fraction(1, 2), Fraction(1, 2)))
    >>> 0 < subject.channel_moved < 1e-15  # what it took to make the float 0.7 a fraction on a grid
    True
    """

    channel: AnyChannel
    prior: Distribution
    shape: tuple[int, ...] | None = None
    mechanism: str | None = None
    channel_moved: float | None = None
    prior_moved: float | None = None
    collected: Collected | None = None

    def check_collected(self) -> None:
        """Refuse what cannot be: a channel has no keys."""
        check_collected(self.collected)


@subject_of.register
def channel_subject(
    thing: Channel, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    """Return the subject of a channel."""
    return _make(thing, prior, shape, None)


@subject_of.register
def _circulant_subject(
    thing: Circulant, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    return _make(thing, prior, shape, None)


@subject_of.register
def _mechanism_subject(
    thing: object, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    """Return the subject of what has a channel (a mechanism, a design), or of rows in lists or an array."""
    found: Any = getattr(thing, "channel", None)
    if isinstance(found, Channel | Circulant):
        return _make(found, prior, shape, None)
    if callable(found):
        return _make(found(), prior, shape, _family(str(getattr(thing, "name", ""))))
    if isinstance(thing, Sequence) or hasattr(thing, "__array__"):
        return _make(as_channel(thing, "thing"), prior, shape, None)
    raise InvalidParameter(
        f"must be something to certify, not {type(thing).__name__}",
        parameter="thing",
        way_out="Pass a channel, a mechanism, a ladder, a disclosure, a design, or the rows of a channel.",
    )


def check_subject(subject: ChannelSubject) -> None:
    """Raise ClaimRefused unless everything can be recomputed from the subject."""
    channel, prior = subject.channel, subject.prior
    if not (channel.exact and prior.exact):
        raise ClaimRefused("the channel and its prior must be exact, or nothing can be recomputed from them")
    if len(prior) != channel.shape[0] or min(prior.distinct) == 0:
        raise ClaimRefused("the prior must give every input of the channel a positive probability")
    if subject.mechanism is not None and subject.mechanism not in FAMILIES:
        raise ClaimRefused("the mechanism must be one of the families that are known here")
    subject.check_collected()
    _check_profiles(channel)
    for moved in (subject.channel_moved, subject.prior_moved):
        if moved is not None and not 0 <= moved <= _MOST_MOVED:
            raise ClaimRefused(f"an entry cannot have moved by {moved:g} when float64 was made exact")
    try:
        if subject.shape is not None:
            check_shape(channel, subject.shape)
    except InvalidInput as error:
        raise ClaimRefused(f"the records do not fit the channel: {error}") from None


def _check_profiles(channel: AnyChannel) -> None:
    """What is claimed follows from how often each level reaches each report, which is found again by another way."""
    if not isinstance(channel, Circulant) or not channel.is_coarse:
        return
    if sorted(channel.column_profiles()) != sorted(channel.column_profiles_again()):
        raise ClaimRefused("two ways of counting how often each level reaches each report disagree")


def state_notes(subject: ChannelSubject) -> tuple[str, ...]:
    """Tell how the subject came to be exact, and collected: on its maker's word, since the file does not hold that."""
    notes = []
    if subject.mechanism is not None:
        family = "a mechanism" if subject.mechanism == "mechanism" else subject.mechanism
        notes.append(f"{_MAKER} the law that {family} samples, read from its integer thresholds.")
    for what, moved in (("channel", subject.channel_moved), ("prior", subject.prior_moved)):
        if moved is not None:
            notes.append(
                f"{_MAKER} a {what} in float64 that was made exact by rounding each entry to a grid and putting what "
                f"was missing on the largest entry of its row; no entry moved by more than {moved:.2g}."
            )
    return (*notes, *collected_notes(subject.collected))


def _make(
    channel: AnyChannel,
    prior: DistributionLike | None,
    shape: Sequence[int] | None,
    mechanism: str | None,
) -> ChannelSubject:
    if channel.shape[1] > MOST_SYMBOLS:
        raise InvalidParameter(
            f"has {channel.shape[1]} reports, and certificates of channels speak of at most {MOST_SYMBOLS}",
            parameter="thing",
            way_out="Merge reports; or certify a ladder, which is judged from counts.",
        )
    exact, channel_moved = _exact_channel(channel)
    law, prior_moved = _exact_prior(as_prior(prior, exact))
    if isinstance(exact, Circulant) and exact.shape[0] * exact.shape[1] <= _SMALL_ENTRIES:
        exact = exact.to_dense()
    _check_range(exact, law)
    return ChannelSubject(
        channel=exact,
        prior=law,
        shape=None if shape is None else check_shape(exact, shape),
        mechanism=mechanism,
        channel_moved=channel_moved,
        prior_moved=prior_moved,
    )


def _family(name: str) -> str:
    first = name.split(" ", maxsplit=1)[0]
    return first if first in FAMILIES else "mechanism"


def _exact_channel(channel: AnyChannel) -> tuple[AnyChannel, float | None]:
    if channel.exact:
        return channel, None
    exact = channel.to_exact()
    if isinstance(channel, Channel) and isinstance(exact, Channel):
        return exact, max(_distance(old, new) for old, new in zip(channel.rows, exact.rows, strict=True))
    # Every row of a structured channel is its first one, turned.
    return exact, _distance(channel.row(0), exact.row(0))


def _exact_prior(prior: Distribution) -> tuple[Distribution, float | None]:
    if min(prior.distinct) == 0:
        label = prior.labels[prior.probabilities.index(0)]
        raise InvalidLaw(
            f"gives probability 0 to input {label!r}, and a certificate speaks of inputs that can happen",
            parameter="prior",
            way_out="Drop that input from the channel, or give it a positive probability.",
        )
    if prior.exact:
        return prior, None
    exact = prior.to_exact()
    return exact, _distance(prior.probabilities, exact.probabilities)


def _distance(before: Sequence[Number], after: Sequence[Number]) -> float:
    """How far the entries of a law moved, rounded up to two digits, so that the note is what the file says."""
    moved = max(abs(Fraction(old) - Fraction(new)) for old, new in zip(before, after, strict=True))
    if moved == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(moved)) - 1)
    return float(f"{(math.floor(float(moved) / step) + 1) * step:.2g}")


def _check_range(channel: AnyChannel, prior: Distribution) -> None:
    entries = channel.levels if isinstance(channel, Circulant) else [v for row in channel.rows for v in row]
    for law in (entries, prior.distinct):
        if common_denominator(Fraction(value) for value in law) is None:
            raise InvalidLaw(
                f"the fractions have no common denominator below {MOST_DENOMINATOR_BITS} bits, too slow to prove "
                f"anything exactly",
                way_out="Round the entries, or pass them as floats.",
            )
    if min((v for v in (*entries, *prior.distinct) if v > 0), default=1) < _SMALLEST:
        raise InvalidLaw(
            "a probability lies below 2^-900, where logarithms in double precision can no longer be certified",
            way_out="Replace it by 0 or by something larger.",
        )
