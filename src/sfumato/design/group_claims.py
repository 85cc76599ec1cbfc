"""What noise claims when it is made for people who depend on few others: under the assumption, and without it.

Changing one record moves f by at most Δ, and at most m people depend on each other. Given everybody outside of a group
its people move f within mΔ, so they learn no more about each other than the noise lets through of that; who knows the
group but for one has Δ; and were the assumption false, somebody might have all of the range. The last two are bounded
by a limit on power, whose number everybody can find again.   Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.certificates.rules import bound_claim, publish
from sfumato.certificates.words import at_most
from sfumato.measures.lattice.powers import power_bound, usual_spread
from sfumato.values import Claim, Interval

OTHERS_KNOWN = "others_known_bits"
IF_FALSE = "if_all_depend_bits"
MOST_PEOPLE = 10**12
_MANY_BITS = 1000
_ADD_UP = "One release. The bits of several releases about the same records add up, all counted under one assumption."
_EXCLUDED = (
    "A common cause that nobody knows, such as how frequent something is, makes everybody depend on everybody, and is "
    "excluded."
)
POWER = "C ≤ k·log2(Z_S/Z_N) + log2 e·((k·V_N + r²)/2S - k·V_N/2N)"
_USUAL = f"{POWER} with S = N + r²/k and the r of"


def assumed(people: int) -> str:
    """The assumption, in words that follow an if."""
    return "nobody depends on anybody else" if people == 1 else f"at most {people} people depend on each other"


def group_notes(people: int) -> tuple[str, str]:
    """Which releases may be added, and what is assumed."""
    return (_ADD_UP, f"Assumed, and not checked: {assumed(people)}. {_EXCLUDED}")


def whom(people: int | None, *, one: str = "any one record", together: bool = True) -> str:
    """About whom a release tells so much, to the end of the sentence."""
    if people is None:
        everybody = ", and about all of them together" if together else ""
        return f"{one}{everybody}, whatever is known beforehand and however the records depend on each other."
    group = ", and about a whole group together" if together and people > 1 else ""
    return f"{one}{group}, if {assumed(people)}, whatever is known about all others."


def published(found: Interval) -> Interval:
    """Push an interval outwards to the grid of certificates; above a thousand to whole bits, which doubles hold."""
    if found.upper > _MANY_BITS:
        return Interval(float(math.floor(found.lower)), float(math.ceil(found.upper)))
    return publish(found)


def usual_bound(dimension: int, squared_radius: Fraction, variance: Fraction) -> Interval:
    """The bound by power at S = N + r²/k, published."""
    spread = usual_spread(dimension, squared_radius, variance)
    return published(power_bound(dimension, squared_radius, variance, spread))


def assumption_claims(people: int, lone: Interval, all_depend: Interval, because: str = _USUAL) -> tuple[Claim, ...]:
    """What who knows the others learns, and what would be learnt if the assumption were false."""
    known = bound_claim(
        OTHERS_KNOWN,
        lone,
        "bits",
        because=f"{because} one record",
        sentence=f"Who also knows the others of the group learns at most {at_most(lone)} bits.",
    )
    broken = bound_claim(
        IF_FALSE,
        all_depend,
        "bits",
        because=f"{because} all records",
        sentence=(
            f"If the assumption were false, and anybody might depend on everybody, it would tell at most "
            f"{at_most(all_depend)} bits."
        ),
    )
    return (known, broken) if people > 1 else (broken,)
