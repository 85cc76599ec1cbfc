"""Estimates of every picture, made by hand, as three readers see them: what pages and tables are tried on."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

from page_samples import sample_files, sample_plan
from sfumato.inference import QuestionEstimate
from sfumato.inference.quantities import Picture, Quantity, Unit
from sfumato.numbers import Interval
from sfumato.output.report_material import Seen, gather_material
from sfumato.study import OneOfMany

SCALE = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")
READERS = (("public", 0.5, 0.08), ("press", 1.0, 0.04), ("ministry", 2.0, 0.02))


def made(picture, labels, shares, *quantities, text="How much do you agree?", group=None, reach=0.04):
    """An estimate with intervals of one width, and its quantities."""
    question = OneOfMany(id="q", text=text, answers=tuple(labels) or ("a", "b"), epsilon=Fraction(1))
    return QuestionEstimate(
        question=question,
        group=group,
        level=1,
        epsilon=1.0,
        labels=tuple(labels),
        shares=tuple(shares),
        raw=tuple(shares),
        standard_errors=(reach / 2,) * len(labels),
        intervals=tuple(Interval(max(0.0, share - reach), min(1.0, share + reach)) for share in shares),
        confidence=0.95,
        total=1000,
        method="by hand",
        quantities=quantities,
        picture=picture,
    )


def up_to(answer, share):
    return Quantity(
        name=f"at most “{answer}”", value=share, interval=Interval(share - 0.03, share + 0.03), unit=Unit.SHARE
    )


MEAN = Quantity(name="mean", value=8.02, interval=Interval(7.7, 8.4), raw=8.1, standard_error=0.2)
MEDIAN = Quantity(name="median", value=3.0, interval=Interval(2.0, 3.0), unit=Unit.ANSWER, scale=SCALE)
NOTHING = Quantity(
    name="mean among those who answer",
    value=None,
    interval=Interval(0.0, 50.0),
    words="not estimable: hardly anybody answers",
)
YEAR = replace(MEAN, value=1954.6, interval=Interval(1954.1, 1955.2))
WAGE = replace(MEAN, value=14.85, interval=Interval(13.9, 15.8))
RANGES = ("0 to under 10", "10 to under 20", "20 to 30")
BELL = [0.02, 0.05, 0.1, 0.16, 0.2, 0.18, 0.13, 0.09, 0.05, 0.02]
ESTIMATES = {
    "scale": made(
        Picture.ORDERED,
        SCALE,
        [0.1, 0.2, 0.15, 0.35, 0.2],
        *(up_to(answer, share) for answer, share in zip(SCALE, (0.1, 0.3, 0.45, 0.8), strict=False)),
        Quantity(name="mean score", value=3.35, interval=Interval(3.2, 3.5)),
        MEDIAN,
    ),
    "numbers": made(Picture.NUMBERS, [str(1950 + i) for i in range(10)], BELL, YEAR),
    "two numbers": made(Picture.NUMBERS, ["0", "50"], [0.703, 0.297], WAGE),
    "only a mean": made(Picture.NUMBERS, [], [], WAGE),
    "ranges": replace(
        made(Picture.NUMBERS, RANGES, [0.2, 0.5, 0.3], replace(MEAN, name="median")),
        numbers=(5.0, 15.0, 25.0),
    ),
    "no mean": made(Picture.NUMBERS, ["0", "50", "no answer"], [0.2, 0.2, 0.6], NOTHING),
    "options": made(Picture.OPTIONS, ["bus", "car", "bicycle", "on foot"], [0.5, 0.7, 0.2, 0.9]),
    "answers": made(Picture.ANSWERS, ["tea", "coffee", "water"], [0.5, 0.3, 0.2]),
}  # fmt: skip


def seen_by_readers(found):
    """The same estimate as three readers see it, over everybody and in three groups."""
    seen = []
    for reader, epsilon, reach in READERS:
        ends = tuple(Interval(max(0.0, share - reach), min(1.0, share + reach)) for share in found.shares)
        whole = replace(found, epsilon=epsilon, intervals=ends)
        groups = tuple(replace(whole, group=name, total=300) for name in ("north", "south", "east & west"))
        seen.append(Seen(reader=reader, whole=whole, groups=groups))
    return tuple(seen)


@cache
def sample_material():
    return gather_material(sample_plan(), sample_files(), group="region")


def material_with(found):
    """The material of the sample study, its first question as if it had been answered so."""
    material = sample_material()
    first = next(iter(material.seen))
    return replace(material, seen={**material.seen, first: seen_by_readers(found)})
