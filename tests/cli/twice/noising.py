"""Answering with noise, in all four ways."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sfumato as sf
from cli.twice.cases import PRIVATE, Case, both, having
from sfumato.errors import BudgetSpent, InvalidParameter
from sfumato.files.tables import read_table
from sfumato.ledger import Kind, Ledger, information
from sfumato.noise.private_data import number_column, read_distortion
from small_studies import small_study


def numbers(folder):
    """True answers in files, and a ledger in bits."""
    for name, text in (("number", PRIVATE), ("yes", "yes"), ("word", "mid"), ("strange", PRIVATE)):
        (folder / f"{name}.txt").write_text(f"{text}\n")
    (folder / "distortion.csv").write_text("said,low,mid,high\nlow,0,1,2\nmid,1,0,1\nhigh,2,1,0\n")
    (folder / "rooms.csv").write_text("rooms\n" + "3\n4\n5.5\n2\n" * 5)
    (folder / "wide.csv").write_text(f"rooms\n3\n{PRIVATE}\n")
    Ledger.create(folder / "budget", budget_bits=1)
    sf.write_study(small_study(ledger="budget"), folder / "study.toml")


def exponential():
    read = read_distortion("distortion.csv")
    return sf.noise.exponential(read.rows, budget_bits=0.5, answers=read.answers)


def mean(data):
    cells = number_column(read_table(data)[0], "rooms")
    return sf.noise.private_mean(0, 6, len(cells), 0.5, correlated=2), cells.values


@dataclass(frozen=True, kw_only=True)
class Noise:
    """A kind of noise: its command and call for a good answer, and for one that it cannot take."""

    title: str
    command: str
    call: Callable[[], tuple[Any, Any]]
    bad: tuple[str, str]
    bad_call: Callable[[], tuple[Any, Any]]
    bad_words: str
    own_words: bool = False
    makes: tuple[str, ...] = ("noisy.json", "noisy.json.certificate.json")


NOISES = [
    Noise(
        title="gaussian",
        command="noise gaussian --low 0 --high 100 --budget-bits 1 --input number.txt",
        call=lambda: (sf.noise.gaussian(low=0, high=100, budget_bits=1), Fraction(PRIVATE)),
        bad=("--high 100", "--high 10"),
        bad_call=lambda: (sf.noise.gaussian(low=0, high=10, budget_bits=1), Fraction(PRIVATE)),
        bad_words="the range",
    ),
    Noise(
        title="flipped answer",
        command="noise flip --budget-bits 0.5 --input yes.txt",
        call=lambda: (sf.noise.flip(budget_bits=0.5), True),
        bad=("yes.txt", "strange.txt"),
        bad_call=lambda: (sf.noise.flip(budget_bits=0.5), PRIVATE),
        bad_words="must be True or False",
        own_words=True,  # the library is not given a file
    ),
    Noise(
        title="exponential answer",
        command="noise exponential distortion.csv --budget-bits 0.5 --input word.txt",
        call=lambda: (exponential(), "mid"),
        bad=("word.txt", "strange.txt"),
        bad_call=lambda: (exponential(), PRIVATE),
        bad_words="is not one of the possible answers",
    ),
    Noise(
        title="mean",
        command="noise mean rooms.csv --column rooms --low 0 --high 6 --budget-bits 0.5 --correlated 2",
        call=lambda: mean("rooms.csv"),
        bad=("rooms.csv", "wide.csv"),
        bad_call=lambda: mean("wide.csv"),
        bad_words="the range",
        own_words=True,  # the library is given numbers, not rows of a file
    ),
]


def noisy(noise, out="noisy.json", call=None, **options):
    def release():
        design, value = (call or noise.call)()
        sf.release_noise(design, value, out=out, title=noise.title, **options)

    return release


NOISING = [
    case
    for noise in NOISES
    for case in (
        Case(
            name=f"{noise.title}: pays what it tells",
            prepare=numbers,
            command=f"{noise.command} --out noisy.json --study study.toml", call=noisy(noise, study="study.toml"),
            makes=noise.makes, debits=(Kind.INFORMATION,),
        ),
        Case(
            name=f"{noise.title}: free without a ledger",
            prepare=numbers, command=f"{noise.command} --out noisy.json", call=noisy(noise), makes=noise.makes,
        ),
        Case(
            name=f"{noise.title}: a seed is refused with a ledger",
            prepare=numbers,
            command=f"{noise.command} --out noisy.json --ledger budget --insecure-seed 7",
            call=noisy(noise, ledger="budget", insecure_seed=7),
            refusal=InvalidParameter, words="makes a simulation, and a ledger pays for releases only",
        ),
        Case(
            name=f"{noise.title}: a folder that is not there",
            prepare=numbers,
            command=f"{noise.command} --out no/noisy.json --ledger budget",
            call=noisy(noise, "no/noisy.json", ledger="budget"),
            refusal=InvalidParameter,
            words="lies in a folder that does not exist. Create the folder first; nothing was debited.",
        ),
        Case(
            name=f"{noise.title}: a folder in the place of the answer",
            prepare=having("noisy.json", prepare=numbers),
            command=f"{noise.command} --out noisy.json --ledger budget", call=noisy(noise, ledger="budget"),
            refusal=InvalidParameter, words="is a folder",
        ),
        Case(
            name=f"{noise.title}: what cannot be answered is not shown and costs nothing",
            prepare=numbers,
            command=f"{noise.command} --out noisy.json --ledger budget".replace(*noise.bad),
            call=noisy(noise, call=noise.bad_call, ledger="budget"),
            refusal=InvalidParameter,
            words=noise.bad_words, own_words=noise.own_words,
        ),
        Case(
            name=f"{noise.title}: more than the ledger has",
            prepare=both(numbers, lambda folder: Ledger(folder / "budget").spend(information("before", 0.9))),
            command=f"{noise.command} --out noisy.json --ledger budget", call=noisy(noise, ledger="budget"),
            refusal=BudgetSpent, words="cannot be paid for", debits=(Kind.INFORMATION,),
        ),
    )
]  # fmt: skip
