"""A year in the life of a publication, through the command: published, grown, corrected, erased from, combined.

At every step what the verbs say is held against the true table, which the test keeps: `recover` must give it back cell
by cell, and every interval of `open` and `estimate` must hold the true share. Intervals have confidence 1 - 1e-9 and
there are fewer than 400 of them in a run, so a right product fails less than once in 1e6 runs.
"""

import json
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.study import Analyst, OneOfMany, Study, YesNo, write_study

PLACES = ("north", "south", "east", "west", "prefer not to answer")
REGIONS = ("hill", "coast")
CONFIDENCE = "0.999999999"
STUDY = Study(
    name="Homes",
    population=140_000,
    questions=(
        YesNo(id="moved", text="Did you move?"),
        OneOfMany(id="place", text="Where do you live?", answers=PLACES),
    ),
    analysts=(Analyst(name="ministry", epsilon=Fraction(3)), Analyst(name="press", epsilon=Fraction(1))),
    public_epsilon=Fraction(1, 2),
    recover=True,
)


def people(prefix, rows, seed):
    """A table of answers; what they are is fixed, what is drawn about them is not."""
    draw = np.random.default_rng(seed)
    region = draw.integers(0, 2, rows)
    moved = draw.random(rows) < np.where(region == 0, 0.2, 0.35)
    place = draw.choice(5, rows, p=(0.4, 0.25, 0.2, 0.1, 0.05))
    return pa.table(
        {
            "person": [f"{prefix}{i:06d}" for i in range(rows)],
            "moved": np.where(moved, "yes", "no"),
            "place": np.array(PLACES)[place],
            "region": np.array(REGIONS)[region],
        }
    )


class Office:
    """A folder of its own with a study, a publication, keys, and the true table; the registrar's secret is here."""

    def __init__(self, run, home, name, guarantee):
        self.run, self.home, self.name, self.guarantee = run, home, name, guarantee
        self.folder = home / name
        self.folder.mkdir()
        write_study(STUDY, self.folder / "study.toml")
        self.truth = {}

    @property
    def reports(self):
        return f"{self.name}/reports"

    @property
    def keys(self):
        return f"{self.name}/keys"

    def sealed(self):
        """Keys are sealed to their holders; seeds open what comes later, so that nobody gets a second one."""
        new_keys = self.guarantee == "information-theoretic" or not self.truth
        receivers = (f"--to={holder}={holder}.private.pub" for holder in ("ministry", "press") if new_keys)
        return ("--private-key", "registrar.private", *receivers)

    def place(self):
        return ("--study", f"{self.name}/study.toml", "--out", self.reports, "--keys", self.keys)

    def publish(self, table, *more):
        pq.write_table(table, self.folder / "answers.parquet")
        return self.run(
            "publish", f"{self.name}/answers.parquet", *self.place(), "--keep", "region", "--id", "person",
            "--guarantee", self.guarantee, *self.sealed(), "--json", *more,
        )  # fmt: skip

    def published(self, table, *more):
        """Publish a table that must be taken, and remember it under the id of its part."""
        before = set(self.parts())
        said = passed(self.publish(table, *more))
        (part,) = set(self.parts()) - before
        self.truth[part] = Truth(table)
        return said, part

    def amend(self, rows, *more):
        pq.write_table(pa.table(rows), self.folder / "corrections.parquet")
        return self.run(
            "amend", f"{self.name}/corrections.parquet", *self.place(), "--guarantee", self.guarantee, *self.sealed(),
            "--json", *more,
        )  # fmt: skip

    def erase(self, *which):
        return self.run(
            "erase", self.reports, "--keys", self.keys, "--private-key", "registrar.private", "--json", *which
        )

    def parts(self):
        manifest = self.folder / "reports" / "publication.json"
        if not manifest.exists():
            return {}
        return {one["id"]: one["file"] for one in json.loads(manifest.read_text())["parts"]}


class Truth:
    """The true answers of a part, by row, and who is still in."""

    def __init__(self, table):
        self.columns = {name: np.array(table[name].to_pylist(), dtype=object) for name in table.column_names}
        self.here = np.ones(table.num_rows, dtype=bool)

    def flip(self, rows):
        """The other answer to `moved` and another one to `place`, as corrections."""
        moved = np.where(self.columns["moved"][rows] == "yes", "no", "yes")
        places = np.array([PLACES.index(text) for text in self.columns["place"][rows]])
        return moved, np.array(PLACES, dtype=object)[(places + 1) % 5]


def passed(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(done, *words):
    """It ends with a sentence, and nobody's id is in it; a check that fails has exit code 1, bad input 2."""
    assert done.returncode in {1, 2}, (done.stdout, done.stderr)
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "this is a bug" not in said
    for word in words:
        assert word in said, said
    for prefix in ("n0", "a0", "s0"):
        assert prefix + "0" not in said, "an id is in the refusal"


def holds(run, home, reports, keys, truth, *, differs_from=None):
    """Every verb says of the reports what the true table says; return the true share of who moved."""
    places = [word for folder in keys for word in ("--key", folder)]
    done = run("recover", reports, *places, "--private-key", "registrar.private", "--out", "back.parquet", "--quiet")
    assert done.returncode == 0, done.stderr
    back = pq.read_table(home / "back.parquet")
    parts = np.array(back["part"].to_pylist() if "part" in back.column_names else [*truth] * back.num_rows)
    assert back.num_rows == sum(int(one.here.sum()) for one in truth.values())
    for part, one in truth.items():
        mine = pa.array(parts == part)
        assert back["row"].filter(mine).to_pylist() == np.flatnonzero(one.here).tolist()
        for name in ("moved", "place", "region"):
            assert back[name].filter(mine).to_pylist() == one.columns[name][one.here].tolist(), name
    everybody = {
        name: np.concatenate([one.columns[name][one.here] for one in truth.values()])
        for name in ("moved", "place", "region")
    }
    public = run("estimate", reports, "--group", "region", "--confidence", CONFIDENCE, "--json")
    assert len(told(passed(public), everybody, level=3)) == 6
    files = [
        word for folder in keys for path in sorted((home / folder).glob("ministry.*.key")) for word in ("-k", path)
    ]
    opened = run("open", reports, *files, "--private-key", "ministry.private", "--confidence", CONFIDENCE, "--json")
    found = told(passed(opened), everybody, level=1)
    assert len(found) == 2
    share = float(np.mean(everybody["moved"] == "yes"))
    if differs_from is not None:
        (interval,) = [one["yes"] for name, group, one in found if name == "moved" and group is None]
        assert not interval[0] <= differs_from <= interval[1], "what was corrected cannot be told from what was"
    return share


def told(document, everybody, level):
    """Check every interval of a document, and return them."""
    found = []
    for one in document["estimates"]:
        mine = slice(None) if one["group"] is None else everybody["region"] == one["group"]
        answers = everybody[one["question"]][mine]
        assert one["level"] == level
        assert one["total"] == answers.size
        ends = {answer["answer"]: (answer["lower"], answer["upper"]) for answer in one["answers"]}
        for label, (lower, upper) in ends.items():
            assert lower <= np.mean(answers == label) <= upper, (one["question"], one["group"], label)
        found.append((one["question"], one["group"], ends))
    return found


@pytest.mark.parametrize("guarantee", [pytest.param("information-theoretic", marks=pytest.mark.slow), "computational"])
def test_a_year_in_a_life(sfumato, tmp_path, guarantee):  # noqa: PLR0915  a year is long
    """Publish 1e5, append 500, amend 3 %, erase 7, combine with 4e4: what is true is said, what must not be is not."""
    for holder in ("registrar", "ministry", "press"):
        assert sfumato("keys", "pair", "--out", f"{holder}.private").returncode == 0
    office = Office(sfumato, tmp_path, "north", guarantee)
    truth = office.truth
    reports, keys = office.reports, office.keys

    def all_holds(**more):
        return holds(sfumato, tmp_path, reports, [keys], truth, **more)

    # January: published. The same table makes the same reports again, a changed one is refused, and so is a person
    # who is in twice.
    first = people("n", 100_000, 1)
    twice = first.slice(0, 100).set_column(0, "person", pa.array([f"n{i % 99:06d}" for i in range(100)]))
    refused(office.publish(twice), "row 100", "row 1 already")
    said, base = office.published(first)
    assert said["rows"] == 100_000
    share = all_holds()
    old_files = {path.name: path.read_bytes() for path in (tmp_path / reports).iterdir() if path.is_file()}
    passed(office.publish(first))
    assert {path.name: path.read_bytes() for path in (tmp_path / reports).iterdir() if path.is_file()} == old_files
    moved = np.array(first["moved"].to_pylist(), dtype=object)
    moved[77] = "no" if moved[77] == "yes" else "yes"
    refused(office.publish(first.set_column(1, "moved", pa.array(moved))), "Under the same draws")

    # March: 500 people move in; some of them were in already, and that is seen before anything is drawn or paid.
    newcomers = people("a", 500, 2)
    record = (tmp_path / "north" / "releases.json").read_bytes()
    known = newcomers.set_column(0, "person", pa.array([*newcomers["person"].to_pylist()[:-1], "n000123"]))
    refused(office.publish(known, "--append"), "row 500", "in the publication already")
    assert (tmp_path / "north" / "releases.json").read_bytes() == record
    said, later = office.published(newcomers, "--append")
    assert said["rows"] == 100_500
    all_holds()

    # May: 3 % are corrected, in one part and then in the other.
    for part, prefix, rows in ((base, "n", np.arange(5, 100_000, 33)), (later, "a", np.arange(3, 500, 33))):
        chosen = rows[truth[part].columns["moved"][rows] == "no"] if part == base else rows
        moved, place = truth[part].flip(chosen)
        ids = [f"{prefix}{row:06d}" for row in chosen]
        said = passed(office.amend({"person": ids, "moved": moved, "place": place}, "--id", "person"))
        assert (said["rows"], said["cells"], said["unchanged"]) == (chosen.size, 2 * chosen.size, 0)
        truth[part].columns["moved"][chosen] = moved
        truth[part].columns["place"][chosen] = place
    corrected = np.arange(5, 100_000, 33)
    assert np.mean(np.isin(np.arange(100_000), corrected)) == pytest.approx(0.03, abs=1e-3)
    now = all_holds(differs_from=share)
    assert now > share + 0.02
    refused(office.amend({"person": ["n000005"], "moved": [truth[base].columns["moved"][5]]}, "--id", "person"),
            "corrects nothing")  # fmt: skip

    # August: seven ask to be forgotten, by id and by row; one of them had been corrected, one had just moved in.
    before = tmp_path / "copy of july"
    shutil.copytree(tmp_path / reports, before)
    analysts = {path: path.read_bytes() for path in (tmp_path / keys).glob("press.*.key")}
    by_id = {base: [5, 4096, 99_999], later: [0, 499]}
    ids = [f"--id={prefix}{row:06d}" for part, prefix in ((base, "n"), (later, "a")) for row in by_id[part]]
    by_row = {base: [71, 4095]}
    said = passed(office.erase(*ids, *(f"--row={base[:8]}:{row}" for row in by_row[base])))
    assert said["people"] == 7
    assert said["seeds"] == (guarantee == "computational")
    for part, rows in (*by_id.items(), *by_row.items()):
        truth[part].here[rows] = False
    all_holds()
    refused(office.amend({"part": [base], "row": [71], "moved": ["yes"]}), "was erased")
    refused(office.amend({"person": ["n000005"], "moved": ["yes"]}, "--id", "person"), "not in the index")
    refused(office.publish(first), "Under the same draws")

    # The key of the press was sealed to it before the erasure, and opens the part after it.
    assert {path: path.read_bytes() for path in analysts} == analysts
    pressed = [word for path in analysts for word in ("-k", path)]
    opened = sfumato("open", reports, *pressed, "--private-key", "press.private", "--confidence", CONFIDENCE, "--json")
    everybody = {
        name: np.concatenate([one.columns[name][one.here] for one in truth.values()])
        for name in ("moved", "place", "region")
    }
    assert len(told(passed(opened), everybody, level=2)) == 2
    assert "erased: 7 of 100,500 people" in opened.stderr
    assert "rewritten since the keys were made" in opened.stderr

    # A journalist takes the hills of the appended part; what was selected is read, and marked as not checked.
    at = tmp_path / reports / office.parts()[later]
    pq.write_table(
        pq.read_table(at, filters=[("region", "=", "hill")]).replace_schema_metadata(), tmp_path / "hills.parquet"
    )
    chosen = sfumato("estimate", "hills.parquet", "--note", f"{at}.about.json", "--json")
    expected = np.sum(truth[later].here & (truth[later].columns["region"] == "hill"))
    assert [one["total"] for one in passed(chosen)["estimates"]] == [expected] * 2
    assert "not checked against the digest" in chosen.stderr

    # An old copy of the part is put back: under its old name nobody looks at it, under its new one it is refused.
    old = old_files[f"{base[:8]}.parquet"]
    now_called = tmp_path / reports / office.parts()[base]
    assert now_called.name != f"{base[:8]}.parquet"
    held = now_called.read_bytes()
    (tmp_path / reports / f"{base[:8]}.parquet").write_bytes(old)
    all_holds()
    refused(sfumato("estimate", str(tmp_path / reports / "*.parquet")), "part twice")
    now_called.write_bytes(old)
    refused(sfumato("estimate", reports), "older copy")
    beside = now_called.with_name(f"{now_called.name}.about.json")
    noted = beside.read_bytes()
    beside.write_bytes(old_files[f"{base[:8]}.parquet.about.json"])
    refused(sfumato("estimate", reports), "older copy")
    now_called.write_bytes(held)
    beside.write_bytes(noted)
    (tmp_path / reports / f"{base[:8]}.parquet").unlink()
    refused(sfumato("combine", reports, before, "--out", "both"), "part twice")
    assert not (tmp_path / "both").exists()

    # December: a second office sends its part; one of its people is in the first as well, until it is erased there.
    second = Office(sfumato, tmp_path, "south", guarantee)
    table = people("s", 40_000, 3)
    second.published(table.set_column(0, "person", pa.array([*table["person"].to_pylist()[:-1], "n000042"])))
    both = ("--keys", keys, "--keys", second.keys, "--private-key", "registrar.private")
    refused(sfumato("combine", reports, second.reports, "--out", "country", *both), "1 people in two parts")
    refused(sfumato("combine", reports, second.reports, "--out", "unseen"), "0 of 3 indexes of people were opened")
    assert not (tmp_path / "unseen").exists()
    unseen = sfumato("combine", reports, second.reports, "--out", "unseen", "--assume-disjoint")
    assert unseen.returncode == 0
    assert "assumed, and not checked" in unseen.stderr
    assert "assumed, and not checked" in sfumato("estimate", "unseen").stdout
    passed(second.erase("--id", "n000042"))
    (south,) = second.truth
    second.truth[south].here[-1] = False
    said = passed(sfumato("combine", reports, second.reports, "--out", "country", *both, "--json"))
    assert said["people_compared"]
    assert said["rows"] == 100_493 + 39_999
    holds(sfumato, tmp_path, "country", [keys, second.keys], {**truth, **second.truth})
