"""What holds for every way of asking, whatever it is: one suite, and a sample of every class in the table of kinds."""

import json
import math
import tomllib
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from scipy.stats import chi2

from drawn_parts import drawn_part
from kind_samples import ROWS, SAMPLES, SECRET, counted, draw, drawn, opened, seeded, seen_at
from sfumato import measures
from sfumato.certificates import Certificate, verify
from sfumato.errors import InvalidInput, InvalidParameter, KeyRefused, UnreadableFile
from sfumato.inference.results import Reading
from sfumato.numbers.exact import written
from sfumato.publications.reports import Reports
from sfumato.study import Several, Study, read_study, write_study
from sfumato.study.file import as_toml, first_file, study_schema
from sfumato.study.kinds.number import ScaleQuestion
from sfumato.study.kinds.registry import kinds
from sfumato.study.kinds.several import SeveralHandler, set_text
from study_strategies import questions

VALIDATOR = Draft202012Validator(study_schema())
CLASSES = [one for classes in kinds().values() for one in classes]
each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
# A false alarm once in a thousand million; the seeds are fixed, so it happens always or never.
IMPROBABLE = 1e-9


def levels_of(sample):
    return range(1, len(sample.handler.epsilons) + 1)


def is_sentence(text):
    return (
        text.endswith(".") and (text[0].isupper() or text[0] in "ε0123456789") and "\n" not in text and "  " not in text
    )


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
def test_every_class_in_the_table_has_a_sample(one):
    """Whoever adds a class adds a sample, and is then held to all that follows."""
    assert one in {type(sample.question) for sample in SAMPLES}


class TestFiles:
    @pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_what_is_declared_comes_back(self, tmp_path, one, data):
        try:
            question = data.draw(questions("q", True, kinds=(one,)))
        except InvalidParameter:  # limits that no card can keep
            return
        path = tmp_path / "study.toml"
        write_study(Study(name="s", questions=(question,)), path)
        assert read_study(path).questions == (question,)

    @each
    def test_the_schema_takes_its_table_and_no_other_key(self, tmp_path, sample):
        path = tmp_path / "study.toml"
        write_study(sample.study, path)
        assert path.read_text(encoding="utf-8") == as_toml(sample.study)
        assert read_study(path) == sample.study
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        VALIDATOR.validate(document)
        document["questions"][0]["colour"] = 1
        assert not VALIDATOR.is_valid(document)
        path.write_text(as_toml(sample.study).replace("[[questions]]", "[[questions]]\ncolour = 1"), encoding="utf-8")
        with pytest.raises(UnreadableFile, match="colour is not a key"):
            read_study(path)

    @each
    def test_every_key_it_needs_is_missed(self, sample):
        table = tomllib.loads(as_toml(sample.study))["questions"][0]
        for key in ("id", "text", "kind", *(key.name for key in type(sample.question).KEYS if key.is_needed)):
            less = {name: value for name, value in table.items() if name != key}
            assert not VALIDATOR.is_valid({"schema": "sfumato/study/2", "name": "s", "questions": [less]})

    @each
    def test_a_first_file_says_the_same(self, tmp_path, sample):
        path = tmp_path / "study.toml"
        write_study(sample.study, tmp_path / "beside.toml")  # with the files that it names
        path.write_text(first_file(sample.study), encoding="utf-8")
        assert read_study(path) == sample.study


class TestReading:
    @each
    def test_a_wrong_cell_is_refused_by_its_row_and_never_shown(self, sample):
        good = next(iter(sample.tenths))
        with pytest.raises(UnreadableFile) as refused:
            sample.handler.read(sample.words([good, good, SECRET, good]))
        assert "column q, row 3 " in str(refused.value)
        assert SECRET not in str(refused.value)
        assert refused.value.way_out
        assert len(sample.handler.read(sample.words([good] * 4))) == 4

    @each
    def test_true_shares_are_those_of_the_answers(self, sample):
        way, held = sample.handler, Counter(sample.cells)
        truth = way.truth(held)
        if truth is None:
            return
        if truth.shares is not None:
            assert truth.shares == pytest.approx([float(share) for share in sample.shares.values()])
        else:
            assert truth.mean == pytest.approx(sample.mean)
        with pytest.raises(InvalidParameter, match="truth has a column q") as refused:
            way.truth(Counter({SECRET: 1}))
        assert SECRET not in str(refused.value)


class TestPlans:
    @each
    def test_it_says_how_and_why_and_for_whom(self, sample):
        way = sample.handler
        plan = way.plan()
        assert plan.question == sample.question
        assert is_sentence(plan.because)
        assert all(is_sentence(words) for words in plan.words)
        assert plan.sentences
        assert all(is_sentence(said.sentence) for said in plan.sentences)
        assert [level.level for level in plan.levels] == list(levels_of(sample))
        readers = [reader for level in plan.levels for reader in level.readers]
        assert sorted(readers) == sorted(["public", *(analyst.name for analyst in sample.analysts)])
        assert "public" in plan.levels[-1].readers
        for level, promised in zip(plan.levels, way.epsilons, strict=True):
            assert level.epsilon <= promised
        assert json.loads(json.dumps(dict(plan.document)))

    @each
    def test_its_certificate_verifies(self, sample):
        certificate = sample.handler.plan().certificate
        verify(certificate)
        again = Certificate.from_json(certificate.to_json())
        assert again.claims == certificate.claims
        verify(again)

    @each
    def test_it_speaks_in_sentences(self, sample):
        way = sample.handler
        assert is_sentence(way.describe())
        assert all(is_sentence(text) for text in way.limits())
        assert way.report_words
        assert not way.report_words.endswith(".")
        assert all(way.level_words(level) for level in (0, *levels_of(sample)))


class TestDraws:
    @each
    def test_they_can_be_repeated_from_a_seed_and_from_no_other(self, sample):
        first, again, other = drawn(sample.name), draw(sample, 1), draw(sample, 2)
        assert np.array_equal(first.reports, again.reports)
        assert not np.array_equal(first.reports, other.reports)

    @each
    def test_reports_lie_where_they_are_said_to(self, sample):
        way, reports = sample.handler, drawn(sample.name).reports
        assert len(reports) == ROWS
        assert 0 <= reports.min() <= reports.max() < way.report_count
        for named in (way.report_labels, way.report_numbers):
            assert named is None or (len(named) == way.report_count == len(set(named)))
        if way.report_numbers is not None:
            assert way.report_labels == tuple(map(str, way.report_numbers))

    @each
    def test_keys_are_those_of_its_levels(self, sample):
        way, made = sample.handler, drawn(sample.name)
        assert tuple(sorted(made.keys)) == way.key_levels
        for level in levels_of(sample):
            seen = seen_at(sample, made, level)
            assert 0 <= seen.min() <= seen.max() < way.report_count
        if 0 in way.key_levels:
            (column,) = way.answer_columns(opened(way, made, 0), as_text=True).values()
            back, cells = column.to_pylist(), sample.cells
            if isinstance(sample.question, Several):
                parts = {cell: sample.split(cell) for cell in {*back, *cells}}
                assert [parts[cell] for cell in back] == [parts[cell] for cell in cells]
            else:
                parts = {cell: sample.split(cell) for cell in set(cells)}
                assert all(label in parts[cell] for label, cell in zip(back, cells, strict=True))
        if not way.key_levels:
            rows = np.arange(ROWS)
            with pytest.raises(KeyRefused, match="has no keys"):
                way.opened(made.reports, None, rows, rows)

    @each
    def test_what_it_declares_is_enough_to_read_its_reports(self, sample):
        way = sample.handler
        again = sample.study.handler("q", way.declaration)
        assert again.declaration == way.declaration
        assert again.report_count == way.report_count
        assert again.epsilons == way.epsilons

    @each
    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_files_give_back_the_same_numbers(self, tmp_path, sample, suffix):
        made = drawn_part(sample.study, sample.table, bits=seeded(sample, 3))
        path = tmp_path / f"reports.{suffix}"
        made.reports.write(path)
        read = Reports.read(path)
        assert np.array_equal(read.column("q"), made.reports.column("q"))
        way = sample.handler
        if way.report_labels is not None:
            shown = [str(cell) for cell in read.table["q"].to_pylist()]
            assert shown == [way.report_labels[place] for place in read.column("q").tolist()]
        assert f"- a report is {way.report_words}" in (tmp_path / f"{path.name}.codebook.md").read_text()
        strange = Reports.of(pa.table({"row": range(ROWS), "q": [SECRET] * ROWS}), read.note)
        with pytest.raises(UnreadableFile, match="column q") as refused:
            strange.column("q")
        assert SECRET not in str(refused.value)


class TestTallies:
    @each
    def test_parts_add_up_to_the_whole(self, sample):
        way, made = sample.handler, drawn(sample.name)
        for level in levels_of(sample):
            seen = seen_at(sample, made, level)
            whole = counted(way, made, seen, level)
            assert whole.total == ROWS
            if way.by_row:
                parts = [counted(way, made, seen, level, slice(start, start + 5000)) for start in range(0, ROWS, 5000)]
                assert sum(parts[1:], parts[0]) == whole
            if way.by_number:
                order = np.random.default_rng(3).permutation(ROWS)
                assert counted(way, made, seen, level, order) == whole
                assert way.tally(seen, level, positions=way.placed(np.arange(ROWS), "f" * 32)) != whole
            elif not way.by_position:
                shuffled = np.random.default_rng(3).permutation(seen)
                assert way.tally(shuffled, level) == whole
                values, counts = np.unique(seen, return_counts=True)
                again = way.tally(values, level, counts=counts)
                reading = Reading(level=level)
                assert way.estimate(again, reading) == way.estimate(whole, reading)

    @each
    def test_a_place_in_the_column_is_not_dropped(self, sample):
        way, reports = sample.handler, drawn(sample.name).reports
        if not way.by_position:
            return
        with pytest.raises(InvalidParameter, match="question 'q'"):
            way.tally(reports, len(way.epsilons), counts=np.ones(ROWS, dtype=np.int64))
        tally = way.tally(reports, len(way.epsilons))
        with pytest.raises(InvalidParameter, match="question 'q'"):
            way.estimate(tally, Reading(level=len(way.epsilons), group="north"))
        if not way.by_row:
            first, last = way.tally(reports[:9], 1), way.tally(reports[9:], 1, positions=9)
            for together in (first + last, last + first):
                assert np.array_equal(together.counts, tally.counts)
                assert way.estimate(together, Reading(level=1)) == way.estimate(tally, Reading(level=1))
            later = way.tally(reports[18:], 1, positions=18)
            for incomplete in (last, first + later, later + last):
                with pytest.raises(InvalidParameter, match="do not follow one another"):
                    way.estimate(incomplete, Reading(level=1))
            with pytest.raises(InvalidParameter, match="all reports together"):
                way.tally(reports[:2], 1, positions=np.array([3, 9]))


class TestEstimates:
    @each
    def test_known_shares_are_found_within_five_standard_errors(self, sample):
        way, made = sample.handler, drawn(sample.name)
        sharpness = []
        for level in levels_of(sample):
            found = way.estimate(counted(way, made, seen_at(sample, made, level), level), Reading(level=level))
            assert (found.level, found.total, found.group) == (level, ROWS, None)
            assert found.epsilon <= way.epsilons[level - 1]
            if found.labels:  # else the mean alone is told
                assert set(found.labels) == set(sample.shares), "of texts those that were given, and no others"
            for label, raw, error in zip(found.labels, found.raw, found.standard_errors, strict=True):
                assert abs(raw - float(sample.shares[label])) < 5 * error
            for share, interval in zip(found.shares, found.intervals, strict=True):
                assert 0 <= interval.lower <= share <= interval.upper <= 1
            if found.mean is not None:
                assert abs(found.mean.raw - sample.mean) < 5 * found.mean.standard_error
                assert found.mean.value in found.mean.interval
            sharpness.append(max(found.standard_errors, default=found.mean and found.mean.standard_error))
        assert sharpness == sorted(sharpness), "a sharper level is more exact"

    @each
    def test_a_mean_lies_where_answers_do_however_few_there_are(self, sample):
        way = sample.handler
        if not isinstance(sample.question, ScaleQuestion) or sample.asked.values is None:
            return
        lowest, highest = map(float, sample.question.ends)
        outside = 0
        for report in range(way.report_count):
            for level in levels_of(sample):
                found = way.estimate(way.tally(np.full(3, report), level), Reading(level=level)).mean
                assert lowest <= found.interval.lower <= found.value <= found.interval.upper <= highest
                outside += not lowest <= found.raw <= highest
        assert way.report_count == 2 or outside, "the unbiased mean does not"

    @each
    def test_wrong_shares_would_be_noticed(self, sample):
        """The test above can fail: shares in another order are further off than five standard errors."""
        way, made = sample.handler, drawn(sample.name)
        found = way.estimate(counted(way, made, seen_at(sample, made, 1), 1), Reading(level=1))
        if not found.labels:
            lowest, highest = map(float, sample.question.ends)
            assert abs(found.mean.raw - (lowest + highest - sample.mean)) > 5 * found.mean.standard_error
            return
        first, *rest = sample.shares.values()
        turned = dict(zip(sample.shares, [*rest, first], strict=True))
        assert any(
            abs(raw - float(turned[label])) > 5 * error
            for label, raw, error in zip(found.labels, found.raw, found.standard_errors, strict=True)
        )

    @each
    def test_what_is_for_two_answers_is_refused_for_others(self, sample):
        way = sample.handler
        tally = way.tally(drawn(sample.name).reports, len(way.epsilons))
        reading = Reading(level=len(way.epsilons), ignoring=0.1)
        if len(sample.asked.labels) == 2:
            found = way.estimate(tally, reading)
            assert not found.labels or found.band.lower <= found.shares[1] <= found.band.upper
        else:
            with pytest.raises(InvalidParameter, match="ignoring is for questions with two answers"):
                way.estimate(tally, reading)


def outcomes(way, level, reports, part):
    """The places of reports among the outputs of a channel; of a report at its place, with its public question."""
    if isinstance(way, SeveralHandler):
        place = {pair: i for i, pair in enumerate(way.channel(level).outputs)}
        asked = way.asked(np.arange(len(reports)), part)[0].tolist()
        return np.array([place[tuple(some), report] for some, report in zip(asked, reports.tolist(), strict=True)])
    if not way.by_position:
        return reports
    rung, known = way.ladder.levels[level - 1], way.channel(level).outputs
    place = {pair: i for i, pair in enumerate(known)}
    return np.array([place[int(rung.question(i)), int(report)] for i, report in enumerate(reports.tolist())])


def misfit(counts, law):
    """How improbable these counts are under a law: the p-value of the chi-square test; 0 where one is impossible."""
    law = np.array([float(p) for p in law])
    if counts[law == 0].any():
        return 0.0
    counts, law = counts[law > 0], law[law > 0]
    if law.size == 1:
        return 1.0
    expected = counts.sum() * law
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), law.size - 1))


class TestChannels:
    @each
    def test_rows_are_laws_of_its_answers(self, sample):
        way = sample.handler
        if not way.by_row:
            with pytest.raises(InvalidParameter, match="no channel of its own"):
                way.channel(1)
            return
        for level in levels_of(sample):
            channel = way.channel(level)
            assert channel.exact
            assert all(sum(row) == 1 for row in channel.rows)
            assert len(channel.inputs) == len(set(map(str, channel.inputs)))
            assert set(map(str, channel.inputs)) == {counted_as(sample, text) for text in answers_of(sample)}
            if way.report_labels is not None:
                assert tuple(map(str, channel.outputs)) == way.report_labels
            elif not way.by_position and not isinstance(way, SeveralHandler):
                assert len(channel.outputs) == way.report_count

    @each
    def test_reports_follow_it_and_a_wrong_one_is_rejected(self, sample):
        """Each answer alone, at every level: the counts fit its row, no other answer's, and none a tenth off."""
        way = sample.handler
        if not way.by_row:
            return
        rejected = 0
        for x, answer in enumerate(answers_of(sample)[:4]):
            made = draw(sample, 10 + x, [answer] * ROWS)
            for level in levels_of(sample):
                channel = way.channel(level)
                row = channel.rows[list(map(str, channel.inputs)).index(counted_as(sample, answer))]
                seen = outcomes(way, level, seen_at(sample, made, level), made.part)
                counts = np.bincount(seen, minlength=len(row))
                assert misfit(counts, row) > IMPROBABLE
                others = [other for other in channel.rows if other != row]
                assert others
                assert all(misfit(counts, other) < IMPROBABLE for other in others)
                moved = [(9 * p + q) / 10 for p, q in zip(row, [*row[1:], row[0]], strict=True)]
                rejected += misfit(counts, moved) < IMPROBABLE
        assert rejected

    @each
    def test_it_keeps_what_is_promised(self, sample):
        """ε, maximal leakage and capacity of the channel are no more than what the way says and charges."""
        way = sample.handler
        assert list(way.epsilons) == sorted(way.epsilons, reverse=True)
        if not way.by_row:
            assert verify(way.certificate()) is None
            assert way.certificate()["epsilon"].value.lower <= way.epsilons[0]
            return
        for level in levels_of(sample):
            channel = way.channel(level)
            assert measures.epsilon_interval(channel).upper <= way.epsilons[level - 1]
            assert measures.maximal_leakage_interval(channel).lower <= way.leakage_bits(level)
            assert measures.capacity_bits(channel).lower <= min(way.capacity_bits(level), way.answer_bits)
            assert way.leakage_bits(level) <= way.answer_bits + Fraction(1, 10**9)
        assert way.answer_bits >= math.log2(len(sample.asked.labels))


def answers_of(sample):
    """What a respondent may say: the labels, but of a part that is told the answers themselves, and sets of options."""
    if isinstance(sample.question, Several):
        asked = sample.question
        sets = range(1 << len(asked.labels))
        return [set_text(one, asked.labels, asked.separator, asked.none_cell) for one in sets]
    if getattr(sample.asked, "in_bins", False):
        return [written(edge) for edge in sample.asked.edges[:-1]]
    if isinstance(sample.asked, ScaleQuestion):
        # Between two values an answer is rounded: only those that are values are always counted as one.
        return [written(value) for value in sample.asked.values]
    return getattr(sample.question, "answers", None) or sample.question.labels


def counted_as(sample, text):
    """The input of the channel that an answer is."""
    return sample.label_of(text) if getattr(sample.asked, "in_bins", False) else text


def test_a_wrong_file_is_refused_by_whatever_class(tmp_path):
    """No kind lets a table through that has another class's needed keys only."""
    for one in CLASSES:
        table = f'id = "q"\ntext = "Q?"\nkind = "{one.KIND}"\ncolour = "red"\n'
        (tmp_path / "s.toml").write_text(f'schema = "sfumato/study/2"\nname = "s"\n[[questions]]\n{table}')
        with pytest.raises(InvalidInput, match="line 7: colour is not a key"):
            read_study(tmp_path / "s.toml")
