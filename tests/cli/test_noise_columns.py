"""mean, sum, count, histogram and quantile of a column as a person runs them, each for a stated assumption."""

import csv
import json
import math
import shlex
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.certificates import Certificate
from sfumato.cli import main
from sfumato.ledger import Ledger
from sfumato.measures.dependence import ANYONE, NOBODY, Correlation
from sfumato.noise.certificates import CAPACITY

MEAN = "noise mean rooms.csv --column rooms --low 0 --high 6 --budget-bits 1"
COUNT = "noise count rooms.csv --column owner --value yes --budget-bits 0.5"
HISTOGRAM = "noise histogram rooms.csv --column owner --values yes,no --budget-bits 0.5"
QUANTILE = "noise quantile rooms.csv --column rooms --grid 0:6:0.5 --budget-bits 1"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rooms.csv").write_text("rooms,owner\n" + "3,yes\n4,no\n5.5,no\n2,yes\n" * 25)
    (tmp_path / "comma.csv").write_text("rooms;owner\n" + "3;yes\n4;no\n5,5;no\n2;yes\n" * 25)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process, which is quicker: exit code, standard output and error."""

    def run(line):
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["sfumato", *shlex.split(line)])
        with pytest.raises(SystemExit) as stop:
            main()
        told = capsys.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


@pytest.fixture
def said(run):
    def said(line):
        code, out, err = run(f"{line} --json")
        assert code == 0, err
        return json.loads(out)

    return said


@pytest.fixture(scope="module")
def incomes(tmp_path_factory):
    """A real column: a million incomes in a Parquet file."""
    path = tmp_path_factory.mktemp("incomes") / "pay.parquet"
    pay = np.random.default_rng(5).gamma(3.0, 1200.0, 10**6).clip(0, 20_000).astype(np.int64)
    pq.write_table(pa.table({"pay": pay}), path)
    return path, Fraction(int(pay.sum()), 10**6)


@pytest.mark.parametrize(
    ("people", "printed"), [("nobody", "0.026"), ("5", "0.13"), ("50", "1.3"), ("1000", "26"), ("1000000", "25928")]
)
def test_the_mean_of_a_million_incomes(said, folder, incomes, people, printed):
    """At a tenth of a bit, from file to file; and the released mean lies where the noise says."""
    path, truth = incomes
    found = said(
        f"noise mean {path} --column pay --low 0 --high 20000 --budget-bits 0.1 --correlated {people} --out m.json "
        "--allow-useless"
    )
    assert f"{found['deviation']:.5g}" == printed or f"{found['deviation']:.2g}" == printed
    assert found["capacity_bits"] <= 0.1
    # Ten deviations: never in the lifetime of the tests. The grid takes half a step at most.
    assert abs(Fraction(found["released"]["exact"]) - truth) < 10 * found["deviation"]
    assert Certificate.read(folder / "m.json.certificate.json")[CAPACITY].value.upper <= 0.1
    assert found["deviation_for_anyone"] == pytest.approx(25927.7, abs=0.1)
    assert json.loads((folder / "m.json").read_text())["correlated"] == {
        "people": 1 if people == "nobody" else int(people)
    }


class TestEachVerb:
    def test_mean(self, said, folder):
        found = said(f"{MEAN} --correlated nobody --out m.json")
        assert found["records"] == 100
        # sd/T = .462634 at one bit, T = 6/200.
        assert found["deviation"] == pytest.approx(0.462634 * 0.03, rel=1e-3)
        assert found["half_width_95"] == pytest.approx(1.96 * found["deviation"], rel=1e-4)
        assert abs(found["released"]["value"] - 3.625) < 10 * found["deviation"]
        assert found["bits_for_anyone"] > 5
        assert found["capacity_bits"] <= 1

    def test_sum_is_as_many_times_the_mean(self, said):
        mean, total = (said(line + " --correlated 5") for line in (MEAN, MEAN.replace("mean", "sum")))
        assert total["deviation"] == pytest.approx(100 * mean["deviation"])
        found = said(MEAN.replace("mean", "sum") + " --correlated 5 --out s.json")
        assert abs(found["released"]["value"] - 362.5) < 10 * found["deviation"]

    def test_count(self, said):
        found = said(f"{COUNT} --correlated nobody --out c.json")
        assert abs(found["released"]["value"] - 50) < 10 * found["deviation"] < 20
        whole = said("noise count rooms.csv --column owner --budget-bits 0.5 --correlated nobody --out c.json")
        assert abs(whole["released"]["value"] - 100) < 10 * whole["deviation"]

    def test_empty_cells_are_rows_and_not_counted(self, said, folder):
        (folder / "rooms.csv").write_text("id,owner\n" + "1,yes\n2,\n" * 50)
        found = said("noise count rooms.csv --column owner --budget-bits 3 --correlated nobody --out c.json")
        assert found["records"] == 100
        assert abs(found["released"]["value"] - 50) < 10 * found["deviation"] < 10

    def test_histogram(self, said, folder):
        found = said(f"{HISTOGRAM} --correlated nobody --out h.json")
        assert found["cells"] == ["yes", "no"]
        for cell in ("yes", "no"):
            assert abs(found["released"]["value"][cell] - 50) < 10 * found["deviation"] < 30
        written = json.loads((folder / "h.json").read_text())
        assert list(written["value"]) == ["yes", "no"]
        assert written["exact"] == {cell: str(int(number)) for cell, number in written["value"].items()}

    def test_histogram_as_a_table(self, run, folder):
        code, _, err = run(f"{HISTOGRAM.replace('yes,no', 'yes')} --other --correlated 2 --out h.csv")
        assert code == 0, err
        rows = list(csv.reader((folder / "h.csv").read_text().splitlines()))
        assert [row[0] for row in rows] == ["value", "yes", "other"]
        assert rows[0][1] == "noisy count"
        assert all(abs(int(number) - 50) < 60 for _, number in rows[1:])
        assert (folder / "h.csv.certificate.json").exists()
        run(f"{HISTOGRAM} --correlated 2 --out h.csv --insecure-seed 1")
        assert (folder / "h.csv").read_text().startswith("value,simulated count\n")

    def test_quantile(self, said):
        found = said(f"{QUANTILE} --correlated nobody --out q.json")
        assert Fraction(found["released"]["exact"]) % Fraction(1, 2) == 0
        # 25 each of 2, 3, 4, 5.5: a median that is many ranks off is one beyond them.
        assert 2 <= found["released"]["value"] <= 5.5
        assert found["ranks_off_95"] < found["ranks_off_95_for_anyone"] == 100

    @pytest.mark.parametrize("line", [MEAN, COUNT, HISTOGRAM, QUANTILE])
    def test_more_people_take_more_noise_and_the_table_says_what_is_left_out(self, run, said, line):
        off = "ranks_off_95" if "quantile" in line else "deviation"
        found = [said(f"{line} --correlated {who} --allow-useless") for who in ("nobody", "5", "anyone")]
        assert found[0][off] < found[1][off] < found[2][off]
        assert found[2]["bits_for_anyone"] == pytest.approx(found[2]["capacity_bits"], rel=0.1)
        shown = run(f"{line} --correlated 5")[1]
        for words in (
            "if at most 5 people depend on each other",
            "leaves out",
            "if that is false",
            "for nobody it would",
        ):
            assert words in shown
        assert "assumes" in run(f"{line} --correlated anyone")[1]

    def test_decimal_commas(self, said):
        line = MEAN.replace("rooms.csv", "comma.csv") + " --correlated nobody --decimal , --out m.json"
        assert abs(said(line)["released"]["value"] - 3.625) < 1

    @pytest.mark.parametrize("line", [MEAN, COUNT, HISTOGRAM, QUANTILE])
    def test_certificates_verify(self, run, line):
        assert run(f"{line} --correlated 5 --out it.json")[0] == 0
        code, out, err = run("verify it.json.certificate.json")
        assert code == 0, err
        assert "Verified" in out


class TestReleasesThatSayNothing:
    """A standard deviation of half the width of what the answer can be is refused, from a quarter on it is said."""

    USELESS = (
        MEAN.replace("bits 1", "bits 0.4"),
        MEAN.replace("mean", "sum").replace("bits 1", "bits 0.4"),
        COUNT.replace("bits 0.5", "bits 0.4"),
        HISTOGRAM,
        QUANTILE,
    )

    @pytest.fixture(autouse=True)
    def many(self, folder):
        (folder / "people.csv").write_text("smoker\n" + "yes\nno\nno\n" * 3365)

    def test_a_count_that_is_all_noise_is_refused_and_not_paid(self, run, folder):
        line = "noise count people.csv --column smoker --value yes --budget-bits 0.1 --ledger l --out c.json"
        assert run("budget init l --budget-bits 4")[0] == 0
        before = (folder / "l").read_bytes()
        code, out, err = run(f"{line} --correlated anyone")
        assert code == 1
        assert out == ""
        assert "a guess without the data is as good" in err
        assert "13,087" in err
        assert "10,095" in err
        for way_out in ("--budget-bits", "--correlated", "more people", "--allow-useless"):
            assert way_out in err
        assert (folder / "l").read_bytes() == before
        assert not list(folder.glob("c.json*"))
        assert run(f"{line} --correlated 5")[0] == 0
        assert len(Ledger(folder / "l").entries()) == 1

    @pytest.mark.parametrize("line", USELESS)
    def test_every_statistic(self, run, folder, line):
        assert run(f"{line} --correlated anyone")[0] == 1
        code, _, err = run(f"{line} --correlated anyone --out it.json")
        assert code == 1
        assert "a guess without the data is as good" in err
        assert not list(folder.glob("it.json*"))
        code, _, err = run(f"{line} --correlated anyone --out it.json --allow-useless")
        assert code == 0, err
        assert "WARNING: a guess without the data is as good" in err

    def test_from_a_quarter_on_it_warns_with_the_two_numbers(self, run):
        code, _, err = run(f"{COUNT} --correlated anyone --out c.json")
        assert code == 0
        assert "standard deviation of 48.93" in err
        assert "a width of 100." in err
        assert "WARNING" not in run(f"{COUNT} --correlated 5 --out c.json")[2]

    def test_answers_that_are_no_numbers(self, run, folder):
        (folder / "yes.txt").write_text("yes\n")
        line = "noise flip --flip 0.5 --input yes.txt --out f.json"
        code, _, err = run(line)
        assert code == 1
        assert "whatever the truth is" in err
        assert not (folder / "f.json").exists()
        assert run(f"{line} --allow-useless")[0] == 0
        assert run(line.replace("0.5", "0.499"))[0] == 0


class TestIfThatIsFalse:
    """What a reader learns who knows how all people are alike is no more than a record holds."""

    @pytest.mark.parametrize(
        ("line", "bits", "words"),
        [
            (f"{COUNT} --correlated nobody", 1, "at most 1 bit, which is all that a yes/no answer holds"),
            (f"{HISTOGRAM} --other --correlated nobody", math.log2(3), "which is all that one of 3 values holds"),
            ("noise sum rooms.csv --column floor --low 0 --high 6 --budget-bits 1 --correlated nobody",
             math.log2(7), "which is all that one of 7 values holds"),
        ],
    )  # fmt: skip
    def test_it_is_capped_and_both_numbers_are_in_the_document(self, run, said, folder, line, bits, words):
        (folder / "rooms.csv").write_text("floor,owner\n" + "3,yes\n4,no\n0,no\n2,yes\n" * 25)
        found = said(line)
        assert found["bits_for_anyone"] == pytest.approx(bits)
        assert found["channel_bits_for_anyone"] > found["bits_for_anyone"] >= bits
        shown = " ".join(run(line)[1].replace("│", " ").split())
        assert words in shown
        assert "the answer may be told" in shown

    def test_what_does_not_bind_is_not_said(self, run, said, folder):
        (folder / "rooms.csv").write_text("rooms\n" + "3.125\n4\n0\n2\n" * 25)
        line = f"{MEAN} --correlated nobody"
        found = said(line)
        assert found["bits_for_anyone"] == found["channel_bits_for_anyone"] < math.log2(6001)
        assert "may be told" not in run(line)[1]


class TestSharedKnowledge:
    """A third assumption, between nobody and anyone."""

    LINE = "noise mean many.csv --column rooms --low 0 --high 6 --budget-bits 0.5 --shared-knowledge-bits"

    @pytest.fixture(autouse=True)
    def many(self, folder):
        (folder / "many.csv").write_text("rooms,owner\n" + "3,yes\n4,no\n5.5,no\n2,yes\n" * 2500)

    def test_the_noise_lies_between_its_neighbours_and_all_are_shown(self, run, said):
        found = said(f"{self.LINE} 10 --out m.json")
        assert found["deviation_for_nobody"] < found["deviation"] < found["deviation_for_anyone"]
        assert found["correlated"] == {"shared_bits": "10"}
        assert abs(found["released"]["value"] - 3.625) < 10 * found["deviation"]
        shown = run(f"{self.LINE} 10")[1]
        for words in (
            "shared knowledge",
            "at most 10 bits over the whole data set (assumed",
            "for nobody it",
            "for anyone it",
        ):
            assert words in shown
        assert run("verify m.json.certificate.json")[0] == 0

    def test_sums_and_counts(self, said):
        total = said(self.LINE.replace("mean", "sum", 1) + " 10 --out s.json")
        assert abs(total["released"]["value"] - 36250) < 10 * total["deviation"]
        found = said(
            "noise count many.csv --column owner --value yes --budget-bits 0.5 --shared-knowledge-bits 3 --out c.json"
        )
        assert abs(found["released"]["value"] - 5000) < 10 * found["deviation"]

    def test_bits_of_one_c_add_and_others_are_counted_for_anyone(self, run, folder):
        assert run("budget init l --budget-bits 4")[0] == 0
        for number, shared in enumerate((10, 10, 20)):
            code, _, err = run(f"{self.LINE} {shared} --out m{number}.json --ledger l")
            assert code == 0, err
        book = Ledger(folder / "l").read()
        assert book.counting.correlated == Correlation(shared_bits=20)
        assert [entry.bits is None for entry in book.entries] == [False, False, True]
        assert all(0.5 < entry.charges.bits < 1 for entry in book.entries[:2])
        assert "Up to twice as many if the size of some noise was chosen after" in run("budget show l")[1]
        code, _, err = run(f"{MEAN} --correlated nobody --out more.json --ledger l")
        assert code == 1
        assert "bits are counted for anyone, and 3 earlier releases anew" in err

    def test_households_and_histograms(self, run, said):
        alone = said(f"{self.LINE} 3")
        found = said(f"{self.LINE} 3 --correlated 5 --out m.json")
        assert found["correlated"] == {"shared_bits": "3", "people": 5}
        assert 2 * alone["deviation"] < found["deviation"] < 2.5 * alone["deviation"]
        assert run("verify m.json.certificate.json")[0] == 0
        cells = said(
            "noise histogram many.csv --column owner --values yes,no --budget-bits 0.5 --shared-knowledge-bits 3 "
            "--correlated 2 --out h.json"
        )
        assert set(cells["released"]["value"]) == {"yes", "no"}
        assert run("verify h.json.certificate.json")[0] == 0
        code, _, err = run(f"{self.LINE} 3 --correlated anyone")
        assert code == 2
        assert "--correlated 'anyone' assumes nothing" in err


class TestClipping:
    def test_it_moves_records_to_the_ends(self, said, folder):
        (folder / "rooms.csv").write_text("rooms\n" + "-50\n90\n" * 50)
        found = said(f"{MEAN} --correlated nobody --clip --out m.json")
        assert abs(found["released"]["value"] - 3) < 10 * found["deviation"]
        assert found["clip"] is True

    def test_without_it_they_are_refused_by_row(self, run, folder):
        Ledger.create(folder / "budget", budget_bits=9)
        (folder / "rooms.csv").write_text("rooms\n3\n90.25\n")
        code, _, err = run(f"{MEAN} --correlated nobody --out m.json --ledger budget")
        assert code == 2
        assert "column rooms, row 2 lies outside the range [0, 6] (1 of the first 2 rows do). Give --clip" in err
        assert "90.25" not in err
        assert Ledger(folder / "budget").entries() == ()
        assert not (folder / "m.json").exists()


class TestLedger:
    def test_every_release_is_counted_for_the_widest(self, run, folder):
        assert run("budget init l --budget-bits 6")[0] == 0
        for number, who in enumerate(("nobody", "nobody", "2")):
            code, _, err = run(f"{MEAN} --correlated {who} --out m{number}.json --ledger l")
            assert code == 0, err
        book = Ledger(folder / "l").read()
        assert book.counting.correlated == Correlation(people=2)
        assert [entry.release.assumption.correlated for entry in book.entries[:2]] == [NOBODY, NOBODY]
        assert all(entry.charges.bits > entry.release.charges.bits for entry in book.entries[:2])
        code, _, err = run(f"{MEAN} --correlated 50 --out more.json --ledger l")
        assert code == 1
        assert "bits are counted for at most 50 people, and 3 earlier releases anew" in err
        assert not (folder / "more.json").exists()
        shown = run("budget show l")[1]
        assert "what anyone can learn about one person, if at most 2 people depend on each other" in shown
        assert "as booked: 1 bits if nobody depends on anybody else" in shown
        assert "assumed, and not checked" in shown
        told = json.loads(run("budget show l --json")[1])
        assert told["correlated"] == {"people": 2}
        first = told["entries"][0]
        assert first["correlated"] == {"people": 1}
        assert Fraction(first["charges"]["bits"]) > 1 >= Fraction(first["as_booked"]["bits"])

    def test_a_ledger_for_anyone(self, run, folder):
        assert run("budget init l --budget-bits 2 --correlated anyone")[0] == 0
        code, _, err = run(f"{MEAN} --correlated 5 --out m.json --ledger l")
        assert code == 1
        assert "bits are counted for anyone" in err
        assert run(f"{MEAN} --correlated anyone --out m.json --ledger l")[0] == 0
        assert Ledger(folder / "l").read().counting.correlated == ANYONE

    def test_flips_and_numbers_from_elsewhere_ask_for_no_assumption(self, run, folder):
        (folder / "truth.txt").write_text("3\n")
        assert run("budget init l --budget-bits 2")[0] == 0
        assert run(f"{MEAN} --correlated 5 --out m.json --ledger l")[0] == 0
        line = "noise gaussian --low 0 --high 6 --budget-bits 0.5 --input truth.txt --out g.json --ledger l"
        assert run(line)[0] == 0
        book = Ledger(folder / "l").read()
        assert book.counting.correlated == Correlation(people=5)
        assert math.isclose(book.spent.bits, 1.5, rel_tol=1e-4)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (MEAN, "--correlated must be given"),
        (MEAN, "Say nobody if every record is independent of all others, a number such as 5"),
        (f"{MEAN} --correlated everybody", "--correlated 'everybody' must be anyone, nobody, or a number of people"),
        (f"{MEAN} --correlated 0", "--correlated 0 must be at least 1"),
        (f"{MEAN} --correlated 2.5", "must be anyone, nobody, or a number"),
        (f"{MEAN} --correlated 5 --ledger l", "--ledger pays for a release, and nothing is released"),
        (MEAN.replace("--high 6", "--high inf") + " --correlated 5", "--high"),
        (MEAN.replace("--high 6", "--high -1") + " --correlated 5", "--low 0 must be below --high=-1"),
        (MEAN.replace("--column rooms", "--column doors") + " --correlated 5", "doors"),
        (MEAN.replace("--column rooms", "--column owner") + " --correlated 5", "column owner, row 1 holds no number"),
        (MEAN.replace("rooms.csv", "none.csv") + " --correlated 5", "none.csv"),
        (MEAN.replace("--budget-bits 1", "--budget-bits 0") + " --correlated 5", "--budget-bits 0 must be"),
        (HISTOGRAM, "--correlated must be given"),
        (HISTOGRAM.replace("yes,no", "yes") + " --correlated 5", "must name at least two cells"),
        (HISTOGRAM.replace("yes,no", "yes,yes") + " --correlated 5", "each once"),
        (HISTOGRAM.replace("yes,no", "yes,maybe") + " --correlated 5", "values that were not declared, in 50 of 100"),
        (HISTOGRAM.replace("yes,no", "yes,other") + " --correlated 5 --other", "has a cell called other already"),
        (QUANTILE.replace("0:6:0.5", "0:6") + " --correlated 5", "--grid '0:6' must be low:high:step"),
        (QUANTILE.replace("0:6:0.5", "6:0:1") + " --correlated 5", "must go up from low to high"),
        (QUANTILE.replace("0:6:0.5", "0:6:0") + " --correlated 5", "in steps above 0"),
        (QUANTILE.replace("0:6:0.5", "0:6:4") + " --correlated 5", "must reach high in whole steps"),
        (QUANTILE.replace("0:6:0.5", "0:6:1e-9") + " --correlated 5", "has more than"),
        (QUANTILE.replace("0:6:0.5", "a:b:c") + " --correlated 5", "three numbers"),
        (QUANTILE + " --share 2 --correlated 5", "--share 2 must lie"),
        (QUANTILE + " --share half --correlated 5", "--share"),
        (COUNT, "--correlated must be given"),
        (f"{MEAN} --correlated 5 --shared-knowledge-bits 5", "less noise protects against anyone"),
        (f"{MEAN} --shared-knowledge-bits -1", "must be at least 0"),
        (f"{MEAN} --shared-knowledge-bits many", "--shared-knowledge-bits"),
        (f"{MEAN} --shared-knowledge-bits 99", "is no assumption for"),
    ],
)  # fmt: skip
def test_mistakes_are_sentences(run, line, words):
    code, out, err = run(line)
    assert code == 2, err
    assert words in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize("row", ["many", "nan", ""])
def test_a_row_without_a_number_is_named_by_its_place(run, folder, row):
    (folder / "rooms.csv").write_text(f"id,rooms\n1,3\n2,{row}\n")
    code, _, err = run(f"{MEAN} --correlated 2 --out mean.json")
    assert code == 2
    assert "row 2" in err
    assert not (folder / "mean.json").exists()


def test_a_column_without_rows(run, folder):
    (folder / "rooms.csv").write_text("rooms,owner\n")
    for line in (MEAN, COUNT, QUANTILE):
        code, _, err = run(f"{line} --correlated 2")
        assert code == 2
        assert "has no rows" in err
