"""Studies that ask by flags: where they pay, from the plan to recovered answers, in groups and in opened files."""

import json
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.keys import Unprotected
from sfumato.study.collection import check_collectable

TOWNS = tuple(f"town {place}" for place in range(1000))


def study(*, public=Fraction(1, 2), sharp=Fraction(4), answers=TOWNS, **others):
    return sf.Study(
        name="Towns",
        questions=(sf.OneOfMany(id="town", text="Where do you live?", answers=answers),),
        public_epsilon=public,
        analysts=(sf.Analyst(name="ministry", epsilon=sharp),),
        recover=True,
        **others,
    )


def test_the_plan_of_a_thousand_answers_chooses_flags_and_tells_the_price():
    planned = sf.plan(study()).questions[0]
    found = planned.document
    assert found["ladder"]["mechanism"] == "flags"
    assert max(found["noise_ratios"]) <= 1.07
    assert (found["report_bits"], found["report_bytes"]) == (10, 2)
    assert found["levels"][0]["key_bits"] == pytest.approx(24.2748, abs=1e-3)
    assert "the noise over the least possible is 0.98, 1.06" in planned.because
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (study(sharp=Fraction(2), public=Fraction(1)), "cyclic_response"),  # two levels near one another
        (study(answers=TOWNS[:20]), "cyclic_response"),  # few answers
        (study(sharp=Fraction(1, 2)), "cyclic_response"),  # one level
        (study(sharp=Fraction(7, 2), public=Fraction(1, 2), answers=TOWNS[:300]), "flags"),
    ],
)
def test_flags_are_chosen_where_they_pay(asked, kind):
    assert json.loads(asked.handler("town").declaration)["mechanism"] == kind


@pytest.mark.parametrize("guarantee", ["information-theoretic", "computational"])
def test_from_answers_to_estimates_and_back(tmp_path, guarantee):
    asked = study(answers=TOWNS[:200], public=Fraction(3, 2), sharp=Fraction(9, 2))
    assert json.loads(asked.handler("town").declaration)["mechanism"] == "flags"
    assert asked.handler("town").by_number
    rng = np.random.default_rng(4)
    places = np.minimum(rng.geometric(0.1, 3000) - 1, 199)
    table = {"town": [TOWNS[i] for i in places], "half": ["one" if i % 3 else "two" for i in range(3000)]}
    made = sf.publish(
        asked, table, keys=tmp_path / "keys", protection=Unprotected(), keep=["half"], insecure_seed=3,
        out=tmp_path / "reports.parquet", guarantee=guarantee,
    )  # fmt: skip
    opened = sf.open_reports(
        tmp_path / "reports.parquet", tmp_path / "keys" / "ministry.town.key", unlock=Unprotected()
    )
    opened.write(tmp_path / "open.parquet")
    truth = np.bincount(places, minlength=200) / 3000
    for reports, level in ((made.reports, 2), (opened, 1), (tmp_path / "open.parquet", 1)):
        whole = sf.estimate_reports(reports)[0]
        deviation = asked.handler("town").share_deviation(level, 0.1) / np.sqrt(3000)
        assert np.abs(np.array(whole.raw) - truth).max() < 5 * deviation
        groups = [one for one in sf.estimate_reports(reports, group="half") if one.group]
        assert sum(one.total for one in groups) == 3000
        both = sum(np.array(one.raw) * one.total for one in groups) / 3000
        assert both == pytest.approx(np.array(whole.raw), abs=1e-9)
    pair = sf.estimate_reports(tmp_path / "open.parquet").contrasts("answers")
    assert pair
    key = tmp_path / "keys" / "registrar.town.key"
    back = sf.recover_answers(tmp_path / "reports.parquet", key, unlock=Unprotected())
    assert [TOWNS.index(text) for text in back.column("town").to_pylist()] == places.tolist()


def test_devices_are_asked_by_the_other_family():
    """What [collect] declares is drawn on devices, which know no row number; what was not declared is refused."""
    with pytest.raises(InvalidParameter, match=r"by its number, and a device does not know.*\[collect\]"):
        check_collectable(study())
    from sfumato.study.collect_terms import CollectTerms

    collected = study(collect=CollectTerms())
    assert json.loads(collected.handler("town").declaration)["mechanism"] == "cyclic_response"
    check_collectable(collected)
