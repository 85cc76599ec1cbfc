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
from disclosure.forged_disclosures import sealed
from disclosure.table_attacks import (
    NothingThere,
    counts_of_law,
    law_from_mapping,
    law_from_mapping_and_release,
    laws_in,
    multiset_from_masses,
    total_variation,
    walk,
)
from sfumato.certificates.certificate import NO_DIGEST
from sfumato.certificates.certifying import certify_subject
from sfumato.disclosure import DataLaw, Estimation, Origin, counted_law, optimum, public_certificate
from sfumato.disclosure.certificate import PublicDisclosureSubject, commitment_of, counted_estimation, made_subject
from sfumato.errors import (
    ClaimRefused,
    DigestMismatch,
    InvalidParameter,
    NotCertified,
    NotChecked,
    Refused,
    SfumatoError,
)
from sfumato.numbers import Interval
from sfumato.sampling import KeyedBits
from sfumato.workflows.disclosing import disclose_columns, disclose_rows
from sfumato.workflows.table_distributions import LawSource

THESE = LawSource(these_records=True)
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
    return disclose_columns(table_of(ONE), ["left", "right"], source=THESE, bits=BITS)


@pytest.fixture(scope="module")
def rows_made():
    return disclose_rows(table_of(ONE), "left", source=THESE, bits=BITS)


def blanked(release):
    """The public file with what may differ left out: the commitment, and the seal over it."""
    document = json.loads(release.certificate.to_json())
    document["digest"], document["subject"]["commitment"] = NO_DIGEST, "…"
    return document


SOURCES = {
    "these records": lambda: (LawSource(these_records=True), LawSource(these_records=True)),
    "other people": lambda: (LawSource(reference=table_of(OTHER)), LawSource(reference=table_of(ONE))),
}


@pytest.mark.parametrize("sources", SOURCES.values(), ids=SOURCES)
def test_public_files_of_two_tables_differ_in_the_commitment_alone(sources):
    """Equal shape, groups, n, m, a and β, laws far apart: nothing else tells one table from the other."""
    assert np.sum(ONE) == np.sum(OTHER)
    assert total_variation(law_of(ONE), law_of(OTHER)) >= 0.1
    tables = [table_of(counts) for counts in (ONE, OTHER)]
    one, other = (
        disclose_columns(table, ["left", "right"], source=source)
        for table, source in zip(tables, sources(), strict=True)
    )
    assert one.private.subject.law.masses != other.private.subject.law.masses
    assert one.private.subject.channel.rows != other.private.subject.channel.rows
    assert one.private["disclosed_bits"].value != other.private["disclosed_bits"].value
    assert one.figures != other.figures
    assert blanked(one) == blanked(other)
    assert one.certificate.subject.commitment != other.certificate.subject.commitment


def test_public_files_with_more_symbols_than_needed_are_alike():
    """The best mappings of these two have another number of symbols, and the public files do not show it."""
    tables = [table_of([[40, 10], [20, 30]]), table_of([[25, 25], [25, 25]])]
    found = [disclose_columns(table, ["left", "right"], source=THESE) for table in tables]
    assert blanked(found[0]) == blanked(found[1])
    assert {release.certificate.subject.symbols for release in found} == {2}


def test_public_files_of_two_columns_differ_in_the_commitment_alone():
    one, other = (disclose_rows(table_of(counts), "right", source=THESE) for counts in (ONE, OTHER))
    sums = [np.sum(counts, axis=0) / np.sum(counts) for counts in (ONE, OTHER)]
    assert total_variation(*sums) >= 0.1
    assert blanked(one) == blanked(other)


def test_the_commitment_differs_on_every_run(made):
    again = [
        disclose_columns(table_of(ONE), ["left", "right"], source=THESE, bits=KeyedBits(bytes(32))) for _ in range(3)
    ]
    commitments = {release.certificate.subject.commitment for release in (made, *again)}
    assert len(commitments) == 4
    assert len({release.private.subject.salt for release in (made, *again)}) == 4
    texts = {json.dumps(blanked(release)) for release in (made, *again)}
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
        found = law_from_mapping(stolen, (3, 3))
        assert total_variation(found, made.private.subject.law.array) < 1e-12
        counts = np.array(counts_of_law(map(Fraction, found.tolist()), stolen), dtype=float)
        assert np.abs(counts - np.array(ONE).ravel()).max() < 1e-8
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
        """Every leaf is at a place that is known to hold no function of the table."""
        places = (
            r"schema|digest|notes/.|sources/.*|subject/(shape|groups/.)/.|subject/estimation/(\w+|terms/\w+)"
            r"|subject/(commitment|symbols)"
        )
        words = r"claims/./(measure|relation|unit|status|because|sentence|value/lower|value/upper)"
        for release in (made, rows_made):
            document = json.loads(release.certificate.to_json())
            assert laws_in(document) == []
            for path, leaf in walk(document):
                if not isinstance(leaf, dict | list):
                    assert re.fullmatch(f"{places}|{words}", "/".join(map(str, path))), path
            assert [claim.measure for claim in release.certificate.claims] == [
                "leak_if_law_differs_bits",
                "sample_leak_bits",
            ]

    def test_nothing_but_symbols_is_released(self, made, tmp_path):
        """The table's own file, with whatever a writer might put beside the cells."""
        for name in ("release.parquet", "release.csv"):
            source = table_of(ONE)
            sf.disclose_table(
                source,
                protect=["left", "right"],
                distribution_from_these_records=True,
                out=tmp_path / name,
                registry=tmp_path / f"{name}.book",
                even_if_nothing=True,
            )
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
    from sfumato.sampling.samplers import RowDraws

    place = {cell: c for c, cell in enumerate(made.private.subject.channel.inputs)}
    rows = np.array([place[cell] for cell in cells])
    return RowDraws(made.private.subject.channel, 64).draw(KeyedBits(bytes(32)), rows)


class TestOrder:
    def test_codes_do_not_follow_first_appearance(self, made):
        """Whatever stands in the first row, cells and counts are the same."""
        table = table_of(ONE)
        laws, firsts = set(), set()
        for start in range(0, len(table), 20):
            turned = pa.concat_tables([table.slice(start), table.slice(0, start)])
            law = disclose_columns(turned, ["left", "right"], source=THESE).private.subject.law
            found = dict(zip(map(tuple, law.cells.tolist()), law.masses, strict=True))
            laws.add(tuple(found.items()))
            first = tuple(int(turned[name][0].as_py()[-1]) for name in ("left", "right"))
            firsts.add(first)
            added = made.private.subject.estimation.terms.smoothing
            assert found[first] == (ONE[first[0]][first[1]] + added) / (200 + 9 * added)
        assert len(laws) == 1
        assert len(firsts) > 3

    def test_dictionaries_of_a_file_do_not_matter(self):
        """A dictionary column lists its values in the order in which a program met them."""
        plain = table_of(ONE)
        coded = pa.table({name: plain[name].dictionary_encode() for name in plain.column_names})
        one, other = (disclose_columns(table, ["left", "right"], source=THESE) for table in (plain, coded))
        assert one.private.subject.law.masses == other.private.subject.law.masses

    def test_the_book_knows_a_column_by_any_dictionary(self, tmp_path):
        plain = table_of(ONE)
        texts = ["left2", "left0", "left1"]
        codes = pa.array([texts.index(text) for text in plain["left"].to_pylist()], pa.int8())
        coded = pa.table({"left": pa.DictionaryArray.from_arrays(codes, texts), "right": plain["right"]})
        sf.disclose_table(
            plain,
            protect=["left", "right"],
            distribution_from_these_records=True,
            out=tmp_path / "one.csv",
            registry=tmp_path / "book",
            even_if_nothing=True,
        )
        with pytest.raises(Refused, match="released before"):
            sf.disclose_table(
                coded,
                protect=["left"],
                samples="rows",
                distribution_from_these_records=True,
                out=tmp_path / "two.csv",
                registry=tmp_path / "book",
            )


class TestPrivateAndPublic:
    def test_the_private_one_proves_the_public_one(self, made, rows_made):
        for release in (made, rows_made):
            sf.verify(release.private)
            with pytest.raises(NotChecked, match="stated, not checked: the law is private"):
                sf.verify(release.certificate)
            sf.verify(release.certificate, opening=release.private)
            again = sf.Certificate.from_json(release.certificate.to_json())
            sf.verify(again, opening=sf.Certificate.from_json(release.private.to_json()))

    def test_the_commitment_is_what_it_says(self, made):
        from hashlib import sha256

        salt = json.loads(made.private.to_json())["subject"]["salt"]
        assert len(bytes.fromhex(salt)) == 32
        digest = sha256(bytes.fromhex(salt) + made.private.to_json().encode()).hexdigest()
        assert made.certificate.subject.commitment == f"sha256:{digest}" == commitment_of(made.private)

    def test_another_private_file_is_refused(self, made):
        again = disclose_columns(table_of(ONE), ["left", "right"], source=THESE)
        with pytest.raises(DigestMismatch, match="commits to"):
            sf.verify(made.certificate, opening=again.private)
        with pytest.raises(InvalidParameter, match="must be the private certificate"):
            sf.verify(made.certificate, opening=made.certificate)
        with pytest.raises(InvalidParameter, match="proves itself"):
            sf.verify(made.private, opening=made.private)

    @pytest.mark.parametrize(
        ("measure", "value"),
        [
            ("sample_leak_bits", Interval(0.0, 1e-7)),
            ("sample_leak_bits", Interval(0.0, 1e-6)),
            ("sample_leak_bits", Interval(0.01, 0.01)),
            ("sample_leak_bits", Interval(0.0, -0.0)),
            ("leak_if_law_differs_bits", Interval(0.0, 0.1)),
            ("leak_if_law_differs_bits", Interval(0.0, 0.5)),
            ("leak_if_law_differs_bits", Interval(0.0, 1.585)),
        ],
    )
    def test_numbers_that_no_such_file_has_are_refused(self, made, measure, value):
        claims = tuple(
            replace(claim, value=value) if claim.measure == measure else claim for claim in made.certificate.claims
        )
        with pytest.raises(ClaimRefused, match=f"^{measure}"):
            sf.verify(replace(made.certificate, claims=claims))

    def test_the_bound_is_checked_by_everybody(self, made):
        drift = made.certificate["leak_if_law_differs_bits"]
        assert drift.status == "certified"
        assert drift == made.private["leak_if_law_differs_bits"]
        assert drift.sentence.startswith("Nobody in these records is covered")
        assert made.certificate.claims[0] is drift

    def test_another_shape_group_or_number_of_records_is_refused(self, made):
        subject = made.certificate.subject
        for changed in (
            replace(subject, groups=((0,), (1,), (0, 1)), symbols=1),
            replace(subject, shape=(3, 4), symbols=7),
            replace(subject, estimation=replace(subject.estimation, records=10**6)),
        ):
            with pytest.raises(ClaimRefused):
                sf.verify(replace(made.certificate, subject=changed), opening=made.private)

    def test_a_declared_law_has_nothing_to_hide(self):
        law = [[Fraction(n, 200) for n in row] for row in ONE]
        release = disclose_columns(table_of(OTHER), ["left", "right"], source=LawSource(law=law))
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
        release = disclose_columns(
            table.append_column("told", told), ["left", "right"], "told", source=LawSource(law=law, these_records=True)
        )
        assert release.private is not None
        assert release.certificate.subject.estimation == Estimation(feature=Origin.RECORDS, records=200)
        sf.verify(release.certificate, opening=release.private)

    def test_a_declared_law_may_know_values_that_never_came_up(self):
        coins = pa.table({"coin": ["tails", "heads", "heads", "tails", "tails"]})
        law = sf.Distribution([Fraction(1, 3)] * 3, ["tails", "rim", "heads"])
        release = disclose_rows(coins, "coin", source=LawSource(law=law))
        assert release.certificate.subject.law.shape == (3, 3)
        sf.verify(release.certificate)
        with pytest.raises(InvalidParameter, match="no probability for 1 of the values"):
            disclose_rows(coins, "coin", source=LawSource(law=sf.Distribution([Fraction(1, 2)] * 2, ["heads", "rim"])))

    def test_samples_must_be_independent_to_be_estimated_as_such(self):
        one = counted_law([6, 4])
        law = DataLaw.independent(sf.Distribution(one.masses), 2)
        estimation = counted_estimation(Origin.RECORDS, 10, 2, samples=10)
        subject = made_subject(optimum(law), estimation)
        assert certify_subject(subject)["leak_if_law_differs_bits"].value.upper >= 1
        other = DataLaw.of([[Fraction(1, 2), 0], [0, Fraction(1, 2)]])
        channel = sf.Channel([[1], [1]], [(0, 0), (1, 1)])
        with pytest.raises(NotCertified, match="not that of independent samples"):
            certify_subject(replace(subject, law=other, channel=channel))

    def test_a_law_that_is_not_smoothed_has_no_bound(self):
        counted = [[Fraction(n, 200) for n in row] for row in ONE]
        with pytest.raises(NotCertified, match="added in each cell"):
            sf.certify(optimum(counted), estimated_from=200)
        with pytest.raises(NotCertified, match="leaves out cells"):
            sf.certify(optimum([[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 4), 0]]), estimated_from=4)
        with pytest.raises(NotCertified, match="added in each cell"):
            sf.certify(optimum(counted_law(ONE)), estimated_from=199)

    def test_neither_law_nor_mapping_nor_salt_is_in_a_repr(self, made):
        shown = repr(made) + repr(made.private.subject)
        assert made.private.subject.salt not in shown
        for mass in made.private.subject.law.masses:
            assert f"Fraction({mass.numerator}, {mass.denominator})" not in shown
        assert "masses" not in shown

    @pytest.mark.slow
    def test_a_large_table_is_proved_up_to_rounding(self):
        """Of 128 cells 6 were seen; all of them have rows, and the public file says the same of every such table."""
        rows = ["0000000"] * 5 + ["1111111"] * 4 + ["0101010"] * 3 + ["1010101"] * 6 + ["0011001"] * 2 + ["1100110"] * 5
        table = pa.table({f"c{i}": [row[i] for row in rows] for i in range(7)})
        release = disclose_columns(table, table.column_names, source=THESE, seconds=20)
        assert release.private.subject.law.size == 128
        assert release.certificate["sample_leak_bits"].value == Interval(0.0, 1e-6)
        assert "At most 1e-06 bits if the law is p̂" in release.certificate.claims[0].sentence
        sf.verify(release.certificate, opening=release.private)

    def test_numbers_of_records_beyond_reason_are_refused(self, made):
        for count in (0, 2**60, 10**6000):
            document = json.loads(made.certificate.to_json())
            document["subject"]["estimation"]["records"] = count if count < 10**100 else "X"
            text = sealed(document).replace('"X"', "9" * 6000)
            with pytest.raises(SfumatoError):
                sf.Certificate.from_json(text)
        with pytest.raises(InvalidParameter, match="opening must be a certificate, not str"):
            sf.verify(made.certificate, opening="x")

    def test_a_hostile_shape_is_refused_quickly(self, made):
        subject = made.certificate.subject
        for bad in ((), (0, 3), (2,) * 10_001, (2**40, 2)):
            with pytest.raises(InvalidParameter, match="shape"):
                replace(subject, shape=bad)
        with pytest.raises(InvalidParameter, match="everything may be public"):
            replace(subject, estimation=Estimation())
        with pytest.raises(InvalidParameter, match="commitment"):
            PublicDisclosureSubject(
                shape=(2,), groups=((0,),), symbols=1, estimation=subject.estimation, commitment="sha256:" + "G" * 64
            )
