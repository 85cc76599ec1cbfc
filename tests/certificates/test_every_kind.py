"""What holds for certificates of every kind: one list of them, and a new kind must be added to it."""

import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

import sfumato as sf
from fresh_seals import reseal, reseal_bytes
from sfumato.certificates import certificate as registry
from sfumato.certificates.channels import Collected, as_collected
from sfumato.certificates.claims import SOURCES
from sfumato.errors import ClaimRefused, InvalidParameter, NotChecked, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.numbers import Interval
from sfumato.output import certificate_table

ROOT = Path(__file__).parents[2]
HALF = Fraction(1, 2)
LAW = sf.disclosure.DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 3)
COUNTED = sf.disclosure.counted_law([[[341, 147], [147, 63]], [[150, 60], [64, 28]]])
LEAKING = sf.Channel([[HALF, HALF], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"], ["no", "yes"])

# One of each kind, and further ones whose claims are of another form.
KINDS = {
    "belief-noise": lambda: sf.certify(sf.noise.believed_mean(0, 20, 1000, budget_bits=0.1, shared_bits=10)),
    "belief-noise/much shared": lambda: sf.certify(sf.noise.believed_count(10**4, budget_bits=0.1, shared_bits=100)),
    "belief-noise/households": lambda: sf.certify(
        sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=3, people=4)
    ),
    "belief-noise/histogram": lambda: sf.certify(sf.noise.believed_histogram(4, 900, budget_bits=0.3, shared_bits=2)),
    "belief-noise/nobody": lambda: sf.certify(sf.noise.believed_sum(-1, 2, 40, budget_bits=1.5, shared_bits=0)),
    "channel": lambda: sf.certify(LEAKING, [Fraction(2, 3), Fraction(1, 3)]),
    "channel/float": lambda: sf.certify(sf.Channel([[0.1, 0.9], [0.7, 0.3]]), [0.2, 0.8]),
    "channel/circulant": lambda: sf.certify(
        sf.prob.Circulant.two_level(size=101, support=[0, 1, 5], odds=Fraction(7, 2))
    ),
    "channel/mechanism": lambda: sf.certify(sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(3))),
    "channel/records": lambda: sf.certify(sf.Channel([[HALF, HALF]] * 3 + [[1, 0]]), shape=(2, 2)),
    "channel/survey": lambda: sf.certify(sf.surveys.survey(guess_error=0.375)),
    "channel/recoverable": lambda: sf.certify(sf.recoverable.recoverable([0.5, 0.3, 0.2], ["a", "b", "c"], rho=0.6)),
    "disclosure": lambda: sf.certify(sf.disclosure.optimum(LAW)),
    "disclosure/estimated": lambda: sf.certify(sf.disclosure.optimum(COUNTED), estimated_from=1000),
    "disclosure-public": lambda: sf.disclosure.public_certificate(KINDS["disclosure/estimated"]()),
    "disclosure/rounded": lambda: sf.certify(sf.disclosure.optimum([[0.3, 0.21], [0.19, 0.3]])),
    "ladder": lambda: sf.certify(sf.Ladder.within(size=5, epsilons=[2.0, 1.0], recover=True)),
    "ladder/options": lambda: sf.certify(sf.Ladder.of_options(options=4, epsilons=[4.0, 2.0], asked=2)),
    "channel/collected": lambda: as_collected(sf.certify(LEAKING), Collected(mode="panel")),
    "ladder/collected": lambda: as_collected(
        sf.certify(sf.Ladder.within(size=5, epsilons=[2.0, 1.0], recover=True)),
        Collected(mode="anonymous", sealed_by="x25519", guarantee="computational"),
    ),
    "ladder/recovered": lambda: as_collected(
        sf.certify(sf.Ladder.within(size=5, epsilons=[1.0], recover=True)),
        Collected(mode="panel", sealed_by="mlkem768-x25519", guarantee="computational", recover=True),
    ),
    "noise": lambda: sf.certify(sf.noise.gaussian(bound=1, budget_bits=1, steps=8)),
    "noise/people": lambda: sf.certify(
        sf.noise.gaussian(low=0, high=7, budget_bits=1, change=1, correlated=2, steps=8)
    ),
    "noise/nobody": lambda: sf.certify(sf.noise.private_mean(0, 10, 1000, 0.5, correlated="nobody", steps=8)),
    "noise/people with values": lambda: sf.certify(
        sf.noise.gaussian(low=0, high=9, budget_bits=0.9, change=1, correlated=3, values=2, steps=8)
    ),
    "sealed": lambda: sf.certify(sf.ladders.SealedAnswers(size=11)),
    "rank-noise": lambda: sf.certify(sf.noise.private_quantile([0, 1.5, 3], 0.5, 100, 0.5, correlated=3)),
    "rank-noise/anyone": lambda: sf.certify(sf.noise.private_quantile([0, 1, 7], 0.25, 100, 1, correlated="anyone")),
    "vector-noise": lambda: sf.certify(sf.noise.private_histogram(3, 100, 1, correlated=2)),
    "vector-noise/anyone": lambda: sf.certify(sf.noise.private_histogram(3, 100, 0.1, correlated="anyone")),
    "noise/values": lambda: sf.certify(sf.noise.gaussian(low=0, high=3, budget_bits=0.9, steps=8, values=2)),
}


# Nobody changes a certificate, so that each is made once.
KINDS = {name: cache(make) for name, make in KINDS.items()}


@pytest.fixture(scope="module", params=KINDS)
def certificate(request):
    return KINDS[request.param]()


@pytest.fixture(scope="module", params=[name for name in KINDS if "/" not in name])
def one(request):
    return KINDS[request.param]()


def check(certificate):
    """Verify, as far as a file goes: where the law is private, that it states what it may and is not called checked."""
    if certificate.kind.opened is None:
        assert sf.verify(certificate) is None
        return
    with pytest.raises(NotChecked, match=r"^stated, not checked: the law is private"):
        sf.verify(certificate)


def is_refused(data):
    """Whether a file is refused, when it is opened or when it is verified, by one of our own errors."""
    try:
        sf.verify(sf.Certificate.from_json(data))
    except NotChecked:
        return False
    except SfumatoError:
        return True
    return False


def in_terminal(certificate):
    console = Console(width=500, file=io.StringIO(), color_system=None)
    console.print(certificate_table(certificate))
    return console.file.getvalue()


def test_the_list_above_is_the_table_of_the_registry():
    listed = {f"sfumato/certificate/{name}/1" for name in KINDS if "/" not in name}
    assert listed == set(registry.HOMES)
    for schema in registry.HOMES:
        assert registry.kind_of_schema(schema).schema == schema
        assert KINDS[schema.split("/")[2]]().schema == schema


def test_a_kind_outside_the_table_is_refused(one):
    with pytest.raises(InvalidParameter, match="schema='sfumato/certificate/cube/1' is not in the table"):
        registry.register(replace(one.kind, schema="sfumato/certificate/cube/1"))


def test_a_file_brings_in_its_room_by_itself(one, tmp_path):
    """In a process where nobody has imported the room of the kind."""
    import subprocess
    import sys

    (tmp_path / "c.json").write_text(one.to_json())
    code = "import sys, sfumato as sf; c = sf.Certificate.read(sys.argv[1]); print(c.title); sf.verify(c)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "c.json")], capture_output=True, text=True, check=False
    )
    assert done.stdout == one.title + "\n"
    assert (done.returncode == 0) == (one.kind.opened is None)
    assert ("NotChecked: stated, not checked" in done.stderr) == (one.kind.opened is not None)


def test_it_verifies_and_survives_the_file(certificate, tmp_path):
    check(certificate)
    path = tmp_path / "certificate.json"
    path.write_text(certificate.to_json())
    again = sf.Certificate.read(path)
    assert again == certificate
    assert again.to_json() == certificate.to_json()
    check(again)
    assert again[certificate.claims[-1].measure] == certificate.claims[-1]
    with pytest.raises(KeyError, match="no claim about 'magic'"):
        again["magic"]
    with pytest.raises(UnreadableFile, match="at most 10 are read"):
        sf.Certificate.read(path, limit_bytes=10)


def test_everybody_is_shown_every_claim_note_and_source(certificate):
    import html

    terminal = in_terminal(certificate)
    page, notebook = html.unescape(certificate.to_html()), html.unescape(certificate._repr_html_())
    markdown = html.unescape(re.sub(r"\\(.)", r"\1", certificate.to_markdown()))
    said = [certificate.title, *certificate.notes, *map(str, certificate.sources)]
    said += [claim.sentence for claim in certificate.claims]
    for text in said:
        for shown in (terminal, page, notebook, markdown):
            assert text in shown
    for claim in certificate.claims:
        assert claim.because in page
        assert claim.because in markdown
    assert certificate.title.startswith("Certificate of ")


def test_every_work_that_is_cited_is_spelled_out_in_the_file(certificate):
    written = json.loads(certificate.to_json())["sources"]
    keys = set()
    for claim in certificate.claims:
        for inside in re.findall(r"\[([^]]+)\]", claim.because):
            keys |= {entry.split(",")[0].strip() for entry in inside.split(";")}
    assert keys
    assert set(written) == keys
    for source in written.values():
        assert source["authors"]
        assert source["title"]
        assert source["venue"]
        assert source["year"] > 1900


def changes(document):
    """Every field of the first and the last claim, every note, every source, changed one at a time."""
    for place in (0, -1):
        for field, old in document["claims"][place].items():
            changed = json.loads(json.dumps(document))
            claim = changed["claims"][place]
            if field == "value" and isinstance(old, dict):
                claim["value"] = {"lower": old["lower"] + 1.0, "upper": old["upper"] + 1.0}
            elif field == "value":
                claim["value"] = "7/5"
            elif field == "witness":
                claim["witness"] = [*old[:-1], old[-1] / 2]
            elif field == "relation":
                claim["relation"] = "≥"
            elif field == "status":
                claim["status"] = "estimated"
                claim["confidence"] = 0.5
            else:
                claim[field] = old + " and more"
            yield f"{field} of claim {place}", changed
        added = json.loads(json.dumps(document))
        added["claims"][place]["witness"] = [0.5, 0.5, 0.0]
        yield f"a witness in claim {place}", added
    for place in range(len(document["notes"])):
        changed = json.loads(json.dumps(document))
        changed["notes"][place] += " It is safe."
        yield "a note", changed
    more = json.loads(json.dumps(document))
    more["notes"].append("Approved.")
    yield "one more note", more
    for key in document["sources"]:
        for field, value in (("authors", "Nobody"), ("title", "Nothing"), ("venue", "Nowhere"), ("year", 1901)):
            changed = json.loads(json.dumps(document))
            changed["sources"][key][field] = value
            yield f"{field} of source {key}", changed
    fewer = json.loads(json.dumps(document))
    fewer["sources"].popitem()
    yield "a source left out", fewer
    more = json.loads(json.dumps(document))
    more["sources"]["Zzz99"] = {"authors": "A", "title": "T", "venue": "V", "year": 1999}
    yield "a source made up", more


def test_nothing_can_be_changed_under_a_fresh_seal(certificate):
    document = json.loads(certificate.to_json())
    assert reseal(document) == certificate.to_json().encode()
    count = 0
    for what, changed in changes(document):
        assert is_refused(reseal(changed)), what
        count += 1
    assert count > 20


def test_works_that_the_claims_do_not_cite_are_refused_by_name(certificate):
    document = json.loads(certificate.to_json())
    document["sources"][next(iter(document["sources"]))]["year"] = 1901
    with pytest.raises(ClaimRefused, match=r"^the sources are not the works that the claims cite"):
        sf.Certificate.from_json(reseal(document))


def test_a_refusal_names_the_claim_and_what_is_wrong_with_it(certificate):
    claim = certificate.claims[-1]
    for field in ("unit", "sentence", "because"):
        lie = replace(claim, **{field: "something else"})
        with pytest.raises(ClaimRefused, match=rf"^{claim.measure}: its number is right, but its {field} "):
            sf.verify(replace(certificate, claims=(*certificate.claims[:-1], lie)))


def test_claims_cannot_be_left_out_doubled_moved_or_invented(certificate):
    first, second, *rest = certificate.claims
    for claims, said in [
        ((second, *rest), f"leaves out {first.measure}"),
        ((first, second, *rest, first), "claimed twice"),
        ((first, second, *rest, replace(first, measure="goodness")), "goodness is not a measure"),
        ((second, first, *rest), f"{second.measure} stands where {first.measure} belongs"),
        ((), f"leaves out {first.measure}"),
    ]:
        with pytest.raises(ClaimRefused, match=said):
            sf.verify(replace(certificate, claims=claims))


def test_claims_about_another_kind_of_subject_are_refused(one):
    others = [make() for name, make in KINDS.items() if "/" not in name]
    for other in others:
        if other.schema != one.schema:
            with pytest.raises(ClaimRefused, match="not of the kind"):
                sf.verify(replace(one, subject=other.subject))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("sfumato/certificate/9", "another version of Sfumato.*Upgrade sfumato"),
        ("sfumato/certificate/cube/1", "another version of Sfumato.*Upgrade sfumato"),
        ("sfumato/reports/1", "^this is a file of reports, not a certificate"),
        ("sfumato/ledger/1", "^this is a ledger, not a certificate"),
        ("sfumato/key/3", "^this is a key file, not a certificate"),
        ("sfumato/wonder/1", "^this is a Sfumato file of the schema sfumato/wonder/1, not a certificate"),
        ("elsewhere/certificate/1", "^this is not a Sfumato certificate"),
    ],
)
def test_another_kind_or_version_gets_a_true_sentence(one, schema, said):
    with pytest.raises(UnreadableFile, match=said):
        sf.Certificate.from_json(reseal({**json.loads(one.to_json()), "schema": schema}))


def test_a_newer_version_is_told_which_one_is_read(one):
    newer = one.schema[:-1] + "9"
    with pytest.raises(UnknownSchema, match=f"{newer}.*this one reads {one.schema}.*Upgrade"):
        sf.Certificate.from_json(reseal({**json.loads(one.to_json()), "schema": newer}))


def test_the_schema_of_another_kind_does_not_fit(one):
    for schema in set(registry.HOMES) - {one.schema}:
        with pytest.raises(UnreadableFile, match="the certificate is damaged"):
            sf.Certificate.from_json(reseal({**json.loads(one.to_json()), "schema": schema}))


def our_other_files(folder):
    from sfumato.keys import Unprotected, seal_key
    from sfumato.ledger import Ledger
    from sfumato.study.file import write_study
    from small_studies import small_study

    write_study(small_study(), folder / "study.toml")
    yield "a study", folder / "study.toml"
    Ledger.create(folder / "budget", budget_bits=1)
    yield "a ledger", folder / "budget"
    key = sf.Ladder.within(size=3, epsilons=[1.0], recover=True).publish([0, 1, 2]).keys[0]
    (folder / "key").write_bytes(seal_key(key, Unprotected()))
    yield "a key file", folder / "key"
    sf.prob.write_channel(LEAKING, folder / "channel.json")
    yield "a channel", folder / "channel.json"
    (folder / "page.html").write_text(sf.certify(LEAKING).to_html())
    yield "a page", folder / "page.html"


def test_our_other_files_are_called_what_they_are(tmp_path):
    seen = 0
    for name, path in our_other_files(tmp_path):
        with pytest.raises(UnknownSchema, match=f"^file {re.escape(str(path))}: this is {name}, not a certificate"):
            sf.Certificate.read(path)
        seen += 1
    assert seen == 5


@pytest.mark.parametrize("junk", [b"", b"{}", b"\x00\xff", b"[1, 2]", b"nonsense", b"[" * 100_000])
def test_what_is_no_certificate_at_all(junk):
    with pytest.raises(UnreadableFile, match="not a Sfumato certificate"):
        sf.Certificate.from_json(junk)


@pytest.mark.parametrize("depth", [17, 200, 900, 5000])
def test_labels_within_labels_end_somewhere(depth):
    document = json.loads(KINDS["channel"]().to_json())
    label = "[" * depth + '"no"' + "]" * depth
    blank = json.dumps(document, sort_keys=True).replace('"no"', label, 1).encode()
    with pytest.raises(SfumatoError):
        sf.Certificate.from_json(reseal_bytes(blank))


def test_a_channel_of_four_million_answers_is_refused_before_a_fraction_is_made(monkeypatch):
    honest = json.loads(KINDS["channel/circulant"]().to_json())
    many = 4_000_000
    honest["subject"]["channel"] |= {"codes": "01" * (many // 2), "input_count": many}
    honest["subject"]["prior"] = " ".join(["1/4000000"] * many)
    data = reseal(honest)
    monkeypatch.setattr("sfumato.certificates.channels.read_fraction", None)
    with pytest.raises(UnreadableFile, match="more than 524288 answers or reports"):
        sf.Certificate.from_json(data)
    with pytest.raises(InvalidParameter, match=r"has 600000 reports.*at most 524288"):
        sf.certify(sf.prob.Circulant.two_level(size=600_000, support=[0], odds=Fraction(3)))


@pytest.mark.parametrize("number", [2**63, 2**64, 10**30])
@pytest.mark.parametrize("where", ["cells", "shape"])
def test_numbers_beyond_a_machine_word_are_refused_in_a_sentence(where, number):
    document = json.loads(KINDS["disclosure/estimated"]().to_json())
    document["subject"][where][0] = [number, 0, 0] if where == "cells" else number
    blank = json.dumps(document, sort_keys=True).encode()
    with pytest.raises(SfumatoError, match=r"damaged|spelling|refused"):
        sf.verify(sf.Certificate.from_json(reseal_bytes(blank)))


HOSTILE = "\x1b[2J<script>alert(1)</script>\r| `x` [here](http://evil) \u202e"


def test_hostile_text_is_shown_as_text(one):
    """Before it is verified, a file may say anything; it must not do anything."""
    claim = replace(one.claims[0], sentence=HOSTILE, because=HOSTILE, unit=HOSTILE, measure=HOSTILE)
    hostile = replace(one, claims=(claim, *one.claims[1:]), notes=(HOSTILE,))
    markdown = hostile.to_markdown()
    for shown in (in_terminal(hostile), markdown):
        for mark in ("\x1b", "\r", "\u202e"):
            assert mark not in shown
    assert "<script>" not in markdown
    assert not re.search(r"(?<!\\)\[here", markdown)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in markdown.splitlines() if row.startswith("| ")} == {6}
    page = hostile.to_html()
    assert "<script>" not in page + hostile._repr_html_()
    for mark in ("\x1b", "\r", "\u202e"):
        assert mark not in page + hostile._repr_html_()


def test_what_certify_is_told_must_say_something_about_the_thing():
    with pytest.raises(InvalidParameter, match=r"prior says nothing about Ladder.*Leave out `prior`"):
        sf.certify(sf.Ladder.within(size=3, epsilons=[1.0]), [1, 1, 1])
    with pytest.raises(InvalidParameter, match="estimated_from says nothing about Channel"):
        sf.certify(LEAKING, estimated_from=5)
    with pytest.raises(InvalidParameter, match="estimated_from=0 must be at least 1"):
        sf.certify(sf.disclosure.optimum(LAW), estimated_from=0)
    with pytest.raises(InvalidParameter, match="must be a certificate, not Channel"):
        sf.verify(LEAKING)


@pytest.mark.parametrize(
    "design",
    [
        sf.noise.flip(budget_bits=0.5),
        sf.noise.exponential([[0, 1], [1, 0]], budget_bits=0.5),
        sf.noise.private_mean(0, 1, 10, 1, steps=8),
    ],
    ids=lambda design: type(design).__name__,
)
def test_designs_that_know_their_claims_are_certified_by_them(design):
    assert sf.certify(design) == design.certificate
    sf.verify(sf.certify(design))


def test_notes_of_channels_follow_from_data_and_no_text_fits_in():
    honest = KINDS["channel/mechanism"]()
    maker = "Its maker says, and this file alone cannot show, that this is"
    said = f"{maker} the law that randomized_response samples, read from its integer thresholds."
    assert honest.notes == (said,)
    with pytest.raises(ClaimRefused, match="one of the families"):
        sf.verify(replace(honest, subject=replace(honest.subject, mechanism="safest")))
    moved = KINDS["channel/float"]()
    assert len(moved.notes) == 2
    for far in (1e-3, -1.0, float("nan")):
        with pytest.raises(ClaimRefused, match="cannot have moved"):
            sf.verify(replace(moved, subject=replace(moved.subject, prior_moved=far)))


def test_every_family_of_mechanisms_has_its_name_in_notes():
    from sfumato import mechanisms
    from sfumato.certificates.channels import FAMILIES

    made = [
        cls.within(size=4, epsilon=1.0)
        for name in mechanisms.__all__
        if hasattr(cls := getattr(mechanisms, name), "within")
    ]
    assert len(made) >= 7
    assert {mechanism.name.split(" ")[0] for mechanism in made} | {"tabulated", "mechanism"} == set(FAMILIES)


def plain(text):
    """A field of BibTeX as it is read: braces and accents of TeX resolved."""
    accents = {r"{\"u}": "ü", r"{\'a}": "á", r"{\"O}": "Ö", r"{\"e}": "ë", r"$\rho$": "ρ"}
    for tex, letter in accents.items():
        text = text.replace(tex, letter)
    return text.replace("{", "").replace("}", "")


def test_the_sources_are_those_of_the_bibliography():
    entries = {}
    for entry in re.split(r"\n(?=@)", (ROOT / "docs" / "references.bib").read_text()):
        if found := re.match(r"@\w+\{([^,]+),", entry):
            entries[found.group(1)] = {
                name: plain(value) for name, value in re.findall(r"^\s*(\w+)\s*= \{(.*)\},$", entry, re.MULTILINE)
            }
    for key, source in SOURCES.items():
        entry = entries[key]
        names = [" ".join(reversed(name.split(", "))) for name in entry["author"].split(" and ")]
        assert source.authors == ", ".join(names)
        assert source.title == entry["title"]
        assert source.venue == (entry.get("journal") or entry.get("booktitle") or entry.get("institution"))
        assert str(source.year) == entry["year"]


def test_every_key_that_a_claim_could_cite_is_in_the_table():
    from sfumato.certificates.claims import keys_in

    cited = set()
    for path in (ROOT / "src" / "sfumato").rglob("*.py"):
        for text in re.findall(r'because=\(?\s*f?"([^"]*)"', path.read_text()):
            cited |= set(keys_in(text))
    assert {"A", "B", "Bir46", "Sha48"} <= cited
    assert cited <= set(SOURCES)
    assert keys_in("[B, Lemma 6; Bir46] in [0.1, 0.2]") == ("B", "Bir46")


def test_bounds_are_shown_as_bounds():
    from sfumato.certificates.pages import value_of

    rounded = KINDS["disclosure/rounded"]()["sample_leak_bits"]
    assert isinstance(rounded.value, Interval)
    assert value_of(rounded).startswith("≤ ")
    drift = KINDS["disclosure/estimated"]()["leak_if_law_differs_bits"]
    assert float(value_of(drift).split(" ")[1]) >= drift.value.upper
    assert value_of(KINDS["noise"]()["noise_variance"]).startswith("≤ ")
    for make in KINDS.values():
        for claim in make().claims:
            if isinstance(claim.value, Interval) and claim.measure.startswith(("epsilon", "capacity", "noise_cap")):
                assert float(value_of(claim).split(" ")[0]) >= claim.value.upper
            if claim.measure.startswith(("randomness", "key_bits", "disclosed")):
                assert float(value_of(claim).split(" ")[0]) <= claim.value.lower
