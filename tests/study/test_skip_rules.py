"""Skip rules: who is asked by a private answer is hidden, by a public column it is public; both are checked."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.publications.amendments import units_of
from sfumato.publications.estimating import estimate_collected
from sfumato.sampling import InsecureSeeded
from sfumato.study import AskIf, Count, OneOfMany, Study, YesNo
from sfumato.study.cells import NO_ANSWER

SMOKES = YesNo(id="smokes", text="Do you smoke?", missing="hidden", aliases={"yes": ["1"]})
CIGARETTES = Count(
    id="cigarettes",
    text="How many a day?",
    highest=10,
    points=11,
    missing="hidden",
    missing_codes=("skip",),
    ask_if=AskIf(question="smokes", answers=("yes",)),
)
TAX = YesNo(id="tax", text="Do you pay tax?", ask_if=AskIf(column="country", answers=("FR", "BE")))


def study_of(*questions):
    return Study(name="Skips", questions=questions, public_epsilon=Fraction(2), recover=True)


def published(tmp_path, study, table, keep=(), seed=5, **more):
    with pytest.warns(sf.errors.InsecureBitsWarning):
        return sf.publish(study, table, out=tmp_path / "out", keys=tmp_path / "keys", keep=keep,
                          protection=sf.keys.Unprotected(), insecure_seed=seed, **more)  # fmt: skip


def amended(tmp_path, study, **columns):
    with pytest.warns(sf.errors.InsecureBitsWarning):
        return sf.amend(study, pa.table(columns), out=tmp_path / "out", keys=tmp_path / "keys",
                        protection=sf.keys.Unprotected(), insecure_seed=6)  # fmt: skip


def answers(tmp_path, study, question):
    return sf.recover_answers(tmp_path / "out", tmp_path / "keys").column(question).to_pylist()


def test_who_is_asked_by_a_private_answer_is_hidden():
    study = study_of(SMOKES, CIGARETTES)
    rng = np.random.default_rng(3)
    smokes = rng.choice(["yes", "1", "no", None], 12_000, p=[0.3, 0.2, 0.3, 0.2])
    cells = [
        str(rng.integers(0, 11)) if text in {"yes", "1"} else [None, "skip"][i % 2] for i, text in enumerate(smokes)
    ]
    made = drawn_part(study, pa.table({"smokes": smokes, "cigarettes": cells}), bits=InsecureSeeded(1))
    assert made.reports.to_arrow().column("cigarettes").null_count == 0
    yes, number = estimate_collected(made.reports)
    assert (yes.total, number.total) == (12_000, 12_000)
    assert number.mean.words == "among those who are asked and answer"
    truth = np.mean([int(cell) for cell in cells if cell not in {None, "skip"}])
    assert abs(number.mean.value - truth) < 5 * number.mean.standard_error
    (share,) = yes.quantities
    assert share.name == "yes, among those who answer"
    assert abs(share.value - 0.5 / 0.8) < 5 * share.standard_error


@pytest.mark.parametrize("skipped", ["no", None, ""])
def test_an_answer_of_somebody_who_is_not_asked_is_refused_by_its_row(skipped):
    table = pa.table({"smokes": ["yes", "1", skipped], "cigarettes": ["7", None, "zebra42"]})
    with pytest.raises(UnreadableFile, match="column cigarettes, row 3 has an answer") as refused:
        drawn_part(study_of(SMOKES, CIGARETTES), table, bits=InsecureSeeded(1))
    assert "zebra42" not in str(refused.value)
    assert "1 of the first 3 rows" in str(refused.value)


def test_who_is_asked_by_a_public_column_is_public():
    table = pa.table({"country": ["FR", "DE", "BE", None] * 500, "tax": ["yes", None, "no", ""] * 500})
    made = drawn_part(study_of(TAX), table, bits=InsecureSeeded(1), keep=["country"])
    seen = made.reports.to_arrow()
    assert [cell is None for cell in seen.column("tax").to_pylist()] == [False, True, False, True] * 500
    found, *groups = estimate_collected(made.reports, group=None)
    assert (found.total, groups) == (1000, [])
    with pytest.raises(InvalidParameter, match="must name country"):
        drawn_part(study_of(TAX), table, bits=InsecureSeeded(1))
    wrong = table.set_column(1, "tax", pa.array(["yes", "no", "no", ""] * 500))
    with pytest.raises(UnreadableFile, match="column tax, row 2 has an answer"):
        drawn_part(study_of(TAX), wrong, bits=InsecureSeeded(1), keep=["country"])


def test_those_who_are_asked_must_answer_unless_the_study_says_otherwise():
    table = pa.table({"country": ["FR", "DE", "FR"] * 400, "tax": ["yes", None, None] * 400})
    with pytest.raises(UnreadableFile, match=r"column tax, row 3 is empty \(400 of the first 1,200 rows are\)"):
        drawn_part(study_of(TAX), table, bits=InsecureSeeded(1), keep=["country"])
    hidden = drawn_part(study_of(replace(TAX, missing="hidden")), table, bits=InsecureSeeded(1), keep=["country"])
    # Who is not asked is public by the column; of the others nobody sees who did not answer.
    assert hidden.reports.to_arrow().column("tax").null_count == 400
    (found,) = estimate_collected(hidden.reports)
    assert (found.total, found.labels) == (800, ("no", "yes", NO_ANSWER))
    public = drawn_part(study_of(replace(TAX, missing="public")), table, bits=InsecureSeeded(2), keep=["country"])
    assert public.reports.to_arrow().column("tax").null_count == 800


def test_rules_follow_one_another():
    rule = AskIf(question="filter", answers=("yes",))
    last = OneOfMany(id="brand", text="Which?", answers=("a", "b", "c"), missing="hidden", ask_if=rule)
    middle = YesNo(id="filter", text="Filter?", missing="hidden", ask_if=AskIf(question="smokes", answers=("yes",)))
    study = study_of(SMOKES, middle, last, TAX)
    assert units_of(study) == (frozenset({"smokes", "filter", "brand"}),)
    table = {"smokes": ["yes", "no"], "filter": ["no", None], "brand": ["a", None], "tax": [None, None]}
    with pytest.raises(UnreadableFile, match="column brand, row 1 has an answer"):
        drawn_part(study, pa.table({**table, "country": ["DE", "DE"]}), bits=InsecureSeeded(1), keep=["country"])


# Amendments.


def test_no_answer_is_taken_back_and_given_by_an_amendment(tmp_path):
    study = study_of(replace(SMOKES, missing_codes=("NA",)))
    published(tmp_path, study, pa.table({"smokes": ["yes", None, "no", "no"]}))
    done = amended(tmp_path, study, row=[0, 1, 2, 3], smokes=["no answer", "1", None, "NA"])
    assert (done.cells, done.unchanged) == (3, 0)
    assert answers(tmp_path, study, "smokes") == [None, "yes", "no", None]
    (found,) = sf.estimate_reports(tmp_path / "out")
    assert found.total == 4


def test_an_empty_public_cell_can_be_filled_and_not_emptied(tmp_path):
    study = study_of(YesNo(id="q", text="Q?", missing="public", missing_codes=("NA",)))
    published(tmp_path, study, pa.table({"q": ["yes", None, "no", "NA"]}))
    assert sf.estimate_reports(tmp_path / "out")[0].total == 2
    with pytest.raises(UnreadableFile, match="column q, row 2 takes an answer back"):
        sf.amend(study, pa.table({"row": [1, 0], "q": ["yes", "NA"]}), out=tmp_path / "out", keys=tmp_path / "keys")
    done = amended(tmp_path, study, row=[1, 2], q=["yes", None])
    assert done.cells == 1
    assert sf.estimate_reports(tmp_path / "out")[0].total == 3
    assert answers(tmp_path, study, "q") == ["yes", "yes", "no", None]


def test_what_depends_on_a_private_answer_is_amended_with_it(tmp_path):
    """Else the cells that were amended, which are public, would tell whom the question was asked."""
    study = study_of(SMOKES, CIGARETTES)
    published(tmp_path, study, pa.table({"smokes": ["yes", "no", "yes"], "cigarettes": ["3", None, None]}))
    for columns in ({"smokes": ["no"]}, {"cigarettes": ["4"]}, {"smokes": ["no"], "cigarettes": [None]}):
        with pytest.raises(UnreadableFile, match="row 1 corrects some of cigarettes, smokes"):
            sf.amend(study, pa.table({"row": [0], **columns}), out=tmp_path / "out", keys=tmp_path / "keys")
    with pytest.raises(UnreadableFile, match="column cigarettes, row 1 has an answer"):
        sf.amend(
            study, pa.table({"row": [0], "smokes": ["no"], "cigarettes": ["4"]}),
            out=tmp_path / "out", keys=tmp_path / "keys",
        )  # fmt: skip
    # One of the two changed: both are drawn again, so that nobody sees which.
    done = amended(tmp_path, study, row=[0, 1], smokes=["yes", "no"], cigarettes=["5", "skip"])
    assert (done.cells, done.unchanged) == (2, 2)
    assert answers(tmp_path, study, "smokes") == ["yes", "no", "yes"]
    assert answers(tmp_path, study, "cigarettes") == [5, None, None]


def test_cells_of_those_who_are_not_asked_are_not_amended(tmp_path):
    study = study_of(TAX)
    table = pa.table({"country": ["FR", "DE"], "tax": ["yes", None]})
    published(tmp_path, study, table, keep=["country"])
    with (
        pytest.raises(UnreadableFile, match="row with number 1 has an answer"),
        pytest.warns(sf.errors.InsecureBitsWarning),
    ):
        sf.amend(study, pa.table({"row": [1], "tax": ["no"]}), out=tmp_path / "out", keys=tmp_path / "keys",
                 protection=sf.keys.Unprotected(), insecure_seed=6)  # fmt: skip


def test_people_are_erased_and_parts_combined_with_their_gaps(tmp_path):
    study = study_of(YesNo(id="q", text="Q?", missing="public"))
    published(tmp_path, study, pa.table({"q": ["yes", None] * 50}))
    published(tmp_path, study, pa.table({"q": [None, None, "no"] * 20}), append=True, seed=7)
    assert sf.estimate_reports(tmp_path / "out")[0].total == 70
    part = sf.Reports.read(tmp_path / "out").note.parts[0].id
    sf.erase(tmp_path / "out", rows=[(part, 0), (part, 1)])
    assert sf.estimate_reports(tmp_path / "out")[0].total == 69
    (tmp_path / "other").mkdir()
    published(tmp_path / "other", study, pa.table({"q": ["no", None]}), seed=8)
    sf.combine([tmp_path / "out", tmp_path / "other" / "out"], tmp_path / "all", assume_disjoint=True)
    assert sf.estimate_reports(tmp_path / "all")[0].total == 70
    assert len(sf.Reports.read(tmp_path / "all")) == 160
