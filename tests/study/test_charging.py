"""What the steps of a study cost, and that it is paid before anything is released."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

import sfumato as sf
from drawn_parts import drawn_part
from record_channels import h2
from sfumato.errors import BudgetSpent, InvalidParameter, ReleasedBefore, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.ledger import Kind, Ledger, Published, PublishedColumn, Role
from sfumato.ledger.amounts import Payer
from sfumato.publications.registry import ledger_of
from sfumato.sampling import InsecureSeeded
from sfumato.study import FreeText, OneOfMany, YesNo
from sfumato.study.file import as_toml, read_study, write_study
from sfumato.study.planning import release_of_disclosure, release_of_noise, release_of_reports
from sfumato.study.study import seen_by_readers, totals_of
from sfumato.workflows.releasing import paid, probe, probe_folder
from small_studies import PLACES, answers, small_study


class TestWhatReportsCost:
    def test_all_keys_together_but_not_the_registrars(self):
        study = small_study()
        release = release_of_reports(study, 600)
        together = next(total for total in totals_of(study) if total.holder == "all analysts together")
        assert release.kind is Kind.LOCAL
        assert math.isinf(together.epsilon)  # a card without an ε of its own
        assert release.charges.epsilon == math.inf
        keyed = small_study(questions=small_study().questions[:3])
        assert float(release_of_reports(keyed, 600).charges.epsilon) == pytest.approx(9, abs=1e-6)
        assert "seen by: all analysts together" in release.notes
        assert any("registrar" in note for note in release.notes)

    def test_in_bits_many_reports_may_tell_whole_answers(self):
        """Two yes/no questions, five places, a count from 0 to 6 that is rounded to four values: log2 2·5·7·2."""
        assert float(release_of_reports(small_study(), 600).charges.bits) == pytest.approx(
            math.log2(2 * len(PLACES) * 7 * 2)
        )

    def test_a_few_reports_cannot_tell_more_than_their_capacity(self):
        study = small_study(
            questions=(YesNo(id="moved", text="Did you move?", epsilon=Fraction(1, 10)),), analysts=(), recover=False,
            public_epsilon=None,
        )  # fmt: skip
        capacity = 1 - h2(1 / (1 + math.exp(0.1)))
        assert float(release_of_reports(study, 1).charges.bits) == pytest.approx(capacity, rel=1e-6)
        assert float(release_of_reports(study, 100).charges.bits) == pytest.approx(100 * capacity, rel=1e-6)
        assert release_of_reports(study, 1000).charges.bits == 1

    def test_reports_on_one_question_may_tell_the_answer_to_another(self):
        """Who believes that the yes/no answers of two neighbours spell out where a third person lives, sees it there.

        The least for each question on its own, one bit for the yes or no and next to nothing for the place, would be
        too little: both neighbours' reports tell 2 (1 - h(flip)) bits about the place.
        """
        place = OneOfMany(id="place", text="Where?", answers=PLACES[:4], epsilon=Fraction(1, 100))
        moved = YesNo(id="moved", text="Did you move?", epsilon=Fraction(5))
        study = small_study(questions=(moved, place), analysts=(), recover=False, public_epsilon=None)
        flip = 1 / (1 + math.exp(5))
        told = 2 * (1 - h2(flip))
        assert told > 1.8
        assert release_of_reports(study, 3).charges.bits >= told
        assert release_of_reports(study, 10**6).charges.bits == 3

    def test_an_amendment_is_paid_in_epsilon_for_its_questions(self):
        study = small_study(questions=small_study().questions[:2], analysts=(), recover=False)
        part = {"drawing": "e" * 32, "digest": "f" * 64}
        amended = Published(
            study=study.name, fingerprint="c" * 64, epoch=0, rows=2, seen=seen_by_readers(study, {"moved"}),
            columns=(PublishedColumn(question="moved", **part),), part="e" * 32, role=Role.AMEND, of="a" * 32,
            amends="a" * 32, people="South",
        )  # fmt: skip
        release = release_of_reports(study, 2, amended)
        whole = release_of_reports(study, 2)
        assert release.charges.epsilon == Fraction(float(dict(amended.seen)["public"])) < whole.charges.epsilon
        assert release.title.endswith(", amended")
        assert release.payer == Payer(people="south", publication="a" * 32, part="a" * 32)

    def test_texts_are_counted_by_their_bytes(self):
        study = small_study(
            questions=(FreeText(id="moved", text="Where to?", longest=3, epsilon=Fraction(2)),), analysts=(),
            recover=False, public_epsilon=None,
        )  # fmt: skip
        texts = sum(256**length for length in range(4))
        assert math.log2(texts) <= release_of_reports(study, 10**6).charges.bits <= 26


class TestOtherReleases:
    def test_a_disclosure_is_charged_the_row(self):
        release = release_of_disclosure("release.csv", ["a" * 64], 12)
        assert release.kind is Kind.PERFECT_SAMPLES
        assert float(release.charges.bits) == pytest.approx(math.log2(12))
        assert release.charges.epsilon == math.inf

    def test_noise_is_charged_its_capacity(self):
        assert release_of_noise("mean", 0.5).charges.bits == Fraction(1, 2)


class TestPaying:
    def test_before_and_settled_after(self, tmp_path):
        ledger = Ledger.create(tmp_path / "book", budget_bits=1)
        with paid(tmp_path / "book", release_of_noise("mean", 0.5)):
            (entry,) = ledger.entries()
            assert entry.settled is None
        (entry,) = ledger.entries()
        assert entry.settled is not None

    def test_a_release_that_fails_stays_paid_for(self, tmp_path):
        ledger = Ledger.create(tmp_path / "book", budget_bits=1)
        with pytest.raises(OSError, match="full"), paid(tmp_path / "book", release_of_noise("mean", 0.5)):
            raise OSError("full")
        assert ledger.left.bits == Fraction(1, 2)
        assert ledger.entries()[0].settled is None

    def test_nothing_happens_when_the_budget_is_spent(self, tmp_path):
        Ledger.create(tmp_path / "book", budget_bits=1)
        happened = []
        with pytest.raises(BudgetSpent), paid(tmp_path / "book", release_of_noise("mean", 1.5)):
            happened.append(1)
        assert not happened

    def test_without_a_ledger_it_just_happens(self):
        happened = []
        with paid(None, None):
            happened.append(1)
        assert happened

    def test_a_folder_that_is_not_there_is_seen_before(self, tmp_path):
        with pytest.raises(InvalidParameter, match="nothing was debited"):
            probe(tmp_path / "no" / "reports.csv")
        with pytest.raises(InvalidParameter, match=r"is a folder.*nothing was debited"):
            probe(tmp_path)
        probe(tmp_path / "reports.csv")
        (tmp_path / "file").write_text("x")
        with pytest.raises(InvalidParameter, match=r"cannot be written to.*nothing was debited"):
            probe_folder(tmp_path / "file" / "keys")
        probe_folder(tmp_path / "new" / "keys")


class TestAStudyNamesItsLedger:
    def test_from_the_folder_of_its_file(self, tmp_path):
        study = small_study(ledger="money/budget.ledger")
        write_study(study, tmp_path / "study.toml")
        assert "[budget]" in as_toml(study)
        assert read_study(tmp_path / "study.toml") == study
        assert ledger_of(tmp_path / "study.toml") == tmp_path / "money" / "budget.ledger"
        assert ledger_of(small_study()) is None
        assert ledger_of(small_study(), tmp_path / "other") == tmp_path / "other"
        with pytest.raises(InvalidParameter, match=r"ledger='\S+' is not the ledger of the study"):
            ledger_of(tmp_path / "study.toml", tmp_path / "other")

    @pytest.mark.parametrize("name", ['""', "7", '"two\\nlines"'])
    def test_a_bad_name_is_refused_with_its_line(self, tmp_path, name):
        lines = as_toml(small_study(ledger="LEDGER")).replace('"LEDGER"', name)
        (tmp_path / "study.toml").write_text(lines)
        line = lines.splitlines().index(f"ledger = {name}") + 1
        with pytest.raises((InvalidParameter, UnreadableFile), match=f"line {line}: ledger"):
            read_study(tmp_path / "study.toml")

    def test_publishing_in_python_debits_it(self, tmp_path):
        ledger = Ledger.create(tmp_path / "budget", epsilon=17)
        study = small_study(questions=small_study().questions[:3], ledger="budget")
        write_study(study, tmp_path / "study.toml")

        def publish(name, **again):
            sf.publish(
                tmp_path / "study.toml",
                answers(),
                out=tmp_path / f"{name}.parquet",
                keys=tmp_path / name,
                protection=Unprotected(),
                **again,
            )

        publish("first")
        (entry,) = ledger.entries()
        assert replace(entry.release, published=None) == release_of_reports(study, 600)
        assert entry.settled is not None
        publish("first")
        assert len(ledger.entries()) == 1, "the same draws, made again under their keys"
        with pytest.raises(ReleasedBefore, match="tells more about the same people"):
            publish("second")
        with pytest.raises(BudgetSpent, match="nats of ε"):
            publish("second", again="second")
        assert not (tmp_path / "second").exists()
        assert not (tmp_path / "second.parquet").exists()

    def test_nothing_stays_in_memory_that_must_be_paid_for(self, tmp_path):
        ledger = Ledger.create(tmp_path / "budget", epsilon=17)
        write_study(small_study(ledger="budget"), tmp_path / "study.toml")
        with pytest.raises(InvalidParameter, match="out must say where the reports are written"):
            sf.publish(tmp_path / "study.toml", answers())
        with pytest.raises(InvalidParameter, match="out must say"):
            sf.publish(small_study(), answers(), ledger=tmp_path / "budget")
        with pytest.raises(InvalidParameter, match="insecure_seed makes a simulation"):
            sf.publish(tmp_path / "study.toml", answers(), insecure_seed=1)
        assert ledger.entries() == ()

    def test_what_was_made_in_memory_is_paid_for_when_it_is_written(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        ledger = Ledger.create(tmp_path / "budget", epsilon=17)
        study = small_study(questions=small_study().questions[:3], ledger="budget")
        made = drawn_part(study, answers())
        sf.workflows.write_publication(made, "reports.parquet", "keys", Unprotected())
        (entry,) = ledger.entries()
        assert replace(entry.release, published=None) == release_of_reports(study, 600)
        simulated = drawn_part(study, answers(), bits=InsecureSeeded(20263))
        with pytest.raises(InvalidParameter, match="makes a simulation"):
            sf.workflows.write_publication(simulated, "simulated.parquet", "others", Unprotected())

    def test_a_missing_ledger_stops_the_release(self, tmp_path):
        write_study(small_study(ledger="budget"), tmp_path / "study.toml")
        with pytest.raises(UnreadableFile, match="budget"):
            sf.publish(
                tmp_path / "study.toml", answers(), out=tmp_path / "r.csv", keys=tmp_path, protection=Unprotected()
            )
        assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]
