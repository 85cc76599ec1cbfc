"""What everybody may see of a disclosure gives nothing of its table away; the private file proves it."""

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from disclose.forged_disclosures import sealed
from disclose.table_attacks import (
    NothingThere,
    law_from_mapping,
    law_from_mapping_and_release,
    laws_in,
    multiset_from_masses,
    total_variation,
    walk,
)
from sfumato.bits import KeyedBits
from sfumato.certificates.seals import NO_DIGEST
from sfumato.disclose import DataLaw, Estimation, Origin, optimum, public_certificate
from sfumato.disclose.disclosure_certificates import made_subject
from sfumato.disclose.public_certificates import commitment_of
from sfumato.disclose.public_numbers import is_outwards, outwards, two_digits
from sfumato.disclose.public_statements import PublicDisclosureSubject, leak_statement, told_statement
from sfumato.errors import (
    ClaimRefused,
    DigestMismatch,
    InvalidParameter,
    NotCertified,
    NotChecked,
    Refused,
    SfumatoError,
)
from sfumato.study.disclosing import disclose_columns, disclose_rows
from sfumato.values import Interval

BITS = KeyedBits(bytes(range(32)))
ONE = [[40, 10, 7], [20, 30, 11], [9, 13, 60]]
OTHER = [[10, 45, 20], [31, 12, 17], [25, 30, 10]]


def table_of(counts, seed=0):
    """A table of two columns with these counts, in an order of its own."""
    rows = [(x, y) for x, row in enumerate(counts) for y, n in enumerate(row) for _ in range(n)]
    order = np.random.default_rng(seed).permutation(len(rows))
    return pa.table(
        {name: [f"{name}{rows[k][i]}" for k in order] for i, name in enumerate(("left", "right"))},
    )


def law_of(counts):
    return np.array(counts).ravel() / np.sum(counts)


def without(document, *names):
    return {key: value for key, value in document.items() if key not in names}


@pytest.fixture(scope="module")
def made():
    return disclose_columns(table_of(ONE), ["left", "right"], bits=BITS)


@pytest.fixture(scope="module")
def rows_made():
    return disclose_rows(table_of(ONE), "left", bits=BITS)


def blanked(release):
    """The public file with what may differ left out: commitment and seal, and the rounded bits where they are told."""
    document = json.loads(release.certificate.to_json())
    document["digest"], document["subject"]["commitment"] = NO_DIGEST, "…"
    for claim in document["claims"]:
        if claim["status"] == "stated":
            claim["value"] = None
            claim["sentence"] = re.sub(r"[0-9.]+(?= and| bits)", "…", claim["sentence"])
    return document


def test_public_files_of_two_tables_differ_in_what_they_may():
    """Equal shape, groups and n, laws far apart: commitment, seal and rounded bits are all that differs."""
    assert np.sum(ONE) == np.sum(OTHER)
    assert total_variation(law_of(ONE), law_of(OTHER)) >= 0.1
    one, other = (disclose_columns(table_of(counts), ["left", "right"]) for counts in (ONE, OTHER))
    assert one.private.subject.law.masses != other.private.subject.law.masses
    assert one.private.subject.channel.rows != other.private.subject.channel.rows
    assert blanked(one) == blanked(other)
    assert one.certificate["disclosed_bits"].value != other.certificate["disclosed_bits"].value
    assert one.certificate["sample_leak_bits"] == other.certificate["sample_leak_bits"]
    assert one.certificate["leak_if_law_differs_bits"] == other.certificate["leak_if_law_differs_bits"]


def test_public_files_of_two_columns_differ_in_what_they_may():
    one, other = (disclose_rows(table_of(counts), "right") for counts in (ONE, OTHER))
    sums = [np.sum(counts, axis=0) / np.sum(counts) for counts in (ONE, OTHER)]
    assert total_variation(*sums) >= 0.1
    assert blanked(one) == blanked(other)


def test_the_commitment_differs_on_every_run(made):
    again = [disclose_columns(table_of(ONE), ["left", "right"], bits=KeyedBits(bytes(32))) for _ in range(3)]
    commitments = {release.certificate.subject.commitment for release in (made, *again)}
    assert len(commitments) == 4
    assert len({release.private.subject.salt for release in (made, *again)}) == 4
    texts = {json.dumps(without(blanked(release), "claims")) for release in (made, *again)}
    assert len(texts) == 1


class TestAttacks:
    """Control: they succeed on the private file. On the public one they have nothing to work on."""

    def test_the_multiset_of_the_records(self, made):
        found = multiset_from_masses(json.loads(made.private.to_json()))
        assert found == Counter({(x, y): n for x, row in enumerate(ONE) for y, n in enumerate(row)})
        with pytest.raises(NothingThere):
            multiset_from_masses(json.loads(made.certificate.to_json()))

    def test_the_law_from_the_mapping_alone(self, made):
        stolen = without(json.loads(made.private.to_json())["subject"], "masses", "cells")
        assert total_variation(law_from_mapping(stolen, (3, 3)), law_of(ONE)) < 1e-6
        with pytest.raises(NothingThere):
            law_from_mapping(json.loads(made.certificate.to_json()), (3, 3))

    def test_the_law_from_the_mapping_and_the_release(self, made):
        many = made.private.subject.channel
        cells = [cell for cell in many.inputs for _ in range(ONE[cell[0]][cell[1]] * 50)]
        drawn = replace_cells(made, cells)
        stolen = without(json.loads(made.private.to_json())["subject"], "masses", "cells")
        assert total_variation(law_from_mapping_and_release(stolen, (3, 3), drawn), law_of(ONE)) < 0.1
        with pytest.raises(NothingThere):
            law_from_mapping_and_release(json.loads(made.certificate.to_json()), (3, 3), drawn)

    def test_there_is_no_place_for_a_law_in_the_public_file(self, made, rows_made):
        """Every leaf is at a place that is known to hold no function of the table, or two digits of one."""
        places = (
            r"schema|digest|notes/.|sources/.*|subject/(shape|groups/.)/.|subject/estimation/\w+|subject/commitment"
        )
        words = r"claims/./(measure|relation|unit|status|because|sentence|value/lower|value/upper)"
        for release in (made, rows_made):
            document = json.loads(release.certificate.to_json())
            assert laws_in(document) == []
            for path, leaf in walk(document):
                if not isinstance(leaf, dict | list):
                    assert re.fullmatch(f"{places}|{words}", "/".join(map(str, path))), path
            for claim in release.certificate.claims:
                if claim.status == "stated":
                    assert claim.measure == "sample_leak_bits" or is_outwards(claim.value) or claim.value.lower == 0

    def test_nothing_but_symbols_is_released(self, made, tmp_path):
        """The table's own file, with whatever a writer might put beside the cells."""
        for name in ("release.parquet", "release.csv"):
            source = table_of(ONE)
            sf.disclose_table(source, protect=["left", "right"], out=tmp_path / name, book=tmp_path / f"{name}.book")
        parquet = pa.parquet.ParquetFile(tmp_path / "release.parquet")
        assert parquet.schema_arrow.names == ["symbol"]
        assert set(parquet.metadata.metadata or {}) <= {b"ARROW:schema"}
        assert not parquet.schema_arrow.metadata
        assert (tmp_path / "release.csv").read_text().splitlines()[0].strip('"') == "symbol"
        assert set((tmp_path / "release.csv").read_text().split("\n")[1:]) <= {"", *map(str, range(9))}
        names = {path.name for path in tmp_path.iterdir()}
        assert not {name for name in names if name.endswith(".about.json")}
        assert (tmp_path / "release.csv.PRIVATE.json").stat().st_mode & 0o077 == 0


def replace_cells(made, cells):
    """Draw symbols from the private mapping for other data sets."""
    from sfumato.bits.row_draws import RowDraws

    place = {cell: c for c, cell in enumerate(made.private.subject.channel.inputs)}
    rows = np.array([place[cell] for cell in cells])
    return RowDraws(made.private.subject.channel, 64).draw(KeyedBits(bytes(32)), rows)


class TestOrder:
    def test_codes_do_not_follow_first_appearance(self):
        """Whatever stands in the first row, cells and counts are the same."""
        table = table_of(ONE)
        laws, firsts = set(), set()
        for start in range(0, len(table), 20):
            turned = pa.concat_tables([table.slice(start), table.slice(0, start)])
            law = disclose_columns(turned, ["left", "right"]).private.subject.law
            found = dict(zip(map(tuple, law.cells.tolist()), law.masses, strict=True))
            laws.add(tuple(found.items()))
            first = tuple(int(turned[name][0].as_py()[-1]) for name in ("left", "right"))
            firsts.add(first)
            assert found[first] == Fraction(ONE[first[0]][first[1]], 200)
        assert len(laws) == 1
        assert len(firsts) > 3

    def test_dictionaries_of_a_file_do_not_matter(self):
        """A dictionary column lists its values in the order in which a program met them."""
        plain = table_of(ONE)
        coded = pa.table({name: plain[name].dictionary_encode() for name in plain.column_names})
        one, other = (disclose_columns(table, ["left", "right"]) for table in (plain, coded))
        assert one.private.subject.law.masses == other.private.subject.law.masses

    def test_the_book_knows_a_column_by_any_dictionary(self, tmp_path):
        plain = table_of(ONE)
        texts = ["left2", "left0", "left1"]
        codes = pa.array([texts.index(text) for text in plain["left"].to_pylist()], pa.int8())
        coded = pa.table({"left": pa.DictionaryArray.from_arrays(codes, texts), "right": plain["right"]})
        sf.disclose_table(plain, protect=["left", "right"], out=tmp_path / "one.csv", book=tmp_path / "book")
        with pytest.raises(Refused, match="released before"):
            sf.disclose_table(coded, protect=["left"], samples="rows", out=tmp_path / "two.csv", book=tmp_path / "book")


class TestPrivateAndPublic:
    def test_the_private_one_proves_the_public_one(self, made, rows_made):
        for release in (made, rows_made):
            sf.verify(release.private)
            with pytest.raises(NotChecked, match="stated, not checked: the law is private"):
                sf.verify(release.certificate)
            sf.verify(release.certificate, private=release.private)
            again = sf.Certificate.from_json(release.certificate.to_json())
            sf.verify(again, private=sf.Certificate.from_json(release.private.to_json()))

    def test_the_commitment_is_what_it_says(self, made):
        from hashlib import sha256

        salt = json.loads(made.private.to_json())["subject"]["salt"]
        assert len(bytes.fromhex(salt)) == 32
        digest = sha256(bytes.fromhex(salt) + made.private.to_json().encode()).hexdigest()
        assert made.certificate.subject.commitment == f"sha256:{digest}" == commitment_of(made.private)

    def test_another_private_file_is_refused(self, made):
        again = disclose_columns(table_of(ONE), ["left", "right"])
        with pytest.raises(DigestMismatch, match="commits to"):
            sf.verify(made.certificate, private=again.private)
        with pytest.raises(InvalidParameter, match="must be the private certificate"):
            sf.verify(made.certificate, private=made.certificate)
        with pytest.raises(InvalidParameter, match="proves itself"):
            sf.verify(made.private, private=made.private)

    def test_numbers_moved_by_a_digit_are_found_with_the_private_file_only(self, made):
        """The honest limit: a freshly sealed file that states another possible number looks as good as the true one."""
        for measure, state, other in (
            ("disclosed_bits", told_statement, Interval(0.01, 0.02)),
            ("sample_leak_bits", leak_statement, Interval(0.0, 0.05)),
        ):
            lie = state(made.certificate.subject, other)
            claims = tuple(lie if claim.measure == measure else claim for claim in made.certificate.claims)
            forged = sf.Certificate.from_json(replace(made.certificate, claims=claims).to_json())
            with pytest.raises(NotChecked):
                sf.verify(forged)
            with pytest.raises(ClaimRefused, match=measure):
                sf.verify(forged, private=made.private)

    @pytest.mark.parametrize(
        ("measure", "value"),
        [
            ("disclosed_bits", Interval(0.123, 0.13)),
            ("disclosed_bits", Interval(0.1, 3.0)),
            ("disclosed_bits", Interval(3.1, 3.3)),
            ("disclosed_bits", Interval(0.12, float("inf"))),
            ("disclosed_bits", Interval(-0.0, 0.01)),
            ("sample_leak_bits", Interval(0.0, 1e-7)),
            ("sample_leak_bits", Interval(0.01, 0.01)),
            ("leak_if_law_differs_bits", Interval(0.0, 0.1)),
        ],
    )
    def test_numbers_that_no_such_file_has_are_refused(self, made, measure, value):
        claims = tuple(
            replace(claim, value=value) if claim.measure == measure else claim for claim in made.certificate.claims
        )
        with pytest.raises(ClaimRefused, match=f"^{measure}"):
            sf.verify(replace(made.certificate, claims=claims))

    def test_another_shape_group_or_number_of_records_is_refused(self, made):
        subject = made.certificate.subject
        for changed in (
            replace(subject, groups=((0, 1),)),
            replace(subject, shape=(3, 4)),
            replace(subject, estimation=replace(subject.estimation, data_sets=10**6)),
        ):
            with pytest.raises(ClaimRefused):
                sf.verify(replace(made.certificate, subject=changed), private=made.private)

    def test_a_declared_law_has_nothing_to_hide(self):
        law = [[Fraction(n, 200) for n in row] for row in ONE]
        release = disclose_columns(table_of(OTHER), ["left", "right"], law=law)
        assert release.private is None
        assert release.certificate.subject.estimation == Estimation()
        sf.verify(release.certificate)
        with pytest.raises(InvalidParameter, match="must be the private certificate"):
            public_certificate(release.certificate)

    def test_a_feature_counted_in_the_table_makes_the_mapping_private_under_any_law(self):
        """The mapping is the best for P(w|x) of these very rows, so it tells of them."""
        law = [[Fraction(n, 200) for n in row] for row in ONE]
        table = table_of(OTHER)
        pairs = zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True)
        told = pa.array(["same" if left[-1] == right[-1] else "other" for left, right in pairs])
        release = disclose_columns(table.append_column("told", told), ["left", "right"], "told", law=law)
        assert release.private is not None
        assert release.certificate.subject.estimation == Estimation(feature=Origin.RECORDS, data_sets=200)
        sf.verify(release.certificate, private=release.private)

    def test_a_declared_law_may_know_values_that_never_came_up(self):
        coins = pa.table({"coin": ["tails", "heads", "heads", "tails", "tails"]})
        law = sf.Distribution([Fraction(1, 3)] * 3, ["tails", "rim", "heads"])
        release = disclose_rows(coins, "coin", law=law)
        assert release.certificate.subject.law.shape == (3, 3)
        sf.verify(release.certificate)
        with pytest.raises(InvalidParameter, match="no probability for 1 of the values"):
            disclose_rows(coins, "coin", law=sf.Distribution([Fraction(1, 2)] * 2, ["heads", "rim"]))

    def test_samples_must_be_independent_to_be_estimated_as_such(self):
        law = DataLaw.of([[Fraction(1, 2), 0], [0, Fraction(1, 2)]])
        found = optimum(DataLaw.independent([Fraction(1, 2)] * 2, 2))
        subject = made_subject(found, Estimation(law=Origin.RECORDS, samples=10))
        assert sf.certificates.certifying.certify_subject(subject)["leak_if_law_differs_bits"].value.upper >= 1
        channel = sf.Channel([[1], [1]], [(0, 0), (1, 1)])
        with pytest.raises(NotCertified, match="not that of independent samples"):
            sf.certificates.certifying.certify_subject(replace(subject, law=law, channel=channel))

    def test_neither_law_nor_mapping_nor_salt_is_in_a_repr(self, made):
        shown = repr(made) + repr(made.private.subject)
        assert made.private.subject.salt not in shown
        for mass in made.private.subject.law.masses:
            assert f"Fraction({mass.numerator}" not in shown
        assert "masses" not in shown

    def test_numbers_of_a_release_are_rounded_too(self, made):
        assert two_digits(made.disclosed_bits, up=False) == made.disclosed_bits
        assert made.private["disclosed_bits"].value.lower > made.disclosed_bits

    def test_how_exact_the_private_proof_is_does_not_show_how_many_cells_were_seen(self):
        """Of 128 cells 6 were seen, so the proof is in fractions; with 100 it would not be. Public files say alike."""
        rows = ["0000000"] * 5 + ["1111111"] * 4 + ["0101010"] * 3 + ["1010101"] * 6 + ["0011001"] * 2 + ["1100110"] * 5
        table = pa.table({f"c{i}": [row[i] for row in rows] for i in range(7)})
        release = disclose_columns(table, table.column_names)
        assert release.private["sample_leak_bits"].value == 0
        assert release.certificate["sample_leak_bits"].value == Interval(0.0, 1e-6)
        sf.verify(release.certificate, private=release.private)

    def test_numbers_of_records_beyond_reason_are_refused(self, made):
        for count in (0, 2**60, 10**6000):
            document = json.loads(made.certificate.to_json())
            document["subject"]["estimation"]["data_sets"] = count if count < 10**100 else "X"
            text = sealed(document).replace('"X"', "9" * 6000)
            with pytest.raises(SfumatoError):
                sf.Certificate.from_json(text)
        with pytest.raises(InvalidParameter, match="private must be a certificate, not str"):
            sf.verify(made.certificate, private="x")

    def test_a_hostile_shape_is_refused_quickly(self, made):
        subject = made.certificate.subject
        for bad in ((), (0, 3), (2,) * 10_001, (2**40, 2)):
            with pytest.raises(InvalidParameter, match="shape"):
                replace(subject, shape=bad)
        with pytest.raises(InvalidParameter, match="everything may be public"):
            replace(subject, estimation=Estimation())
        with pytest.raises(InvalidParameter, match="commitment"):
            PublicDisclosureSubject(
                shape=(2,), groups=((0,),), estimation=subject.estimation, commitment="sha256:" + "G" * 64
            )


@pytest.mark.parametrize(
    ("number", "lower", "upper"),
    [
        (0.0, 0.0, 0.0),
        (0.0001, 0.0, 0.01),
        (0.29, 0.29, 0.29),
        (0.57, 0.57, 0.57),
        (0.675, 0.67, 0.68),
        (0.999, 0.99, 1.0),
        (1.0, 1.0, 1.0),
        (1.0441, 1.0, 1.1),
        (9.99, 9.9, 10.0),
        (12.3, 12.0, 13.0),
        (3717.2, 3700.0, 3800.0),
    ],
)
def test_rounding_is_outwards_to_two_digits(number, lower, upper):
    found = outwards(Interval(number, number))
    assert found.lower <= number <= found.upper
    assert (found.lower, found.upper) == (lower, upper)
    assert is_outwards(found)
