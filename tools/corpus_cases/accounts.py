"""Small worked examples of accounts, with every number in full."""

import tempfile
from fractions import Fraction
from pathlib import Path

import sfumato as sf
from corpus_cases.record import case


@case("accounts/assumption (kind)")
def _assumption_kind() -> object:
    noted: list[object] = []
    noise = sf.noise.private_mean(0, 100, 1000, budget_bits=0.1, correlated="nobody")
    assumed = sf.ledger.Assumption(correlated=noise.correlated, reaccounting=noise.reaccounting)
    for said in ("nobody", 5):
        noted.append((said, float(assumed.bits_under(sf.measures.Correlation.of(said)))))
    return noted


@case("accounts/book (kind)")
def _book_kind() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
    book = ledger.read()
    noted.append(
        ([entry.release.title for entry in book.live], str(book.spent.epsilon), str(book.standing.left.epsilon))
    )
    return noted


@case("accounts/charges (kind)")
def _charges_kind() -> object:
    noted: list[object] = []
    first = sf.ledger.Charges(bits=Fraction(1, 2), epsilon=Fraction(1))
    both = first + sf.ledger.Charges(bits=Fraction(1, 4), epsilon=Fraction(1))
    noted.append((str(both.bits), str(both[sf.ledger.Currency.EPSILON]), both.leakage_bits))
    noted.append(str(both.left_of(sf.ledger.Charges(bits=Fraction(2))).bits))
    return noted


@case("accounts/composed (kind)")
def _composed_kind() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    found = sf.ledger.compose([told, told], [2])
    noted.append(([part.upper for part in found.parts], found.bound, found.joint.upper))
    return noted


@case("accounts/counting (kind)")
def _counting_kind() -> object:
    noted: list[object] = []
    noise = sf.noise.private_mean(0, 100, 1000, budget_bits=0.1, correlated=5)
    assumed = sf.ledger.Assumption(correlated=noise.correlated, reaccounting=noise.reaccounting)
    first = sf.ledger.Counting().with_release(assumed, is_local=False)
    noted.append((sf.ledger.Counting().words, first.words))
    return noted


@case("accounts/currency (kind)")
def _currency_kind() -> object:
    noted: list[object] = []
    noted.append([currency.words("1") for currency in sf.ledger.Currency])
    noted.append([currency.value for currency in sf.ledger.Currency if currency.is_own])
    return noted


@case("accounts/entry (kind)")
def _entry_kind() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    noted.append(ledger.settle(ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))))
    entry = ledger.entries()[0]
    noted.append((entry.release.title, str(entry.charges.epsilon), entry.settled is not None, entry.voided))
    return noted


@case("accounts/kind (kind)")
def _kind_kind() -> object:
    noted: list[object] = []
    noted.append(sf.ledger.local("Health survey", 1).kind.value)
    noted.append(sf.ledger.Kind.RECOVERABLE.how_it_adds.partition(".")[0])
    return noted


@case("accounts/ledger (kind)")
def _ledger_kind() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
    noted.append(ledger.settle(receipt))
    noted.append((str(ledger.left.bits), str(ledger.left.epsilon)))
    noted.append(sf.ledger.Ledger(ledger.path).entries()[0].release.title)
    return noted


@case("accounts/parallel (kind)")
def _parallel_kind() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    found = sf.ledger.compose_parallel([told, told], [[2], [2]])
    noted.append((found.joint.upper, found.excess.lower))
    return noted


@case("accounts/per (kind)")
def _per_kind() -> object:
    noted: list[object] = []
    noted.append([(per.value, per.months) for per in sf.ledger.Per])
    return noted


@case("accounts/period (kind)")
def _period_kind() -> object:
    noted: list[object] = []
    spring = sf.ledger.Period(per=sf.ledger.Per.QUARTER, number=4 * 2026 + 1)
    noted.append((spring.name, spring.end))
    return noted


@case("accounts/published (kind)")
def _published_kind() -> object:
    noted: list[object] = []
    column = sf.ledger.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
    seen = (("public", "1.0"),)
    part = sf.ledger.Published(
        study="Health", fingerprint="c" * 64, epoch=0, rows=2, columns=(column,), seen=seen, part="d" * 32
    )
    noted.append((part.role.value, part.publication == part.part))
    try:
        noted.append(part.check_once([part]))
    except sf.errors.ReleasedBefore as error:
        noted.append(error.rule.partition(",")[0])
    return noted


@case("accounts/published column (kind)")
def _published_column_kind() -> object:
    noted: list[object] = []
    column = sf.ledger.PublishedColumn(question="smokes", drawing="a" * 64, digest="b" * 64)
    noted.append((column.question, column.drawing[:4]))
    return noted


@case("accounts/receipt (kind)")
def _receipt_kind() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    survey = sf.ledger.local("Health survey", 1, worst_case_bits=1)
    first = ledger.spend(survey, release_id="health-2026")
    again = ledger.spend(survey, release_id="health-2026")
    noted.append((first.number, first.is_new, again.is_new, again == first))
    return noted


@case("accounts/release (kind)")
def _release_kind() -> object:
    noted: list[object] = []
    release = sf.ledger.information("Mean income", 0.5)
    noted.append((release.kind.value, str(release.charges.bits), release.charges.epsilon))
    return noted


@case("accounts/role (kind)")
def _role_kind() -> object:
    noted: list[object] = []
    part = sf.ledger.Role.AMEND
    noted.append((part.value, [role.value for role in sf.ledger.Role]))
    return noted


@case("accounts/standing (kind)")
def _standing_kind() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
    standing = ledger.read().standing
    noted.append((str(standing.spent.epsilon), str(standing.left.epsilon), standing.left.leakage_bits, standing.period))
    return noted


@case("accounts/two data sets (kind)")
def _two_data_sets_kind() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    found = sf.ledger.compose_two_data_sets(told, [2], told, [2])
    noted.append([bits.upper for bits in (*found.own, *found.other, *found.whole)])
    noted.append((found.bound, found.printed_bound))
    return noted


@case("accounts/compose")
def _compose() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    for times in (1, 2, 3):
        found = sf.ledger.compose([told] * times, [2])
        noted.append((times, found.bound, found.joint.upper))
    return noted


@case("accounts/compose parallel")
def _compose_parallel() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    found = sf.ledger.compose_parallel([told, told], [[2], [2]])
    noted.append(([part.upper for part in found.parts], found.joint.upper))
    return noted


@case("accounts/compose two data sets")
def _compose_two_data_sets() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    found = sf.ledger.compose_two_data_sets(told, [2], told, [2])
    noted.append((found.own[0].upper, found.other[0].upper, found.bound))
    return noted


@case("accounts/cross capacity bits")
def _cross_capacity_bits() -> object:
    noted: list[object] = []
    sums = sf.Channel([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    for values in (1, 2, 3):
        noted.append((values, sf.ledger.cross_capacity_bits(sums, values).upper))
    return noted


@case("accounts/group bound bits")
def _group_bound_bits() -> object:
    noted: list[object] = []
    noted.append(sf.ledger.group_bound_bits(0.25, 4))
    return noted


@case("accounts/information")
def _information() -> object:
    noted: list[object] = []
    release = sf.ledger.information("Mean income", 0.5, epsilon=1)
    noted.append((str(release.charges.bits), str(release.charges.epsilon), release.charges.leakage_bits))
    return noted


@case("accounts/joint of two data sets")
def _joint_of_two_data_sets() -> object:
    noted: list[object] = []
    told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    both = sf.ledger.joint_of_two_data_sets(told, [2], told, [2])
    noted.append((both.lower, both.upper))
    return noted


@case("accounts/local")
def _local() -> object:
    noted: list[object] = []
    release = sf.ledger.local("Health survey", 1, worst_case_bits=1)
    noted.append((str(release.charges.bits), str(release.charges.epsilon), float(release.charges.leakage_bits)))
    return noted


@case("accounts/perfect samples")
def _perfect_samples() -> object:
    noted: list[object] = []
    ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2)
    parities = sf.ledger.perfect_samples("Parities", rows_id="column ab12", worst_case_bits=1)
    receipt = ledger.spend(parities)
    try:
        noted.append(ledger.spend(parities))
    except sf.errors.BudgetSpent as error:
        noted.append(error.rule.partition(",")[0])
    return noted


@case("accounts/recoverable")
def _recoverable() -> object:
    noted: list[object] = []
    release = sf.ledger.recoverable("Ward lists", 0.5, rho=0.9)
    noted.append((str(release.charges.leakage_bits), release.charges.bits, release.notes))
    return noted
