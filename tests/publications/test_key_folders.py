"""Reports and key files on disk: who holds which file, and how a folder is published under again."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import InvalidInput, InvalidParameter, KeyRefused
from sfumato.keys import Passphrase, Unprotected, new_key_pair
from sfumato.keys.key_files import write_key
from sfumato.publications.key_folder import KeyFolder
from sfumato.study import Study
from sfumato.workflows.key_files import split_key_file
from small_studies import answers, small_study


def test_each_step_in_one_call(tmp_path):
    study = tmp_path / "study.toml"
    sf.study.write_study(small_study(), study)
    import polars as pl

    for name, data in enumerate((answers(), answers().to_pandas(), pl.from_arrow(answers()), answers().to_pydict())):
        publication = sf.publish(study, data, keep=["region"], again=str(name) if name else None)
        assert len(publication.reports) == 600
    with pytest.raises(InvalidParameter, match="protection"):
        sf.workflows.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys")
    secret = Passphrase("correct horse", memory_kib=64, passes=1, lanes=1)
    files = sf.workflows.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys", secret)
    assert len(files) == 10, "nine of levels, and the registrar's to sealed counts"
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    opened = sf.open_reports(tmp_path / "reports.parquet", tmp_path / "keys" / "ministry.place.key", unlock=secret)
    columns = ["row", "moved", "place", "rooms", "debt", "rooms_sealed", "region"]
    for frame in (opened.to_polars(), opened.to_pandas()):
        assert frame.shape == (600, 7)
        assert list(frame.columns) == columns
    estimates = sf.estimate_reports(opened, questions=["place"])
    assert estimates.to_arrow().num_rows == 5
    assert "prefer not to answer" in estimates._repr_html_()
    answers_again = sf.recover_answers(
        tmp_path / "reports.parquet", tmp_path / "keys" / "registrar.moved.key", unlock=secret
    )
    assert answers_again["moved"].to_pylist() == answers()["moved"].to_pylist()
    with pytest.raises(InvalidParameter, match="holds key files"):
        sf.workflows.write_publication(publication, tmp_path / "r2.parquet", tmp_path / "keys", secret)
    with pytest.raises(InvalidParameter, match="dictionary of columns"):
        sf.publish(study, 7, again="bad")
    with pytest.raises(InvalidInput, match="different lengths"):
        sf.publish(study, {"moved": ["yes"], "place": []}, again="bad")


def test_reports_of_several_files_are_estimated_together(tmp_path):
    study, place = small_study(), {"protection": Unprotected(), "registry": tmp_path / "registry.json"}
    for name in ("north", "south"):
        sf.publish(study, answers(), out=tmp_path / f"{name}.csv", keys=tmp_path / name, people=name, **place)
    files = [tmp_path / "north.csv", tmp_path / "south.csv"]
    found = sf.estimate_reports(files)
    assert [one.total for one in found] == [1200] * 4
    assert found == sf.estimate_reports(tmp_path / "*.csv", study) == sf.estimate_reports(sf.read_reports(files))
    assert [one.total for one in sf.estimate_reports(tuple(map(str, files[:1])))] == [600] * 4


@pytest.mark.parametrize("bad", ["answer", "reader"])
@pytest.mark.parametrize("out", ["reports.csv", "reports"])
def test_what_is_refused_leaves_nothing_behind(tmp_path, bad, out):
    table = answers().set_column(1, "place", pa.array(["north"] * 599 + ["atlantis"]))
    if bad == "reader":  # key files say how many rows there are, and to count them is to read it
        table = pa.RecordBatchReader.from_batches(answers().schema, answers().to_batches())
    place = {"out": tmp_path / out, "keys": tmp_path / "keys", "registry": tmp_path / "registry.json"}
    with pytest.raises(InvalidInput, match=r"row 600|can be read once"):
        sf.publish(small_study(), table, **place, protection=Unprotected())
    left = {path.relative_to(tmp_path).name for path in tmp_path.rglob("*") if path.suffix != ".lock"}
    assert left <= {"reports"}, "a folder for a publication may stay, with nothing in it"
    made = sf.publish(small_study(), answers(), **place, protection=Unprotected())
    assert len(made.reports) == 600


def test_a_folder_of_keys_knows_its_holders(tmp_path):
    folder = KeyFolder.of(small_study(), tmp_path)
    assert folder.holders == ("ministry", "press", "registrar")
    assert len(folder.files) == 10
    with pytest.raises(InvalidParameter, match=r"readers with keys.*give `keys`"):
        KeyFolder.of(small_study(), None)
    alone = Study(name="s", questions=small_study().questions[:1], public_epsilon=Fraction(1))
    assert KeyFolder.of(alone, None).files == {}
    publication = drawn_part(small_study(recover=False), answers())
    bare = KeyFolder.of(small_study(recover=False), tmp_path)
    bare.write(publication.keys, dict.fromkeys(bare.holders, Unprotected()), lambda _: Unprotected())
    with pytest.raises(InvalidParameter, match="not the registrar"):
        bare.held_keys(lambda _: Unprotected())


class TestKeysThatOpen:
    """Of a folder the keys are used that the secret opens; the others are listed."""

    MINE, OTHERS = (Passphrase(text, memory_kib=64, passes=1, lanes=1) for text in ("correct horse", "battery staple"))

    @pytest.fixture
    def published(self, tmp_path):
        private, public = new_key_pair()
        place = {"out": tmp_path / "reports.parquet", "keys": tmp_path / "keys", "registry": tmp_path / "registry.json"}
        protection = {"ministry": public, "press": self.OTHERS, "registrar": self.MINE}
        sf.publish(small_study(), answers(), **place, protection=protection)
        return tmp_path, private

    def test_one_secret_of_several_is_enough(self, published):
        folder, private = published
        opened = sf.open_reports(folder / "reports.parquet", folder / "keys", unlock=private)
        assert {opened.note.column(name).level for name in ("moved", "place", "rooms")} == {1}
        (listed,) = [said for said in opened.remarks if "key files" in said]
        assert listed.count("press.") == 3
        assert "ministry." not in listed
        assert "registrar." not in listed

    def test_a_file_that_is_named_must_open(self, published):
        folder, private = published
        with pytest.raises(KeyRefused):
            sf.open_reports(folder / "reports.parquet", folder / "keys" / "press.moved.key", unlock=private)

    def test_a_damaged_file_is_listed_and_an_unprotected_one_is_not_used(self, published):
        folder, private = published
        (folder / "keys" / "ministry.moved.key").write_bytes(b"no key")
        other = sf.publish(small_study(), answers(), again="b", registry=folder / "registry.json")
        write_key(other.keys["rooms"][1], folder / "keys" / "planted.rooms.key", Unprotected())
        opened = sf.open_reports(folder / "reports.parquet", folder / "keys", unlock=private)
        assert opened.note.column("moved").level == 3
        assert opened.note.column("place").level == 1
        assert "ministry.moved.key" in opened.remarks[-1]

    def test_a_secret_that_opens_none_is_refused(self, published):
        folder, _ = published
        stranger, _ = new_key_pair()
        with pytest.raises(KeyRefused):
            sf.open_reports(folder / "reports.parquet", folder / "keys", unlock=stranger)
        # The registrar recovers with all keys of the registrar, or not at all.
        with pytest.raises(KeyRefused):
            sf.recover_answers(folder / "reports.parquet", folder / "keys", unlock=self.OTHERS)


def test_a_folder_of_keys_is_its_owner_s_alone(tmp_path):
    """Where the command made it; one that was there stays as it is, and so do the folders above it."""
    secret = {"protection": Unprotected(), "registry": tmp_path / "registry.json"}
    for name in ("reports.csv", "folder"):
        keys = tmp_path / name.split(".")[0] / "secret" / "keys"
        sf.publish(small_study(), answers(), out=tmp_path / name, keys=keys, people=name, **secret)
        assert keys.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in keys.glob("*.key")} == {0o600}
    (tmp_path / "open").mkdir(mode=0o755)
    sf.publish(small_study(), answers(), out=tmp_path / "r.csv", keys=tmp_path / "open", people="c", **secret)
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o755
    key = tmp_path / "open" / "ministry.place.key"
    split_key_file(key, [300], tmp_path / "parts", protection=Unprotected(), unlock=Unprotected())
    assert (tmp_path / "parts").stat().st_mode & 0o777 == 0o700
