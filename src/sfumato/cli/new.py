"""sfumato new: a first study file from a few questions."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from sfumato.cli.output import say

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato.study.question import Question
    from sfumato.study.readers import Analyst


T = TypeVar("T")

NAME = "My study"
QUESTION = "Did you work unpaid overtime in the last four weeks?"
ANSWERS = "no, yes"
PRIVACY = "1"
NOBODY = "nobody"
CARD = "card"
# The column of the answers; whoever adds a question sees in the file how to name one.
COLUMN = "answer"
WORDS = {"strong": "0.5", "usual": "1", "mild": "2"}


def new_command(
    file: Annotated[Path, typer.Argument(help="The study file to write.")] = Path("study.toml"),
    name: Annotated[str | None, typer.Option(help="Name of the study.")] = None,
    question: Annotated[str | None, typer.Option(help="The question, as respondents read it.")] = None,
    answers: Annotated[
        str | None,
        typer.Option(help="Its answers with commas between, or a range of whole numbers: 'no, yes' or 0..10."),
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Kind of the question. Default: what the answers look like.")] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="What the public may see: strong (0.5), usual (1), mild (2), or a number.")
    ] = None,
    guess_error: Annotated[
        str | None, typer.Option(help="Instead of --epsilon: ask with a card, the best guess this often wrong.")
    ] = None,
    analyst: Annotated[
        list[str] | None, typer.Option(help="An analyst, who may see more: NAME=EPSILON. Repeatable.")
    ] = None,
    registrar: Annotated[
        bool | None, typer.Option("--registrar/--no-registrar", help="Whether a key may give the answers back.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing; take the default of what is not given.")
    ] = False,
) -> None:
    """Start a study: answer five questions, and get a study file in which every key is explained.

    Example:

        sfumato new first.toml --question "Do you smoke?" --epsilon usual --analyst ministry=2 --registrar --yes
    """
    from dataclasses import replace

    from sfumato.errors import InvalidParameter
    from sfumato.files.disk import write_atomically
    from sfumato.study.fields import check_line
    from sfumato.study.file import first_file
    from sfumato.study.study import Study

    _check_free(file)
    if epsilon is not None and guess_error is not None:
        raise InvalidParameter("and `guess_error` are two ways to promise", parameter="epsilon", way_out="Give one.")
    ask = _Asker(silent=yes)

    def line(key: str) -> Callable[[str], str]:
        def read(text: str) -> str:
            check_line(key, text.strip())
            return text.strip()

        return read

    named = ask("name", "1/5 Name of the study", name, NAME, line("name"))
    worded = ask("question", "2/5 The question, as respondents read it", question, QUESTION, line("text"))
    asked = ask(
        "answers",
        "3/5 Its answers with commas between, or a range of whole numbers such as 0..10",
        answers,
        ANSWERS,
        lambda text: question_from(worded, text, kind),
    )
    given = epsilon if guess_error is None else f"{CARD} {guess_error}"
    can_have_card = _can_have_card(asked)
    if ask.will_ask(given):
        _show_privacy(card=can_have_card)
    asked, public = ask(
        "epsilon",
        "4/5 How private? strong, usual, mild, or a number" + (", or a card: card 0.375" if can_have_card else ""),
        given,
        PRIVACY,
        lambda text: promise_from(asked, text),
    )
    if public is None:
        if analyst or registrar:
            raise InvalidParameter(
                "has nothing to open: a question asked with a card has no levels, so nobody can get a key to it",
                parameter="analyst" if analyst else "registrar",
                way_out="Drop `analyst` and `registrar`, or give `epsilon`.",
            )
        ask.tell_defaults()
        asked = replace(asked, missing=asked.first_missing)
        _write(file, first_file(Study(name=named, questions=(asked,))), write_atomically)
        return
    analysts = ask(
        "analyst",
        "5/5 Who may see more? NAME=ε with commas between, such as ministry=2, university=1.5",
        None if analyst is None else ",".join(analyst),
        NOBODY,
        lambda text: analysts_from(text, public),
    )
    recover = ask(
        "registrar",
        "    May a registrar get the answers themselves back, with a key? (yes or no)",
        None if registrar is None else ("yes" if registrar else "no"),
        "no",
        _yes_or_no,
    )
    ask.tell_defaults()
    asked = replace(asked, missing=asked.first_missing)
    study = Study(name=named, questions=(asked,), analysts=analysts, public_epsilon=public, recover=recover)
    _write(file, first_file(study), write_atomically)


class _Asker:
    """Takes what was given, asks a person, or falls back to the default."""

    def __init__(self, *, silent: bool) -> None:
        self._asks = not silent and sys.stdin.isatty()
        self._notes = not silent and not self._asks
        self._defaults: list[str] = []

    def will_ask(self, given: str | None) -> bool:
        """Whether a person is about to be asked."""
        return given is None and self._asks

    def __call__(self, key: str, prompt: str, given: str | None, default: str, read: Callable[[str], T]) -> T:
        """Return an answer; a person is asked until it can be used."""
        from sfumato.errors import InvalidParameter

        if given is not None:
            return read(given)
        if not self._asks:
            self._defaults.append(key)
            return read(default)
        while True:
            try:
                return read(str(typer.prompt(prompt, default=default, err=True)))
            except InvalidParameter as error:
                say(str(error))

    def tell_defaults(self) -> None:
        """Say what nobody was there to be asked about."""
        if self._defaults and self._notes:
            say(f"note: nobody is there to ask, so these have their defaults: {', '.join(self._defaults)}.")


def question_from(text: str, answers: str, kind: str | None = None) -> Question:
    """Return a question by its answers, or of a given kind: two are yes/no, more are a list, 0..10 is a count.

    0..50 by 0.01 is a number, and never < sometimes < always a list in order.
    """
    from sfumato.errors import InvalidParameter
    from sfumato.study.kinds.registry import kinds

    known = kinds()
    if kind is not None and kind not in known:
        raise InvalidParameter(
            "is not known", parameter="kind", value=kind, way_out=f"Choose one of {', '.join(known)}."
        )
    offered = [one for name, several in known.items() for one in several if kind in {None, name}]
    meant = next((one for one in offered if one.suits(answers)), None)
    if meant is None and kind is None:
        raise InvalidParameter(
            "must be a list with commas between, or a range of whole numbers",
            parameter="answers",
            way_out="Write them like no, yes or 0..10.",
        )
    # A kind that is asked for by name says itself what is wrong with its answers.
    return (meant or offered[-1]).typed(COLUMN, text, answers)


def promise_from(question: Question, text: str) -> tuple[Question, Fraction | None]:
    """Read strong, 0.5 or card 0.375: what everybody sees, or None with a question that promises by itself."""
    from sfumato.study.fields import checked_epsilon, exact_number

    words = text.strip().lower().removeprefix("ε").strip()
    first, _, rest = words.partition(" ")
    if first == CARD:
        return question.with_card(exact_number("guess_error", rest.strip() or "0.375")), None
    return question, checked_epsilon("epsilon", WORDS.get(words, words))


def _can_have_card(question: Question) -> bool:
    from fractions import Fraction

    from sfumato.errors import InvalidParameter

    try:
        question.with_card(Fraction(3, 8))
    except InvalidParameter:
        return False
    return True


def analysts_from(text: str, public: Fraction) -> tuple[Analyst, ...]:
    """Read ministry=2, university=1.5; each must see more than the public."""
    from sfumato.errors import InvalidParameter
    from sfumato.study.fields import exact_number
    from sfumato.study.readers import Analyst

    if text.strip().lower() in {"", NOBODY}:
        return ()
    found: list[Analyst] = []
    for part in text.split(","):
        name, equals, epsilon = part.partition("=")
        if not equals:
            raise InvalidParameter(
                "must be NAME=EPSILON, such as ministry=2", parameter="analyst", way_out="Write it with an = between."
            )
        made = Analyst(name=name.strip(), epsilon=exact_number("epsilon", epsilon.strip()))
        if made.epsilon <= public:
            raise InvalidParameter(
                f"needs an epsilon above the public's, which is {float(public):g}",
                parameter="analyst",
                value=made.name,
                way_out="Raise it.",
            )
        if made.name.lower() in {other.name.lower() for other in found}:
            raise InvalidParameter("is there twice", parameter="analyst", value=made.name, way_out="Name each once.")
        found.append(made)
    return tuple(found)


def _yes_or_no(text: str) -> bool:
    from sfumato.errors import InvalidParameter

    answer = text.strip().lower()
    if answer not in {"y", "yes", "n", "no"}:
        raise InvalidParameter("must be yes or no", parameter="registrar", way_out="Write one of the two.")
    return answer in {"y", "yes"}


def _show_privacy(*, card: bool) -> None:
    """What the words mean in numbers."""
    for word, text in WORDS.items():
        epsilon = float(text)
        say(
            f"  {word:7} ε {text:4} a report is up to {math.exp(epsilon):.3g} times as likely under one answer as "
            f"under another; of yes and no, the best guess is wrong {1 / (1 + math.exp(epsilon)):.0%} of the time"
        )
    if card:
        say("  card    0.375  people draw by hand; the best guess is wrong 37.5 % of the time, and nobody gets a key")


def _check_free(file: Path) -> None:
    """Before anybody has typed anything."""
    from sfumato.errors import InvalidParameter

    if os.path.lexists(file):
        raise InvalidParameter(
            "exists already", parameter="file", value=str(file), way_out="Choose another name, or delete it first."
        )
    if not file.parent.is_dir():
        raise InvalidParameter(
            "lies in a folder that does not exist",
            parameter="file",
            value=str(file),
            way_out="Create the folder first.",
        )


def _write(file: Path, text: str, write: Callable[[Path, str], None]) -> None:
    write(file, text)
    say(f"wrote {file}; what it costs: sfumato plan {file}")
