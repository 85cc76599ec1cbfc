"""What the steps of a study cost, and that it is paid before anything is released."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from sfumato.study.budgets import (
    check_folder_of,
    id_of_reports,
    ledger_path,
    paid,
    release_of_disclosure,
    release_of_noise,
    release_of_reports,
)

import sfumato as sf
from record_channels import h2
from sfumato.account import Kind, Ledger
from sfumato.errors import BudgetSpent, InvalidParameter, UnreadableFile
from sfumato.study import FreeText, YesNo
from sfumato.study.publishing import publish_table
from sfumato.study.study_files import as_toml, read_study, write_study
from sfumato.study.totals import totals_of
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
        """Two yes/no questions, five places, four values of a count: log2 2·5·4·2."""
        assert float(release_of_reports(small_study(), 600).charges.bits) == pytest.approx(
            math.log2(2 * len(PLACES) * 4 * 2)
        )

    def test_one_report_cannot_tell_more_than_its_epsilon(self):
        study = small_study(
            questions=(YesNo(id="moved", text="Did you move?", epsilon=Fraction(1, 10)),), analysts=(), recover=False,
            public_epsilon=None,
        )  # fmt: skip
        release = release_of_reports(study, 1)
        assert float(release.charges.bits) == pytest.approx(0.1 / math.log(2), rel=1e-9)
        # ln odds = .1: what a flip of 1/(1+e^.1) leaks is far below that bound, as it must be.
        assert 1 - h2(1 / (1 + math.exp(0.1))) <= release.charges.bits
        assert float(release_of_reports(study, 5).charges.bits) == pytest.approx(0.5 / math.log(2), rel=1e-9)
        assert release_of_reports(study, 100).charges.bits == 1

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
            check_folder_of(tmp_path / "no" / "reports.csv")
        check_folder_of(tmp_path / "reports.csv")


class TestAStudyNamesItsLedger:
    def test_from_the_folder_of_its_file(self, tmp_path):
        study = small_study(ledger="money/budget.ledger")
        write_study(study, tmp_path / "study.toml")
        assert "[budget]" in as_toml(study)
        assert read_study(tmp_path / "study.toml") == study
        assert ledger_path(study, tmp_path / "study.toml") == tmp_path / "money" / "budget.ledger"
        assert ledger_path(small_study()) is None

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
        sf.publish(tmp_path / "study.toml", answers())
        (entry,) = ledger.entries()
        assert entry.release == release_of_reports(study, 600)
        assert entry.settled is not None
        with pytest.raises(BudgetSpent, match="nats of ε"):
            sf.publish(tmp_path / "study.toml", answers())

    def test_a_missing_ledger_stops_the_release(self, tmp_path):
        write_study(small_study(ledger="budget"), tmp_path / "study.toml")
        with pytest.raises(UnreadableFile, match="budget"):
            sf.publish(tmp_path / "study.toml", answers())


def test_the_same_draws_are_the_same_release():
    study = small_study(questions=small_study().questions[:3])
    first = publish_table(study, answers())
    again = publish_table(study, answers(), keys=first.keys)
    other = publish_table(study, answers())
    assert id_of_reports(first) == id_of_reports(again) is not None
    assert id_of_reports(other) != id_of_reports(first)
    # A card is played afresh: never the same release.
    assert id_of_reports(publish_table(small_study(), answers())) is None
