"""A publication in a folder with its keys and its true table, for whoever tests what becomes of it."""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pyarrow as pa

from sfumato.keys import Unprotected
from sfumato.publications.reports import read_report_files
from sfumato.study import Analyst, OneOfMany, Study, YesNo, write_study
from sfumato.workflows.amending import amend
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish
from sfumato.workflows.reading import recover_answers

PLACES = ("north", "south", "east")
REGIONS = ("coast", "hill")


def living_study(**changes):
    values = {
        "name": "Living",
        "population": 5000,
        "questions": (
            YesNo(id="moved", text="Did you move?"),
            OneOfMany(id="place", text="Where do you live?", answers=PLACES),
        ),
        "analysts": (Analyst(name="ministry", epsilon=Fraction(3)),),
        "public_epsilon": Fraction(1),
        "recover": True,
    }
    return Study(**{**values, **changes})


def living_answers(rows, prefix="p"):
    return pa.table(
        {
            "person": [f"{prefix}{row:05d}" for row in range(rows)],
            "moved": ["yes" if row % 3 == 0 else "no" for row in range(rows)],
            "place": [PLACES[(row * row) % 3] for row in range(rows)],
            "region": [REGIONS[row % 2] for row in range(rows)],
        }
    )


def other(answer):
    """The other answer to a question with two."""
    return "no" if answer == "yes" else "yes"


@dataclass
class Living:
    """What was published in a folder, and what is true."""

    folder: Path
    study: Study = field(default_factory=living_study)
    guarantee: str = "information-theoretic"
    keep: tuple = ("region",)

    @property
    def reports(self):
        return self.folder / "reports"

    @property
    def keys(self):
        return self.folder / "keys"

    @property
    def file(self):
        return self.folder / "study.toml"

    def publish(self, table, **more):
        self.folder.mkdir(exist_ok=True)
        write_study(self.study, self.file)
        return publish(
            self.file, table, out=self.reports, keys=self.keys, protection=Unprotected(), keep=self.keep,
            guarantee=self.guarantee, **more,
        )  # fmt: skip

    def amend(self, table, **more):
        return amend(
            self.file, pa.table(table), out=self.reports, keys=self.keys, protection=Unprotected(),
            guarantee=self.guarantee, **more,
        )  # fmt: skip

    def erase(self, *rows, **more):
        return erase(self.reports, rows=[(None, row) for row in rows], keys=self.keys, unlock=Unprotected(), **more)

    def read(self):
        return read_report_files(self.reports)

    def recovered(self, reports=None):
        return recover_answers(self.reports if reports is None else reports, self.keys, unlock=Unprotected())

    def part_files(self):
        return sorted(self.reports.glob("*.parquet"))
