"""What the command prints with `--json`, for three small studies and for what needs none."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import sfumato as sf
from corpus_cases.record import case, digest, plain
from sfumato.cli import main
from sfumato.keys import new_key_pair

ROWS = 120
_LONG_NAMES = re.compile(r"\b[0-9a-f]{16,64}\b|\b[0-9a-f]{8}(?=\.)")
_MOMENTS = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?")
_SECRET_WORDS = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_VOLATILE = {
    "id",
    "salts",
    "salt",
    "digest",
    "commitment",
    "seal",
    "shares",
    "row",
    "seconds",
    "time",
    "made",
    "settled",
}


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            yield Path(place)
        finally:
            os.chdir(before)


def _run(line: str, *more: str) -> object:
    """Run the command in this process: its exit code, and what it prints, without ids, dates and secrets.

    Of an error only the class is kept: its words may be mended.
    """
    out, err = io.StringIO(), io.StringIO()
    words, code = sys.argv, 0
    sys.argv = ["sfumato", *line.split(), *more]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.argv = words
    said = out.getvalue()
    try:
        shown = _stripped(json.loads(said))
    except ValueError:
        shown = _text(said)
    return {"code": code, "out": shown, "error": err.getvalue().partition(":")[0] if code else ""}


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _stripped(one) for name, one in value.items() if name not in _VOLATILE}
    if isinstance(value, list):
        made = [_stripped(one) for one in value]
        return made if len(made) <= 12 else {"length": len(made), "digest": digest(json.dumps(made)), "first": made[:2]}
    if isinstance(value, str):
        text = _text(value)
        return text if len(text) <= 200 else digest(text)
    return plain(value)


def _text(text: str) -> str:
    text = text.replace(str(Path.cwd()), "…").replace(os.path.realpath(Path.cwd()), "…")
    return _LONG_NAMES.sub("…", _SECRET_WORDS.sub("…", _MOMENTS.sub("DATE", text)))


def _one_level() -> sf.Study:
    asked = (
        sf.YesNo(id="moved", text="Did you move?"),
        sf.OneOfMany(id="place", text="Where?", answers=("north", "south", "east"), missing=sf.study.Missing.HIDDEN),
        sf.Several(id="ways", text="How?", options=("bus", "car", "bike"), none="none"),
    )
    return sf.Study(name="One level", population=1000, questions=asked, public_epsilon=Fraction(2))


def _three_levels() -> sf.Study:
    asked = (
        sf.YesNo(id="moved", text="Did you move?"),
        sf.OneOfMany(id="place", text="Where?", answers=("north", "south", "east")),
        sf.Count(id="rooms", text="How many rooms?", highest=6, points=4),
    )
    readers = (sf.Analyst(name="ministry", epsilon=Fraction(3)), sf.Analyst(name="press", epsilon=Fraction(1)))
    return sf.Study(
        name="Three levels",
        population=1000,
        questions=asked,
        analysts=readers,
        public_epsilon=Fraction(1, 2),
        recover=True,
    )


def _cards() -> sf.Study:
    goal = sf.study.Goal(expected_share=Fraction(1, 10), half_width=Fraction(1, 20))
    asked = (
        sf.Card(id="moved", text="Did you move?", guess_error=Fraction(3, 8), goal=goal),
        sf.Recoverable(
            id="place", text="Where?", answers=("north", "south", "east"), tell=("n", "s", "s"), rho=Fraction(4, 5)
        ),
    )
    return sf.Study(name="Cards", population=1000, questions=asked)


def _write(study: sf.Study, rows: int = ROWS, name: str = "answers.csv") -> None:
    sf.write_study(study, Path("study.toml"))
    lines = ["person,moved,place,rooms,ways,region"]
    for row in range(rows):
        place = ("north", "south", "east")[row * row % 3]
        ways = ("bus", "bus;car", "none", "bike")[row % 4]
        moved = "yes" if row % 3 == 0 else "no"
        lines.append(f"p{row},{moved},{place},{row % 7},{ways},{('hill', 'coast')[row % 2]}")
    Path(name).write_text("\n".join(lines) + "\n")


def _published(keys: str, seed: int = 5) -> object:
    return _run(
        f"publish answers.csv --study study.toml --out reports --keep region --insecure-seed {seed} --json {keys}"
    )


def _analysed() -> dict[str, object]:
    """What is done with reports, of any study with `moved` and `place`."""
    return {
        "estimate": _run("estimate reports --json"),
        "estimate by group": _run("estimate reports --group region --json"),
        "estimate with contrasts": _run("estimate reports --contrasts --between answers --json"),
        "weights": _run("weights reports --question moved --question place --out weights.csv --json"),
        "weights, the table": digest(Path("weights.csv").read_text()) if Path("weights.csv").exists() else "none",
        "fit a model": _run("fit reports --json --model", "moved ~ C(region)"),
        "fit a table": _run("fit reports --cross moved,place --json"),
        "report": _run("report reports --out report.html --group region --json"),
        "verify the reports": _run("verify reports --json"),
        "verify the report": _run("verify report.html --json"),
        "releases": _run("releases study.toml --json"),
    }


def _channel() -> None:
    Path("channel.csv").write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")


@case("commands/study of one level")
def _study_of_one_level() -> object:
    with _folder():
        _write(_one_level())
        found = {"plan": _run("plan study.toml --json"), "publish": _published(""), **_analysed()}
        found["append"] = _run(
            "publish answers.csv --study study.toml --out reports --keep region --append --insecure-seed 6 --json"
        )
        found["amend"] = _amended("")
        found["erase"] = _erased("")
        found["estimate after that"] = _run("estimate reports --json")
        return found


def _amended(keys: str) -> object:
    first = sf.read_reports("reports").note.parts[0].id
    Path("changes.csv").write_text(f"part,row,moved\n{first},1,yes\n{first},2,yes\n")
    return _run(f"amend changes.csv --study study.toml --out reports --insecure-seed 7 --json {keys}")


def _erased(keys: str) -> object:
    first = sf.read_reports("reports").note.parts[0].id
    return _run(f"erase reports --row {first}:4 --json {keys}")


@case("commands/study of three levels")
def _study_of_three_levels() -> object:
    with _folder():
        _write(_three_levels())
        found = {
            "plan": _run("plan study.toml --json"),
            "publish": _published("--keys keys --unprotected"),
            **_analysed(),
        }
        found["open"] = _run(
            "open reports --key keys/ministry.moved.key --key keys/ministry.place.key --out opened.parquet --json"
        )
        found["recover"] = _run("recover reports --key keys --out answers.parquet")
        found["estimate what was opened"] = _run("estimate opened.parquet --json")
        found["show keys"] = _run("keys show keys/ministry.moved.key keys/registrar.moved.key --json")
        found["split a key"] = _run("keys split keys/ministry.moved.key --at 50 --out parts --unprotected")
        found["combine"] = _combined()
        found["amend"] = _amended("--keys keys --unprotected")
        found["erase"] = _erased("--keys keys --allow-unprotected")
        found["estimate after that"] = _run("estimate reports --json")
        return found


def _combined() -> object:
    made = _run(
        "publish answers.csv --study study.toml --out more --keys more-keys --unprotected --keep region "
        "--insecure-seed 8 --json"
    )
    return [made, _run("combine reports more --out both --assume-disjoint --json"), _run("estimate both --json")]


@case("commands/study with cards")
def _study_with_cards() -> object:
    with _folder():
        _write(_cards())
        return {"plan": _run("plan study.toml --json"), "publish": _published(""), **_analysed()}


@case("commands/plan without a study")
def _plan_alone() -> object:
    with _folder():
        goal = "--expected-share 0.1 --half-width 0.02"
        test = "--max-epsilon 2 --theta-1 0.1 --theta-2 0.2 --error 0.05"
        return [_run(f"plan --guess-error 0.375 {goal} --json"), _run(f"plan --guess-error 0.375 {test} --json")]


@case("commands/new")
def _new() -> object:
    with _folder():
        made = _run("new first.toml --epsilon usual --analyst ministry=2 --registrar --yes --question", "Do you smoke?")
        return [made, digest(Path("first.toml").read_text()), _run("plan first.toml --json")]


@case("commands/certify and verify")
def _certify() -> object:
    with _folder():
        _channel()
        return {
            "certify": _run("certify channel.csv --json"),
            "certify with a prior": _run("certify channel.csv --prior no=0.9,yes=0.1 -o c.json"),
            "verify": _run("verify c.json --json"),
        }


@case("commands/audit")
def _audit() -> object:
    with _folder():
        Path("s.csv").write_text("input,output,n\nno,no,700\nno,yes,300\nyes,no,310\nyes,yes,690\n")
        _channel()
        drawn = _run("audit --channel channel.csv --draws 10000 --insecure-seed 1 --json")
        return [
            drawn,
            _run("audit s.csv --count n --epsilon 0.5 --json"),
            _run("audit s.csv --count n --epsilon 1.5 --json"),
        ]


@case("commands/disclose")
def _disclose() -> object:
    with _folder():
        _write(_one_level())
        line = (
            "disclose answers.csv --protect moved --samples rows --distribution-from-these-records --insecure-seed 3 "
        )
        line += "--json --even-if-nothing --out"
        told = _run(f"{line} told.csv")
        columns = _run(
            "disclose answers.csv --protect place,region --about moved --distribution-from-these-records "
            "--insecure-seed 4 --json --out all.csv "
            "--registry other --even-if-nothing"
        )
        return [told, columns]


@case("commands/budget")
def _budget() -> object:
    with _folder():
        return [
            _run("budget init people.ledger --budget-bits 2 --epsilon 3 --json"),
            _run("budget spend people.ledger --budget-bits 0.5 --epsilon 1 --id income --json --title Income"),
            _run(
                "budget spend people.ledger --budget-bits 0.5 --epsilon 1 --id income --released --json --title Income"
            ),
            _run("budget spend people.ledger --budget-bits 1.6 --epsilon 1 --json --title Everything"),
            _run("budget show people.ledger --json"),
        ]


def _noise(line: str) -> object:
    with _folder():
        _write(_three_levels())
        Path("truth.txt").write_text("41.25\n")
        Path("flag.txt").write_text("yes\n")
        Path("distortion.csv").write_text("answer,bad,fair,good\nbad,0,1,2\nfair,1,0,1\ngood,2,1,0\n")
        made = _run(f"noise {line.partition(' --input')[0]} --json")
        out = _run(f"noise {line} --allow-useless --insecure-seed 9 --out told.json")
        kept = _stripped(json.loads(Path("told.json").read_text())) if Path("told.json").exists() else "nothing"
        return [made, out, kept]


@case("commands/noise, mean")
def _noise_mean() -> object:
    return _noise("mean answers.csv --column rooms --low 0 --high 6 --budget-bits 0.5 --correlated 2")


@case("commands/noise, sum")
def _noise_sum() -> object:
    return _noise("sum answers.csv --column rooms --low 0 --high 6 --budget-bits 0.5 --correlated nobody")


@case("commands/noise, count")
def _noise_count() -> object:
    return _noise("count answers.csv --column moved --value yes --budget-bits 0.5 --correlated 1")


@case("commands/noise, mean against bounded beliefs")
def _noise_believed() -> object:
    return _noise("mean answers.csv --column rooms --low 0 --high 6 --budget-bits 0.5 --shared-knowledge-bits 3")


@case("commands/noise, histogram")
def _noise_histogram() -> object:
    return _noise("histogram answers.csv --column moved --values yes,no --budget-bits 0.5 --correlated 2")


@case("commands/noise, quantile")
def _noise_quantile() -> object:
    return _noise("quantile answers.csv --column rooms --grid 0:6:0.5 --budget-bits 1 --correlated 2")


@case("commands/noise, gaussian")
def _noise_gaussian() -> object:
    return _noise("gaussian --low 0 --high 100 --budget-bits 0.5 --input truth.txt")


@case("commands/noise, flip")
def _noise_flip() -> object:
    return _noise("flip --budget-bits 0.5 --input flag.txt")


@case("commands/noise, exponential")
def _noise_exponential() -> object:
    return _noise("exponential distortion.csv --budget-bits 0.5 --values 2")


@case("commands/query")
def _query() -> object:
    with _folder():
        Path("blood.csv").write_text("value,probability,tell\nO+,0.4,O\nO-,0.1,O\nA+,0.3,A\nB+,0.2,B\n")
        people = ["value", *(("O+", "A+", "B+", "O-")[row * row % 4] for row in range(60))]
        Path("people.csv").write_text("\n".join(people) + "\n")
        return [
            _run("query design blood.csv --rho 0.9 --out design.json --json"),
            _run("query design blood.csv --rho 0.7 -n 2 --starts 1 --json"),
            _run("query design blood.csv --rho 0.9 --every-answer --json"),
            _run("query design blood.csv --rho 0.7 -n 3 --persistent-secret --json"),
            _run("query answer people.csv --design design.json --out answers.csv --insecure-seed 2"),
            digest(Path("answers.csv").read_text()) if Path("answers.csv").exists() else "nothing",
            _run("query attack answers.csv --design design.json --truth people.csv --json"),
        ]


@case("commands/serve")
def _serve() -> object:
    with _folder():
        _collected()
        return _run("serve study.toml --data server --invite 3 --to invites.csv --json")


def _collected() -> None:
    _private, public = new_key_pair()
    Path("ministry.pub").write_text(public.to_pem() if isinstance(public.to_pem(), str) else public.to_pem().decode())
    study = sf.Study(
        name="Collected",
        questions=(sf.YesNo(id="moved", text="Did you move?"),),
        analysts=(sf.Analyst(name="ministry", epsilon=Fraction(3), public_key="ministry.pub"),),
        public_epsilon=Fraction(1),
        collect=sf.study.CollectTerms(),
    )
    sf.write_study(study, Path("study.toml"))


@case("commands/help")
def _help() -> object:
    with _folder():
        return _run("--help")
