"""Explanations whose numbers are worked out when they are asked for: none can go stale."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sfumato import measures
from sfumato.bits import BulkBits
from sfumato.mechanisms import RandomizedResponse
from sfumato.refine import Ladder, ShiftKey, reused_channel
from sfumato.refine.expansion import shifts_of

_EPSILONS = (0.1, 0.5, 1.0)
_ALIKE = (1, 5, 10, 50, 1000)
_ANSWERS = ("north", "south", "east", "west", "abroad")


def explain_key_reuse() -> str:
    """Publish two columns under the same draws, on toy data, and read one off the other."""
    ladder = Ladder.within(size=len(_ANSWERS), epsilons=[1.0], recover=True)
    january = np.array([0, 1, 2, 3, 4, 0, 1, 2])
    february = january.copy()
    february[[2, 5]] = [4, 3]  # two people moved
    keys = ladder.draw_keys(january.size, BulkBits())
    # What `publish` refuses to do: the same shifts under two columns.
    shifts = shifts_of(keys[0], ladder.steps).astype(np.int64)
    first, second = ((column + shifts) % ladder.modulus for column in (january, february))
    differences = (second - first) % ladder.modulus
    moved = np.flatnonzero(differences)
    small = ShiftKey.within(size=3, epsilon=1.0)
    joint = measures.odds(reused_channel(small))
    lines = [
        f"Eight people told where they live, in January and in February; each report is x + u mod {ladder.modulus}.",
        "Somebody used the same draws u twice.",
        "",
        f"  reports of January    {_row(first)}",
        f"  reports of February   {_row(second)}",
        f"  difference            {_row(differences)}",
        "",
        "The draws cancel. Without any key, everybody sees that persons "
        + " and ".join(str(i + 1) for i in moved)
        + " moved,",
        f"and by how many places of the list, mod {ladder.modulus}: by "
        + " and by ".join(str(differences[i]) for i in moved)
        + ".",
        "",
        f"One report keeps ε = 1. Two under one key have odds {joint}: ε is infinite [B, Thm 6].",
        "So a key file records what it made, and other answers under the same draws are refused. Draw new keys for a",
        "new column, question or time step, or rotate computational keys to the next epoch: `sfumato keys rotate`.",
    ]
    return "\n".join(lines) + "\n"


def explain_epsilon() -> str:
    """ε in odds and in what a guesser gains."""
    lines = ["No report favours one answer over another by more than e^ε, whatever is known beforehand.", ""]
    lines.append("  ε      at most so many times    a fair guess of yes/no is wrong at least")
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0):
        mechanism = RandomizedResponse.within(size=2, epsilon=epsilon)
        error = measures.guess_error(mechanism.channel())
        lines.append(f"  {epsilon:<6g} {float(mechanism.odds):<24.4g} {100 * float(error):.1f} %")
    lines += [
        "",
        "The ε of several reports about one person add up. Reports that keys open at several levels do not: whoever",
        "holds several keys sees what the best of them shows.",
    ]
    return "\n".join(lines) + "\n"


def explain_guess_error() -> str:
    """Guess error beside ε, for a truthful answer with probability 3/4."""
    channel = RandomizedResponse(size=2, odds=Fraction(3)).channel()
    error = measures.guess_error(channel)
    return (
        "How often the best guess of your answer is still wrong after seeing your report, when both answers are\n"
        "equally likely beforehand. 50 % is a coin toss, 0 % means that the report gives you away.\n\n"
        f"  answer truthfully 3 times out of 4: {100 * float(error):.1f} %\n\n"
        "It is about the average report. Some reports may say more than others: a limit on ε (max_epsilon) bounds\n"
        "every single one.\n"
    )


def alike_table() -> dict[str, object]:
    """What an ε-differentially private count tells about one person if n people are alike: upper ends, in bits."""
    bits = {
        f"{epsilon:g}": {
            str(alike): _rounded_up(
                measures.count_capacity(measures.NoisyCount.geometric(top=alike, epsilon=epsilon)).bits.upper
            )
            for alike in _ALIKE
        }
        for epsilon in _EPSILONS
    }
    return {"mechanism": "a count with two-sided geometric noise", "unit": "bits", "bits_at_most": bits}


def explain_correlations() -> str:
    """A private count of people who are alike, n of them at a time."""
    table = alike_table()["bits_at_most"]
    assert isinstance(table, dict)
    lines = [
        "A count is published with ε-differentially private noise. What it tells about one person's yes or no depends",
        "on how many people answer alike: a family, a sect, everybody with a common cause. In bits, rounded up; one",
        "bit is the whole answer.",
        "",
        "  ε      " + "".join(f"n = {alike:<9}" for alike in _ALIKE).rstrip(),
    ]
    lines += [
        f"  {epsilon:<6} " + "    ".join(f"{bits:.7f}" for bits in row.values()) for epsilon, row in table.items()
    ]
    lines += [
        "",
        "n = 1 is nobody alike: what ε promises. The worst law for n people alike is a fair coin for all of them, and",
        "then the reader only has to tell the count 0 from the count n, which n times ε no longer hides [E, Thm 2].",
        "Noise that is calibrated in bits against people who are alike keeps its promise: `sfumato noise`.",
        "Theory: docs/theory/correlations.md",
    ]
    return "\n".join(lines) + "\n"


TOPICS: dict[str, tuple[str, Callable[[], str]]] = {
    "key-reuse": ("Why draws are used once", explain_key_reuse),
    "epsilon": ("What ε promises", explain_epsilon),
    "guess-error": ("What a guess error promises", explain_guess_error),
    "correlations": ("What a private count tells about people who are alike", explain_correlations),
}


TABLES: dict[str, Callable[[], dict[str, object]]] = {"correlations": alike_table}


def _rounded_up(bits: float) -> float:
    """Seven digits, never below the bound."""
    return max(bits, math.ceil(Fraction(bits) * 10**7) / 10**7)


def _row(values: np.ndarray) -> str:
    return " ".join(f"{value:3d}" for value in values.tolist())
