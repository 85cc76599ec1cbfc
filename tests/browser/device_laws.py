"""What a client must draw, found from the ways themselves, and whether it does; each check can be asked of a mutant."""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np

from browser.device_vectors import FOLDER, scripts_of
from sfumato.certificates.auditing import audit_counts
from sfumato.ladders.steps import TwoLevelShift
from sfumato.prob.binomial import clopper_pearson
from sfumato.study.collection import form_document
from sfumato.study.kinds.several import Several
from study.test_forms import collected

SAMPLERS = json.loads((FOLDER / "samplers.json").read_text())
SURE = 1e-9


def answer_of(sample, text):
    """An answer as a page has it: of several options a list."""
    asked = sample.asked
    if text is None or not isinstance(asked, Several):
        return text
    return [] if text == asked.none_cell else [part.strip() for part in text.split(asked.separator) if part.strip()]


def symbols_of(sample, text):
    """The symbols of an answer with their probabilities: a number may be rounded up or down."""
    asked = sample.asked
    if text is None:
        return {asked.nobody: Fraction(1)}
    if isinstance(asked, Several):
        return {int(sample.handler.read(sample.words([text]))[0]): Fraction(1)}
    return {asked.labels.index(label): share for label, share in sample.split(text).items() if share}


def expected_joint(sample, text):
    """The joint law of a report and the shifts of all levels, by the laws of the steps."""
    ladder = sample.handler.ladder
    laws, total = [step.law() for step in ladder.steps], ladder.group.total
    places = ladder.levels[0].truths(np.arange(ladder.size)).tolist()
    found, known = {}, {}
    for symbol, share in symbols_of(sample, text).items():
        for drawn in itertools.product(range(ladder.modulus), repeat=len(laws)):
            chances = tuple(law[shift] for law, shift in zip(laws, drawn, strict=True))
            names = (share, *map(id, chances))
            if names not in known:
                known[names] = share * math.prod(chances)
            sums = [total(drawn[level:]) for level in range(len(laws))]
            key = (total((places[symbol], sums[0])), *(sums[level] for level in ladder.key_levels))
            found[key] = found.get(key, 0) + known[names]
    return found


def joint_of(grouped):
    """What a client says its law is."""
    exact = {p: Fraction(p) for p in grouped}
    return {tuple(key): exact[p] for p, keys in grouped.items() for key in keys}


def check_kind(device, sample, text):
    """The law of a kind: with all shifts that of the steps, and at every level that of the exact channel."""
    way, form = sample.handler, form_document(collected(sample.study))
    grouped = device.ask("jointLaw", form, answer_of(sample, text))
    assert sum(Fraction(p) * len(keys) for p, keys in grouped.items()) == 1
    found = joint_of(grouped)
    if form["questions"][0]["draw"]["type"] == "card":
        row = way.response.to_exact().rows[way.answers.index(text)]
        assert found == {(y,): p for y, p in enumerate(row) if p}
        return
    assert found == expected_joint(sample, text)
    group, public = way.ladder.group, len(way.epsilons)
    for level in (*way.key_levels, public):
        place = None if level == public else 1 + way.key_levels.index(level)
        seen = Counter()
        for p, keys in grouped.items():
            seen.update((group.between(0 if place is None else key[place], key[0]), p) for key in keys)
        views = {}
        for (shown, p), times in seen.items():
            views[shown] = views.get(shown, 0) + times * Fraction(p)
        assert views == expected_view(sample, text, level)


def expected_view(sample, text, level):
    """What a reader of a level sees: the mixture of the channel's rows, or with level 0 the symbols themselves."""
    way, found = sample.handler, {}
    ladder, channel = way.ladder, way.channel(level) if level else None
    places = ladder.levels[0].truths(np.arange(ladder.size)).tolist()
    for symbol, share in symbols_of(sample, text).items():
        if level == 0:
            found[places[symbol]] = share
            continue
        row = channel.rows[symbol]
        for y, p in enumerate(row):
            found[y] = found.get(y, 0) + share * Fraction(p)
    return found


def check_small(device):
    """Every word at a small width gives what it gives in Python, and as many words are used."""
    for one in SAMPLERS["small"]:
        assert device.ask("drawn", one, scripts_of(one)) == one["drawn"], one["kind"]


def check_wide(device):
    """Words at borders, of 64 bits, give what plain integers say."""
    for one in SAMPLERS["wide"]:
        assert device.ask("drawn", one, one["scripts"]) == one["drawn"], one["kind"]


def ladder_form(modulus, members, insides):
    """A form of one question whose ladder is drawn in eighths, so that words of three bits decide it."""
    steps = [
        {"favoured": {"members": list(one)}, "inside": inside}
        for one, inside in zip((members, *[(0,)] * (len(insides) - 1)), insides, strict=True)
    ]
    question = {
        "id": "q",
        "text": "?",
        "asks": {"type": "one", "answers": [f"a{i}" for i in range(modulus)]},
        "gaps": "refused",
        "reports": modulus,
        "odds": None,
        "sees": [],
        "draw": {"type": "shift", "modulus": modulus, "levels": list(range(len(insides))), "steps": steps},
    }
    heading = {"schema": "sfumato/form/1", "study": "S", "fingerprint": "0" * 64, "mode": "anonymous", "wave": 1}
    return {**heading, "row": [["q", 1]], "receivers": [], "questions": [question]}


def check_words(device, modulus, members, insides):
    """Three levels, word by word: every word of three bits at every draw, through the samplers themselves."""
    found = joint_of(device.ask("wordLaw", ladder_form(modulus, members, insides), "a1", 3))
    laws = [
        TwoLevelShift(modulus=modulus, favoured=np.array(one), inside=Fraction(inside)).law()
        for one, inside in zip((members, *[(0,)] * (len(insides) - 1)), insides, strict=True)
    ]
    expected = {}
    for drawn in itertools.product(range(modulus), repeat=len(laws)):
        sums = [sum(drawn[level:]) % modulus for level in range(len(laws))]
        expected[(1 + sums[0]) % modulus, *sums] = math.prod(law[u] for law, u in zip(laws, drawn, strict=True))
    assert found == {key: p for key, p in expected.items() if p}


def check_system(device):
    """Words are those of the system's generator, in its order, and of nothing else."""
    script = [3, 1 << 63, (1 << 64) - 1, 12345]
    found = device.page.run(
        "(() => { const own = crypto.getRandomValues; const script = "
        f"{json.dumps(list(map(str, script)))}.map(BigInt); "
        "crypto.getRandomValues = (into) => { into[0] = script.shift(); return into; }; "
        "try { const words = new device.SystemWords(); return [1, 2, 3, 4].map(() => String(words.next())); } "
        "finally { crypto.getRandomValues = own; } })()"
    )
    assert found == list(map(str, script))


def check_draws(device, sample, draws):
    """So many draws of a page: the auditor does not refute the ε, and every report is as frequent as its law says."""
    form = form_document(collected(sample.study))
    texts = list(sample.tenths)
    counts = [device.ask("counts", form, answer_of(sample, text), draws // len(texts)) for text in texts]
    claimed = math.log(Fraction(form["questions"][0]["odds"]))
    found = audit_counts(counts, claimed_epsilon=claimed)
    assert not found.contradicts_claim
    assert found.epsilon_at_least > claimed / 3  # eight standard errors below what is expected
    public = len(sample.handler.epsilons)
    for text, row in zip(texts, counts, strict=True):
        law = expected_view(sample, text, public)
        low, high = clopper_pearson(np.array(row), sum(row), lower_tail=SURE, upper_tail=SURE)
        assert all(low[y] <= float(law.get(y, 0)) <= high[y] for y in range(len(row)))
