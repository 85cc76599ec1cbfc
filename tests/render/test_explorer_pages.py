"""The explorer's page: the docs hold what the command writes, and its table holds what studies choose from."""

import json
import re
from pathlib import Path

from sfumato.mechanisms.favoured_sets import best_set, candidate_sets, least_noise
from sfumato.render.explorer_pages import explorer_html
from sfumato.render.explorer_tables import MOST_ANSWERS, explorer_table

ROOT = Path(__file__).parents[2]
AGAIN = "run `sfumato explain explorer --out docs/explorer.html`, and commit what it writes"


def test_the_copy_in_the_docs_is_what_the_command_writes():
    assert (ROOT / "docs" / "explorer.html").read_text(encoding="utf-8") == explorer_html(), AGAIN


def test_it_is_one_file_with_one_script_that_its_policy_names():
    page = explorer_html()
    assert re.findall(r"<script[^>]*>", page) == ['<script type="application/json" id="table">', "<script>"]
    assert "default-src 'none'" in page
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", page)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)


def test_the_table_holds_every_set_that_is_ever_chosen():
    """For each number of answers and odds from 1.05 to 3,000, alone and as the ends of a ladder."""
    table = json.loads(json.dumps(explorer_table()))
    held = {(family, q, t) for family, q, t, *_ in table["sets"]}
    odds = [1.05**power for power in range(1, 165, 12)]
    for size in (3, 8, 33, 57, 98, MOST_ANSWERS):
        every = {one: [one.noise(o) / least_noise(o) for o in odds] for one in candidate_sets(size)}
        for i in range(len(odds)):
            for j in (i, 0):
                chosen = best_set(size, lambda one, all_=every, ends=(i, j): max(all_[one][end] for end in ends))
                assert (chosen.family.value, chosen.q, chosen.t) in held
