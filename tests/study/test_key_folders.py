"""Reports and key files on disk: who holds which file, and how a folder is published under again."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.refine import Passphrase, Unprotected
from sfumato.study import Study
from sfumato.study.key_folders import KeyFolder
from small_studies import answers, small_study


def test_each_step_in_one_call(tmp_path):
    study = tmp_path / "study.toml"
    sf.study.write_study(small_study(), study)
    import polars as pl

    for name, data in enumerate((answers(), answers().to_pandas(), pl.from_arrow(answers()), answers().to_pydict())):
        publication = sf.publish(study, data, keep=["region"], again=str(name) if name else None)
        assert len(publication.reports) == 600
    with pytest.raises(InvalidParameter, match="protection"):
        sf.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys")
    secret = Passphrase("correct horse", memory_kib=64, passes=1, lanes=1)
    files = sf.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys", secret)
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
        sf.write_publication(publication, tmp_path / "r2.parquet", tmp_path / "keys", secret)
    with pytest.raises(InvalidParameter, match="dictionary of columns"):
        sf.publish(study, 7, again="bad")
    with pytest.raises(InvalidInput, match="different lengths"):
        sf.publish(study, {"moved": ["yes"], "place": []}, again="bad")


def test_reports_of_several_files_are_estimated_together(tmp_path):
    study, place = small_study(), {"protection": Unprotected(), "record": tmp_path / "record.json"}
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
    place = {"out": tmp_path / out, "keys": tmp_path / "keys", "record": tmp_path / "record.json"}
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
