"""Publications of every kind of question, with and without empty cells, of one level and of three, and what is done to
them: published to a file, to a folder, grown, amended, erased; opened, recovered and estimated."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import sfumato as sf
from corpus_cases.record import case, claims, digest, plain, table, tried
from sfumato.keys import Unprotected

ROWS = 120
LATER_ROWS = 40
ASKED: dict[str, str] = {"id": "q", "text": "What do you say?"}
READERS = (sf.Analyst(name="ministry", epsilon=Fraction(3)), sf.Analyst(name="press", epsilon=Fraction(1)))
PUBLIC = Fraction(1, 2)
OPEN = {"unlock": Unprotected()}
SEALED = {"protection": Unprotected(), **OPEN}
_LONG_NAMES = re.compile(r"\b[0-9a-f]{32,64}\b|\b[0-9a-f]{8}(?=\.)")
VOLATILE = {"publication", "id", "roots", "salts", "digest", "of", "amends", "drawing", "part", "parts_erased"}


def _yes_no() -> sf.study.Question:
    return sf.YesNo(**ASKED, answers=("no", "yes"))


def _one_of_a_few() -> sf.study.Question:
    return sf.OneOfMany(**ASKED, answers=("hill", "coast", "city, old"))


def _one_of_twelve() -> sf.study.Question:
    return sf.OneOfMany(**ASKED, answers=tuple(f"month {number}" for number in range(1, 13)))


def _one_with_few_random_bits() -> sf.study.Question:
    return sf.OneOfMany(**ASKED, answers=("x", "y", "z"), random_bits=Fraction(3))


def _ordered() -> sf.study.Question:
    return sf.Ordered(**ASKED, answers=("never", "rarely", "often", "always"))


def _ordered_with_scores() -> sf.study.Question:
    scores = (Fraction(0), Fraction(1, 2), Fraction(2))
    return sf.Ordered(**ASKED, answers=("no", "maybe", "yes"), scores=scores)


def _several_one_at_a_time() -> sf.study.Question:
    return sf.Several(**ASKED, options=("bus", "train", "car", "bike"), ask=1, none="nothing")


def _several_two_at_a_time() -> sf.study.Question:
    return sf.Several(**ASKED, options=("bus", "train", "car", "bike"), ask=2, none="nothing")


def _several_all_at_once() -> sf.study.Question:
    return sf.Several(**ASKED, options=("bus", "train", "car", "bike"), ask=4, none="nothing")


def _count() -> sf.study.Question:
    return sf.Count(**ASKED, highest=6, points=4)


def _count_for_its_mean() -> sf.study.Question:
    return sf.Count(**ASKED, lowest=-2, highest=8)


def _number_for_its_mean() -> sf.study.Question:
    return sf.BoundedNumber(**ASKED, lowest=Fraction(-1, 2), highest=Fraction(2), step=Fraction(1, 40))


def _number_for_its_distribution() -> sf.study.Question:
    return sf.BoundedNumber(**ASKED, lowest=Fraction(-1), highest=Fraction(1), step=Fraction(1, 2), goal="distribution")


def _number_in_bins() -> sf.study.Question:
    return sf.BoundedNumber(**ASKED, highest=Fraction(40), step=Fraction(1, 10), goal="distribution", points=4)


def _large_list() -> sf.study.Question:
    return sf.LargeList(**ASKED, dictionary=("ash", "elm, field", "fir", "oak"), others="another")


def _card() -> sf.study.Question:
    return sf.Card(**ASKED, guess_error=Fraction(3, 8))


def _listed_card() -> sf.study.Question:
    return sf.ListedCard(**ASKED, answers=("hill", "coast", "city, old"), guess_error=Fraction(1, 2))


def _recoverable() -> sf.study.Question:
    return sf.Recoverable(
        **ASKED,
        answers=("O+", "A+", "O-", "A-", "B+"),
        tell=("O", "A", "O", "A", "B"),
        rho=Fraction(4, 5),
        probabilities=(Fraction(3, 10), Fraction(3, 10), Fraction(1, 10), Fraction(1, 10), Fraction(1, 5)),
    )


def _free_text() -> sf.study.Question:
    return sf.FreeText(**ASKED, longest=1, keep=3, epsilon=Fraction(3))


@dataclass(frozen=True)
class Kind:
    """A kind of question, what people answer, and whether it promises something by itself."""

    name: str
    ask: Callable[[], sf.study.Question]
    answers: tuple[str, ...]


KINDS = (
    Kind("yes-no", _yes_no, ("no", "yes", "no", "no")),
    Kind("one of a few", _one_of_a_few, ("hill", "coast", "hill", "city, old")),
    Kind("one of twelve", _one_of_twelve, ("month 1", "month 6", "month 12", "month 1")),
    Kind("one of a few, few random bits", _one_with_few_random_bits, ("x", "y", "z", "x")),
    Kind("ordered", _ordered, ("never", "rarely", "often", "always")),
    Kind("ordered, with scores", _ordered_with_scores, ("no", "maybe", "yes", "no")),
    Kind("several, one at a time", _several_one_at_a_time, ("bus", "bus;train", "nothing", "bike;car;bus")),
    Kind("several, two at a time", _several_two_at_a_time, ("bus", "bus;train", "nothing", "bike;car;bus")),
    Kind("several, all at once", _several_all_at_once, ("bus", "bus;train", "nothing", "bike;car;bus")),
    Kind("count", _count, ("0", "1", "2", "5")),
    Kind("count, for its mean", _count_for_its_mean, ("-2", "0", "7", "8")),
    Kind("number, for its mean", _number_for_its_mean, ("-0.5", "0.325", "1.9", "2")),
    Kind("number, for its distribution", _number_for_its_distribution, ("-1", "-0.5", "0", "1")),
    Kind("number, in bins", _number_in_bins, ("0", "9.9", "12.5", "40")),
    Kind("large list", _large_list, ("oak", "elm, field", "ash", "fir")),
    Kind("card", _card, ("no", "yes", "no", "no")),
    Kind("card for a list", _listed_card, ("hill", "coast", "hill", "city, old")),
    Kind("recoverable", _recoverable, ("O+", "A+", "O-", "B+")),
    Kind("free text", _free_text, ("a", "c", "a", "a")),
)
UNRECOVERED = {"one of a few, few random bits"}
GAPS = {"none": None, "hidden": sf.study.Missing.HIDDEN, "public": sf.study.Missing.PUBLIC}


def _study(kind: Kind, gap: str, levels: int) -> sf.Study:
    question = replace(kind.ask(), missing=GAPS[gap])
    return sf.Study(
        name="Corpus",
        population=5000,
        questions=(question,),
        analysts=READERS if levels > 1 else (),
        public_epsilon=PUBLIC,
        recover=levels > 1 and kind.name not in UNRECOVERED,
    )


def _data(kind: Kind, gap: str, rows: int, first: int = 0) -> dict[str, list[Any]]:
    """Answers by arithmetic: every tenth is empty where cells may be."""
    places = range(first, first + rows)
    cells = [kind.answers[(place * place + place // 7) % 4] for place in places]
    if gap != "none":
        cells = ["" if place % 10 == 3 else cell for place, cell in zip(places, cells, strict=True)]
    return {"q": cells, "region": [("north", "south", "east")[place % 3] for place in places]}


def _stripped(value: Any) -> Any:
    """Return a note without ids, roots and salts."""
    if isinstance(value, dict):
        return {name: _stripped(one) for name, one in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        return [_stripped(one) for one in value]
    return _LONG_NAMES.sub("…", value) if isinstance(value, str) else value


def _notes(folder: Path) -> dict[str, Any]:
    """Return the digests of the notes and codebooks in a folder, without what is drawn at random."""
    found: dict[str, list[str]] = {"notes": [], "codebooks": []}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            found["notes"].append(json.dumps(_stripped(json.loads(path.read_text())), sort_keys=True))
        elif path.suffix == ".md":
            found["codebooks"].append(_LONG_NAMES.sub("…", path.read_text()))
    return {name: [digest(text) for text in sorted(texts)] for name, texts in found.items()}


def _estimates(reports: Any, *, brief: bool, **more: Any) -> object:
    return tried(lambda: [_estimate(one, brief=brief) for one in sf.estimate_reports(reports, **more)])


def _estimate(one: sf.inference.QuestionEstimate, *, brief: bool) -> dict[str, Any]:
    if brief:
        return {
            "group": plain(one.group),
            "shares": plain(one.shares),
            "standard errors": plain(one.standard_errors),
            "total": one.total,
        }
    return {
        "group": plain(one.group),
        "level": one.level,
        "epsilon": plain(one.epsilon),
        "labels": plain(one.labels),
        "shares": plain(one.shares),
        "raw": plain(one.raw),
        "standard errors": plain(one.standard_errors),
        "intervals": plain(one.intervals),
        "total": one.total,
        "method": plain(one.method),
        "quantities": [[plain(each.name), plain(each.value), plain(each.interval)] for each in one.quantities],
    }


def _seen(reports: sf.Reports) -> dict[str, Any]:
    """Return the reports as a table, without the ids of parts."""
    arrow = reports.to_arrow()
    return table(arrow.drop_columns(["part"]) if "part" in arrow.schema.names else arrow)


def _views(reports: Path, keys: Path, *, brief: bool) -> dict[str, Any]:
    """Return what everybody sees, what each reader sees, and the answers that come back."""
    found: dict[str, Any] = {"public": _seen(sf.read_reports(reports))}
    if keys.exists():
        for reader in ("ministry", "press"):
            files = sorted(keys.glob(f"{reader}.*.key"))
            if files:
                found[reader] = _opened(reports, files, brief=brief)
        found["recovered"] = tried(lambda: _recovered(reports, keys))
    return found


def _opened(reports: Path, files: list[Path], *, brief: bool) -> object:
    def opened() -> dict[str, Any]:
        made = sf.open_reports(reports, files, **OPEN)
        return {"reports": _seen(made), "estimates": _estimates(made, brief=brief)}

    return tried(opened)


def _recovered(reports: Path, keys: Path) -> object:
    made = sf.recover_answers(reports, keys, **OPEN)
    return table(made.drop_columns(["part"]) if "part" in made.schema.names else made)


def _state(folder: Path, out: Path, *, brief: bool) -> dict[str, Any]:
    return {
        "views": _views(out, folder / "keys", brief=brief),
        "estimates": _estimates(out, brief=brief),
        "notes": _notes(folder),
    }


def _study_values(study: sf.Study) -> dict[str, Any]:
    plan = study.handler("q").plan()
    return {
        "fingerprint": sf.study.fingerprint(study),
        "certificate": claims(study.handler("q").certificate()),
        "levels": plain([level.epsilon for level in plan.levels]),
        "labels": plain(study.question("q").labels),
    }


def _to_a_file(study: sf.Study, kind: Kind, gap: str) -> object:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        out = folder / "reports.parquet"
        sf.publish(
            study, _data(kind, gap, ROWS), out=out, keys=folder / "keys", keep=["region"], insecure_seed=1, **SEALED
        )
        by_region = _estimates(out, brief=True, group="region")
        return {**_state(folder, out, brief=False), "estimates by region": by_region}


def _in_a_folder(study: sf.Study, kind: Kind, gap: str) -> Iterator[tuple[str, object]]:
    """Publish into a folder, and go on with what is there: each step's outcome, or that it was refused."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        out, keys = folder / "reports", folder / "keys"
        where = {"out": out, "keys": keys, **SEALED}
        sf.publish(study, _data(kind, gap, ROWS), keep=["region"], insecure_seed=2, **where)
        yield "published to a folder", _state(folder, out, brief=True)
        first = sf.read_reports(out).note.parts[0].id

        def grow() -> object:
            more = _data(kind, gap, LATER_ROWS, first=ROWS)
            sf.publish(study, more, keep=["region"], append=True, insecure_seed=3, **where)
            return _state(folder, out, brief=True)

        yield "appended", tried(grow)

        def amend() -> object:
            table_of_changes = {
                "part": [first] * 3,
                "row": [0, 4, 9],
                "q": [kind.answers[place] for place in (3, 1, 0)],
            }
            cover = 2 if list(keys.glob("registrar.q*.key")) else 0
            made = sf.amend(study, table_of_changes, cover=cover, insecure_seed=4, **where)
            return {"cells": made.cells, "rows": made.rows, "covered": made.covered, **_state(folder, out, brief=True)}

        yield "amended", tried(amend)

        def erase() -> object:
            made = sf.erase(out, rows=[(first, 4), (first, 7)], keys=keys if keys.exists() else None, **OPEN)
            return {"people": made.people, "parts": made.parts, **_state(folder, out, brief=True)}

        yield "erased", tried(erase)


def _add(kind: Kind, gap: str, levels: int) -> None:
    name = f"kind={kind.name}, missing={gap}, levels={levels}"

    @case(f"publications/{name}")
    def _published() -> object:
        def whole() -> object:
            study = _study(kind, gap, levels)
            return {
                "study": _study_values(study),
                "published to a file": tried(lambda: _to_a_file(study, kind, gap)),
                **dict(_in_a_folder(study, kind, gap)),
            }

        return tried(whole)


for _kind in KINDS:
    for _gap in GAPS:
        # Free text has one level whoever reads, and its rounds take long.
        for _levels in (1,) if _kind.name == "free text" else (1, 3):
            _add(_kind, _gap, _levels)
