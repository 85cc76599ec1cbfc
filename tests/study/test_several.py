"""Choose any: cells, plans, keys and parts, groups and pairs, and what is refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from living_publications import Living
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.inference.results import Reading
from sfumato.keys import Unprotected
from sfumato.study import Analyst, Several, Study, YesNo
from sfumato.workflows.key_files import split_key_file
from sfumato.workflows.reading import estimate_reports, open_reports

OPTIONS = ("bus", "train", "car", "bike", "walk")
ASKED = {"id": "way", "text": "How do you get to work?"}
SHARES = (0.5, 0.3, 0.6, 0.1, 0.0)
# Reports are drawn anew in every run: about a hundred comparisons, each beyond this once in 5e8 times.
SIGMAS = 6


def question(**changes):
    return Several(**{**ASKED, "options": OPTIONS, "ask": 2, "none": "nothing", **changes})


def study(*questions, **changes):
    values = {
        "name": "Ways",
        "questions": questions or (question(),),
        "analysts": (Analyst(name="ministry", epsilon=Fraction(6)), Analyst(name="press", epsilon=Fraction(4))),
        "public_epsilon": Fraction(2),
    }
    return Study(**{**values, **changes})


def cells(rows, seed=1, shares=SHARES):
    """Options that are chosen apart from each other, but for the train, which bus riders take twice as often."""
    draw = np.random.default_rng(seed).random((rows, len(shares)))
    chosen = draw < np.array(shares)
    chosen[:, 1] = draw[:, 1] < np.where(chosen[:, 0], 0.4, 0.2)
    return [";".join(np.array(OPTIONS)[row]) or "nothing" for row in chosen], chosen


def table(rows, seed=1, prefix="p"):
    texts, _ = cells(rows, seed)
    return pa.table(
        {
            "person": [f"{prefix}{row:06d}" for row in range(rows)],
            "way": texts,
            "region": [("coast", "hill")[row % 3 == 0] for row in range(rows)],
        }
    )


def read(asked, *texts):
    found = asked.handler(study().audience).answers_in(words_of(pa.table({"way": list(texts)}), "way"))
    return [{asked.options[i] for i in range(len(asked.options)) if chosen >> i & 1} for chosen in found.tolist()]


class TestCells:
    def test_options_stand_in_any_order_with_the_separator_between(self):
        found = read(question(), "bus;train", " train ; bus ", "car", "bus;train;", "nothing", "bus;bus")
        assert found == [{"bus", "train"}, {"bus", "train"}, {"car"}, {"bus", "train"}, set(), {"bus"}]
        assert read(question(separator="::"), "bus::car") == [{"bus", "car"}]

    def test_aliases_stand_for_options(self):
        asked = question(aliases={"bus": ("coach", "1"), "car": ("auto",)})
        assert read(asked, "coach;auto", "1") == [{"bus", "car"}, {"bus"}]

    @pytest.mark.parametrize(
        ("text", "cure"),
        [
            ("bus,train", "separator = ','|separator = \",\""),
            ("bus|car", r"separator = .\|"),
            ("Bus;car", "capital letters"),
            ("NA", "missing_codes"),
            ("rocket;bus", "add the answer to the study"),
        ],
    )
    def test_a_cell_that_names_no_option_is_refused_with_a_cure(self, text, cure):
        with pytest.raises(UnreadableFile, match=r"column way, row 2 holds something else than options") as refused:
            read(question(), "bus", text)
        import re

        assert re.search(cure, refused.value.way_out), refused.value.way_out
        assert "rocket" not in str(refused.value)

    def test_that_nothing_was_chosen_is_said_only_by_its_word(self):
        with pytest.raises(UnreadableFile, match="say so with `none`"):
            read(question(none=None), "nothing")

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"options": ("a;b", "c"), "ask": None}, "separator=';' stands inside an option"),
            ({"none": "bus"}, "none='bus' is an option"),
            ({"none": "a;b"}, "holds what stands between options"),
            ({"ask": 6}, "ask=6 must lie in"),
            ({"ask": 0}, "ask=0 must lie in"),
            ({"options": ("one",)}, "between 2 and 60"),
            ({"separator": "long one"}, "separator has 8 characters"),
        ],
    )
    def test_what_cannot_be_asked(self, changes, sentence):
        with pytest.raises(InvalidParameter, match=sentence):
            question(**changes)

    def test_options_are_typed_with_semicolons(self):
        assert Several.suits("bus; train; car")
        assert not Several.suits("bus, train")
        assert Several.typed("way", "How?", "bus; train").options == ("bus", "train")
        assert Several.typed("way", "How?", "bus, train").options == ("bus", "train")


class TestPlans:
    def plan(self, **changes):
        return sf.plan(study(question(ask=None), population=5000, **changes)).questions[0]

    @pytest.mark.parametrize(("epsilon", "best"), [(1, 1), (2, 1), (4, 2), (6, 3)])
    def test_the_number_of_options_is_the_best_and_both_ends_are_shown(self, epsilon, best):
        planned = self.plan(analysts=(), public_epsilon=Fraction(epsilon))
        *_, offered = planned.tables
        assert planned.document["asked"] == best
        assert offered.rows[0][0] == "1, at the full ε"
        assert offered.rows[-1][0] == "all 5, each at ε/5"
        assert offered.chosen == best - 1
        widths = [float(row[1]) for row in offered.rows]
        assert widths[best - 1] == min(widths)
        if best > 1:
            assert widths[best - 1] < min(widths[0], widths[-1])
            assert "one option at the full ε has" in planned.words[0]
        assert ("cannot be told" in planned.words[-1]) == (best == 1)

    def test_of_several_levels_the_worst_off_decides(self):
        planned = self.plan()
        assert [len(row) for row in planned.tables[-1].rows] == [4] * 5
        assert "at the level where it is worst off" in planned.words[0]

    def test_a_declared_number_is_taken(self):
        assert "The study asks each respondent about 2 of the 5 options." in sf.plan(study()).questions[0].words[0]

    def test_answers_are_sealed_where_not_all_options_are_asked(self):
        some, whole = (study(question(ask=ask), recover=True) for ask in (None, 5))
        assert some.handler("way").sealed.report_count == 1 << 5
        assert whole.handler("way").sealed is None
        assert "recovered" not in {claim.measure for claim in some.handler("way").certificate().claims}
        assert whole.handler("way").certificate()["recovered"].value == 1
        assert not {**some.not_recovered, **whole.not_recovered}

    def test_more_sets_than_can_be_sealed_do_not_come_back_and_that_is_said(self):
        for count, is_sealed in ((31, True), (32, False)):
            asked = study(question(options=tuple(f"o{i}" for i in range(count)), ask=None), recover=True)
            assert (asked.handler("way").sealed is not None) == is_sealed
            assert ("way" not in asked.not_recovered) == is_sealed


@pytest.fixture(scope="module", params=["information-theoretic", "computational"])
def life(request, tmp_path_factory):
    """A publication with corrections, people who left, and people who came in small parts."""
    living = Living(
        tmp_path_factory.mktemp("life") / "office", study=study(), guarantee=request.param, keep=("region",)
    )
    living.publish(table(9000))
    living.amend({"row": list(range(900)), "way": ["walk"] * 900})
    living.erase(5, 4095, 4096, 8999)
    for seed in range(2, 6):
        living.publish(table(7, seed, f"q{seed}"), append=True)
    return living


def true_rows(living):
    """Who is there, what they chose, and where they live."""
    first, regions = cells(9000)[1], np.array(table(9000)["region"].to_pylist())
    first[:900] = False
    first[:900, 4] = True
    gone = np.isin(np.arange(9000), [5, 4095, 4096, 8999])
    later = [(cells(7, seed)[1], table(7, seed)["region"].to_pylist()) for seed in range(2, 6)]
    chosen = np.concatenate([first[~gone], *(one for one, _ in later)])
    return chosen, np.concatenate([regions[~gone], *(np.array(where) for _, where in later)])


class TestALife:
    def test_shares_are_found_by_everybody_and_in_groups(self, life):
        chosen, regions = true_rows(life)
        ministry = sorted(life.keys.glob("ministry.*.key"))
        for reports in (life.read(), open_reports(life.reports, ministry, unlock=Unprotected())):
            whole, *groups = estimate_reports(reports, group="region")
            assert whole.total == len(chosen)
            assert [one.group for one in groups] == ["coast", "hill"]
            for found in (whole, *groups):
                here = chosen if found.group is None else chosen[regions == found.group]
                assert found.total == len(here)
                for true, raw, error, share, interval in zip(
                    here.mean(axis=0), found.raw, found.standard_errors, found.shares, found.intervals, strict=True
                ):
                    assert abs(raw - true) < SIGMAS * error
                    assert 0 <= interval.lower <= share <= interval.upper <= 1
                    assert interval.lower < interval.upper
            assert whole.claims == 5
            assert sum(whole.shares) > 1.2, "shares of options do not sum to one"

    def test_a_wrong_assignment_would_be_noticed(self, life):
        """Reports that are counted one row off say something else."""
        reports = life.read()
        way, chosen = reports.note.handler("way"), np.delete(cells(9000)[1], [5, 4095, 4096, 8999], axis=0)
        chunk = next(iter(reports.chunks(["way"])))
        right = way.tally(chunk.reports(way), 3, positions=way.placed(chunk.numbers, chunk.part.base))
        wrong = way.tally(chunk.reports(way), 3, positions=way.placed(chunk.numbers + 1, chunk.part.base))
        raws = [way.estimate(tally, Reading(level=3)).raw for tally in (right, wrong)]
        errors = way.estimate(right, Reading(level=3)).standard_errors
        off = [max(abs(np.array(raw) - chosen.mean(axis=0)) / errors) for raw in raws]
        assert off[0] < SIGMAS < off[1]

    def test_who_was_asked_what_is_public_and_small_parts_do_not_ask_alike(self, life):
        asked = sf.workflows.asked_options(life.read(), "way")
        assert asked.column_names == ["part", "row", "asked_1", "asked_2"]
        by_part = {}
        for part, row, *both in zip(*(asked.column(name).to_pylist() for name in asked.column_names), strict=True):
            by_part.setdefault(part, {})[row] = tuple(both)
        base = next(rows for rows in by_part.values() if len(rows) > 8000)
        amendment = next(rows for rows in by_part.values() if len(rows) in range(890, 901))
        assert all(base[row] == both for row, both in amendment.items() if row in base), "asked again, asked the same"
        small = [tuple(rows.values()) for rows in by_part.values() if len(rows) < 10]
        # Two parts of seven rows are asked alike by chance once in 40 000 times; twice among four, once in 1e8.
        assert len(small) == 4
        assert len(set(small)) >= 3
        counts = Counter(option for both in base.values() for option in both)
        assert max(counts.values()) - min(counts.values()) <= 10

    def test_pairs_are_found(self, life):
        chosen, _ = true_rows(life)
        press = sorted(life.keys.glob("press.*.key"))
        opened = open_reports(life.reports, press, unlock=Unprotected())
        found = {one.name: one for one in sf.workflows.option_pairs(opened, "way")[None]}
        assert len(found) == 10
        for i, j in ((0, 1), (0, 2), (2, 4)):
            one = found[f"{OPTIONS[i]} and {OPTIONS[j]}"]
            true = (chosen[:, i] & chosen[:, j]).mean()
            assert abs(one.raw - true) < SIGMAS * one.standard_error
            assert 0 <= one.interval.lower <= one.value <= one.interval.upper <= 1
        together = found["bus and train"]
        assert together.raw > 0.15 - SIGMAS * together.standard_error, "who takes the bus takes the train more often"
        by_region = sf.workflows.option_pairs(opened, "way", group="region")
        assert list(by_region) == [None, "coast", "hill"]


def test_half_a_key_opens_half(tmp_path):
    living = Living(tmp_path / "office", study=study(), guarantee="computational", keep=())
    living.publish(table(9000))
    (key,) = living.keys.glob("ministry.*.key")
    first, second = split_key_file(key, [4096], tmp_path / "parts", protection=Unprotected(), unlock=Unprotected())
    for half, rows in ((first, slice(0, 4096)), (second, slice(4096, 9000))):
        (found,) = estimate_reports(open_reports(living.reports, [half], unlock=Unprotected()))
        assert found.total == rows.stop - rows.start
        true = cells(9000)[1][rows].mean(axis=0)
        assert (abs(np.array(found.raw) - true) < SIGMAS * np.array(found.standard_errors)).all()


def test_all_options_and_answers_that_come_back(tmp_path):
    living = Living(tmp_path / "office", study=study(question(ask=5), recover=True), keep=("region",))
    living.publish(table(3000))
    back = living.recovered().column("way").to_pylist()
    assert back == cells(3000)[0]
    assert "all 5 options are asked" in living.read().note.handler("way").report_words


def test_pairs_need_two_options_at_a_time(tmp_path):
    living = Living(tmp_path / "office", study=study(question(ask=1), YesNo(id="old", text="Old?")), keep=())
    living.publish(table(50).append_column("old", pa.array(["no", "yes"] * 25)))
    with pytest.raises(InvalidParameter, match="about one option, so nothing is known of two together"):
        sf.workflows.option_pairs(living.read(), "way")
    for call in (sf.workflows.option_pairs, sf.workflows.asked_options):
        with pytest.raises(InvalidParameter, match="question 'old' has one answer, not several"):
            call(living.read(), "old")


def test_few_respondents_and_an_option_that_nobody_was_asked_about(tmp_path):
    living = Living(tmp_path / "office", study=study(question(ask=1)), keep=())
    living.publish(table(2))
    (found,) = estimate_reports(living.read())
    (note,) = found.notes
    assert note.startswith("Nobody here was asked about ")
    for label, interval in zip(found.labels, found.intervals, strict=True):
        assert interval.lower < interval.upper
        if label in note:
            assert (interval.lower, interval.upper) == (0, 1)


def test_who_did_not_answer_is_hidden_as_one_more_option(tmp_path):
    asked = study(question(missing="hidden"))
    texts = [text if row % 4 else "" for row, text in enumerate(cells(9000)[0])]
    living = Living(tmp_path / "office", study=asked, keep=())
    living.publish(pa.table({"way": texts}))
    ministry = sorted(living.keys.glob("ministry.*.key"))
    (found,) = estimate_reports(open_reports(living.reports, ministry, unlock=Unprotected()))
    assert found.labels == (*OPTIONS, "no answer")
    true = [*(cells(9000)[1] & (np.arange(9000) % 4 != 0)[:, None]).mean(axis=0), 0.25]
    assert (abs(np.array(found.raw) - true) < SIGMAS * np.array(found.standard_errors)).all()
    assert asked.handler("way").hidden_price() > 1


def test_who_did_not_answer_is_seen_where_cells_stay_empty(tmp_path):
    texts = [text if row % 4 else "" for row, text in enumerate(cells(4000)[0])]
    living = Living(tmp_path / "office", study=study(question(missing="public")), keep=())
    living.publish(pa.table({"way": texts}))
    (found,) = estimate_reports(living.reports)
    assert found.total == 3000
    true = cells(4000)[1][np.arange(4000) % 4 != 0].mean(axis=0)
    assert (abs(np.array(found.raw) - true) < SIGMAS * np.array(found.standard_errors)).all()


def test_all_options_with_hidden_empty_cells_come_back(tmp_path):
    living = Living(tmp_path / "office", study=study(question(ask=5, missing="hidden"), recover=True), keep=())
    living.publish(pa.table({"way": ["bus;car", "", "nothing", "walk"]}))
    assert living.recovered().column("way").to_pylist() == ["bus;car", None, "nothing", "walk"]


def test_what_a_release_charges(tmp_path):
    """ε of the whole report, and no more bits than its flips can tell."""
    way = study().handler("way")
    certificate = way.certificate()
    for level, epsilon in enumerate(way.epsilons, start=1):
        assert certificate[f"epsilon_level_{level}"].value.upper <= epsilon
        assert way.leakage_bits(level) <= 2 < way.answer_bits == 5
        assert sf.measures.maximal_leakage_interval(way.channel(level)).lower <= way.leakage_bits(level)
