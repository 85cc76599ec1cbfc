"""Real files of every kind, as bytes, made by the library itself; made once a process."""

import contextlib
import io
import json
import random
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

import published_parts
import sfumato as sf
from certificates.honest_certificates import MAKERS
from kind_samples import SAMPLES
from sample_files import FULL, GOOD
from sfumato.keys.key_documents import seal_key
from sfumato.keys.protection import Passphrase, PrivateKey, Unprotected
from sfumato.keys.sealed_files import People, PeopleIndex, seal_index, seal_private_key
from sfumato.ladders import Binding, Ladder, split_key
from sfumato.ledger import Assumption, Ledger, information, local, perfect_samples, recoverable
from sfumato.recoverable import Query, best_answer, design_responses
from sfumato.recoverable.query_files import QueryDesign, write_query_design
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.study.collection import StoredRow, collection_of
from sfumato.study.file import as_toml
from sfumato.workflows.collecting import export_part
from sfumato.workflows.disclosing import disclose_table
from sfumato.workflows.responding import DeviceMemory, respond, respond_all
from small_studies import answers, small_study

WORDS = "correct horse battery staple"
CHEAP = Passphrase(WORDS, memory_kib=8, passes=1, lanes=1)
PRIVATE = PrivateKey(bytes(range(32)))
ROWS = 40


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def parquet(columns, **options):
    sink = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), sink, **options)
    return sink.getvalue()


@cache
def pages():
    """A small page, which carries a certificate."""
    return [sf.certify(sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [0, 1]])).to_html().encode()]


@cache
def certificates():
    """Two of each kind, and those of a disclosure whose law is private."""
    dice = random.Random(5)  # noqa: S311  a seeded soak, no secret
    found = [maker(dice).to_json().encode() for maker in MAKERS for _ in range(2)]
    with folder() as here:
        table = pa.table({"a": [i % 3 for i in range(60)], "b": [(i * i) % 4 for i in range(60)]})
        disclose_table(
            table,
            out=here / "d.csv",
            protect=["a", "b"],
            distribution_from_these_records=True,
            registry=here / "registry",
            seconds=5,
            even_if_nothing=True,
        )
        found += [Path(f"{here / 'd.csv'}{end}").read_bytes() for end in (".certificate.json", ".PRIVATE.json")]
    return tuple(found)


@cache
def publication():
    study = small_study()
    return sf.publish(study, answers(ROWS), bits=InsecureSeeded(3), keep=["region"])


@cache
def reports(extension):
    """Public and opened reports, and those of every way; a CSV has its note in a file of its own."""
    made = publication()
    found = [made.reports, sf.open_reports(made.reports, [keys[1] for keys in made.keys.values() if 1 in keys])]
    for place, sample in enumerate(SAMPLES):
        few = sample.table.slice(0, ROWS)
        found.append(sf.publish(sample.study, few, bits=InsecureSeeded(100 + place)).reports)
    files = []
    with folder() as here:
        for number, one in enumerate(found):
            path = here / f"{number}.{extension}"
            one.write(path)
            beside = Path(f"{path}.about.json")
            files.append((path.read_bytes(), beside.read_bytes() if beside.exists() else b""))
    return tuple(files)


@cache
def living():
    """The files of a publication in a folder, by name: people were added, one was corrected and one erased."""
    study = record_study(recover=True)
    with folder() as here:
        given = {"out": here / "reports", "keys": here / "keys", "protection": Unprotected()}
        sf.publish(study, answers(ROWS), insecure_seed=9, **given)
        sf.publish(study, answers(5), append=True, insecure_seed=10, **given)
        part = next(one.id for one in sf.Reports.read(here / "reports").note.parts)
        sf.amend(study, {"part": [part, part], "row": [3, 4], "place": ["west", "west"]}, insecure_seed=11, **given)
        sf.erase(here / "reports", rows=[(part, 4)], keys=here / "keys", unlock=Unprotected())
        files = [path for path in sorted((here / "reports").iterdir()) if not path.name.endswith(".codebook.md")]
        return {path.name: path.read_bytes() for path in files}


def manifests():
    return (living()["publication.json"],)


def notes():
    """Of a part, of one that was appended, of an amendment, and of what was opened."""
    return (*(data for name, data in living().items() if name.endswith(".about.json")), reports("csv")[1][1])


@cache
def indexes():
    people = People({"Ä 1": 0, "p-2": 1, "x": 40})
    index = PeopleIndex(study="ab" * 32, part="0123456789abcdef" * 2, column="person", people=people)
    return tuple(seal_index(index, lock) for lock in (Unprotected(), CHEAP, PRIVATE, PRIVATE.public))


@cache
def collection(mode="anonymous"):
    """A study of one question and one analyst, whose private key is the one of this file."""
    study = sf.Study(
        name="Rest",
        questions=(sf.YesNo(id="tired", text="Tired?"),),
        analysts=(sf.Analyst(name="press", epsilon=Fraction(2), public_key="press.pub"),),
        public_epsilon=Fraction(1),
        collect=sf.study.CollectTerms(mode=mode),
    )
    with folder() as here:
        (here / "press.pub").write_bytes(PRIVATE.public.to_pem())
        return collection_of(study, here)


@cache
def collections():
    return tuple(json.dumps(collection(mode).to_document()).encode() for mode in ("anonymous", "panel"))


@cache
def devices():
    """The memory of a device after a wave and after three."""
    found = []
    with folder() as here:
        for wave in (1, 2, 3):
            memory = DeviceMemory(here / "memory")
            respond(collection().at_wave(wave), {"tired": "no" if wave == 2 else "yes"}, memory=memory)
            found.append((here / "memory").read_bytes())
    return tuple(found)


@cache
def shares():
    asked = collection()
    sent = sorted(respond_all(asked, [{"tired": "yes"}] * ROWS), key=lambda one: one.id)
    rows = [
        StoredRow(id=one.id, credential=bytes(32), row=one.row, shares=asked.join_shares(one.shares)) for one in sent
    ]
    with folder() as here:
        return (export_part(asked, rows, here / "out").shares["press"].read_bytes(),)


@cache
def keys():
    """Key files: draws, a seed and seeds of blocks, under every protection."""
    small = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True)
    flips = Ladder.of_flips(size=2, epsilons=(2.0, 1.0), recover=True)
    bound = Binding(study="Überstunden", question="q1", column="hours", epoch=3)
    found = []
    for place, ladder in enumerate((small, flips)):
        true = ladder.draw_keys(ROWS, InsecureSeeded(5 + place), binding=bound)
        seeds = ladder.draw_keys(9000, InsecureSeeded(8 + place), guarantee=Guarantee.COMPUTATIONAL, binding=bound)
        found += [true[0], true[1], seeds[1], *split_key(seeds[0], ladder, [4096])[:1]]
    plain = [seal_key(key, Unprotected()) for key in found]
    return tuple(plain) + tuple(seal_key(found[1], lock) for lock in (CHEAP, PRIVATE, PRIVATE.public))


@cache
def private_keys():
    return tuple(seal_private_key(PRIVATE, lock) for lock in (Unprotected(), CHEAP))


@cache
def pems():
    """A private key in PEM, which is read without a passphrase only."""
    from cryptography.hazmat.primitives import serialization as pem

    return (PRIVATE.loaded().private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption()),)


@cache
def ledgers():
    with folder() as here:
        Ledger.create(here / "new", epsilon=3)
        full = Ledger.create(here / "full", budget_bits=9, epsilon=Fraction(10), leakage_bits=12)
        first = full.spend(information("Mean", Fraction(1, 2), epsilon=1, leakage_bits=2), release_id="mean-1")
        full.settle(first)
        full.spend(local("Survey of homes", Fraction(7, 10), worst_case_bits=1, leakage_bits=1))
        full.spend(information("Ω", 1, epsilon=1, leakage_bits=1))
        rows = Ledger.create(here / "rows", budget_bits=9)
        rows.spend(perfect_samples("Table", rows_id=["a", "b"], worst_case_bits=3))
        office = Ledger.create(here / "office", epsilon=9, per="quarter", epsilon_per_period=3)
        for name in ("South", "North"):
            office.spend(local(f"Survey of the {name}", 1, people=name))
        cost = (Fraction(1), Fraction(1), Fraction(1))
        office.settle(office.spend(published_parts.reports(1, cost)))
        office.void(office.spend(published_parts.reports(2, cost, of=1)), "never left staging")
        office.spend(published_parts.reports(3, cost, of=1, amends=1))
        leaks = Ledger.create(here / "leaks", leakage_bits=5)
        leaks.spend(recoverable("Answers", 1, worst_case_bits=2, rho=Fraction(9, 10)))
        noisy = Ledger.create(here / "noisy", budget_bits=20, correlated=2)
        for correlated in (1, 3):
            design = sf.noise.private_count(99, 1, correlated, steps=8)
            assumption = Assumption(correlated=design.correlated, reaccounting=design.reaccounting)
            noisy.spend(information("Count", design.capacity_bits.upper, assumption=assumption))
        made = tuple((here / name).read_bytes() for name in ("full", "office", "rows", "leaks", "noisy", "new"))
    return (*made, released()[1])


@cache
def released():
    """The record of a study that was published twice, and the ledger that paid for it."""
    with folder() as here:
        sf.write_study(record_study(), here / "study.toml")
        Ledger.create(here / "people", epsilon=20)
        for name in (None, "second wave"):
            sf.publish(here / "study.toml", answers(ROWS), out=here / f"{name}.csv", ledger=here / "people", again=name)
        return (here / "releases.json").read_bytes(), (here / "people").read_bytes()


def record_study(*, recover=False):
    return small_study(questions=small_study().questions[:2], recover=recover, analysts=())


@cache
def studies():
    made = [as_toml(FULL), GOOD, *(as_toml(sample.study) for sample in SAMPLES)]
    short = 'schema = "sfumato/study/2"\nname = "Overtime"\nquestion = "Overtime?"\nguess_error = 0.375\n'
    return tuple(text.encode() for text in (*made, short))


@cache
def dictionaries():
    """Long lists: with and without a byte order mark, with both ends of lines, in several alphabets."""
    texts = ["Müller", "O'Brien", "de la Cruz", "Ólafsdóttir", "Nguyễn", "王", "А.", "01234", "I21.9 acute", "x" * 100]
    plain = "".join(f"{text}\n" for text in texts)
    return plain.encode(), b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode(), "\n".join(texts).encode()


@cache
def designs():
    """Designs of one answer and of several."""
    prior = sf.Distribution([Fraction(1, 4)] * 4, ["O+", "O-", "A+", "A-"])
    query = Query.of(prior, ("O", "O", "A", "A"), Fraction(9, 10))
    one, many = best_answer(query), design_responses(query, 2, starts=1)
    made = (
        QueryDesign(name=one.name, query=query, channels=(one.channel,), privacy=one.privacy, converse=one.privacy),
        QueryDesign(
            name=many.name, query=query, channels=many.channels, privacy=Fraction(many.privacy.lower),
            converse=many.converse,
        ),
    )  # fmt: skip
    with folder() as here:
        for number, design in enumerate(made):
            write_query_design(design, here / f"{number}")
        return tuple((here / f"{number}").read_bytes() for number in range(len(made)))


TYPED_CSV = (
    b"debt,region,n\nyes,hill,3\nno,coast,4\nyes,coast,1\n",
    b"debt;region;n\nyes;hill;3\n",
)
TABLES_CSV = (
    b"value,probability,tell,hide\nO+,0.3,O,a\nA+,1/5,A,a\nB+,.5,B,b\n",
    b"value\ttell\n1\tx\n2\ty\n",
    'value;tell\n"a;b";ä\nc;"d ""e"""\n'.encode(),
)
# Where decimals have a comma, a number with a point is refused: none of these has one.
TABLES_LATIN = (*TABLES_CSV[1:], "value;n\nä;3,5\né;1\n".encode("latin-1"))


def workbooks():
    """A sheet with texts, numbers and a formula, and one of two sheets."""
    made = []
    for sheets in (1, 2):
        book = openpyxl.Workbook()
        for line in (["value", "tell"], ["O+", 1], ["A+", 2.5], [True, "x"]):
            book.active.append(line)
        for number in range(sheets - 1):
            book.create_sheet(f"more {number}").append(["a"])
        sink = io.BytesIO()
        book.save(sink)
        made.append(sink.getvalue())
    return tuple(made)


def statistics(suffix):
    """A file of SPSS or Stata with codes, labels, decimals, texts and gaps."""
    frame = pd.DataFrame({"voted": [1.0, 2.0, None], "age": [30.5, 41.0, 22.0], "town": ["Bern", "", "Wil"]})
    full = frame.fillna(1.0).assign(town="Bern")
    write, code = (pyreadstat.write_dta, int) if suffix == ".dta" else (pyreadstat.write_sav, float)
    made = []
    with folder() as here:
        for one in (frame, full):
            write(one, here / f"t{suffix}", variable_value_labels={"voted": {code(1): "yes", code(2): "no"}})
            made.append((here / f"t{suffix}").read_bytes())
    return tuple(made)


def typed_parquet():
    table = {"debt": ["yes", "no", "yes"], "region": ["hill", "coast", "hill"], "n": [1, 2, 3]}
    return (parquet(table), parquet({**table, "n": np.array([1, 2, 3], dtype=np.int8)}, compression="none"))


def tables_parquet():
    return (
        parquet({"value": ["O+", "A+"], "probability": ["1/3", "2/3"], "tell": ["O", "A"]}, write_page_checksum=True),
        parquet({"value": [1, 2, 3], "tell": ["x", "y", "x"]}, compression="none"),
        parquet({"value": [1.0, 2.0], "tell": [True, False]}, compression="zstd"),
    )
