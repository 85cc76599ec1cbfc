"""Releasing numbers and answers with calibrated noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from sfumato.certificates.certificate import Certificate
from sfumato.errors import InvalidParameter
from sfumato.files.disk import write_atomically
from sfumato.ledger.dependence import Assumption, correlation_json
from sfumato.measures.dependence import Correlation
from sfumato.noise.private_data import write_noisy
from sfumato.noise.reaccounting import Reaccounting
from sfumato.noise.usefulness import check_useful
from sfumato.numbers.intervals import Interval
from sfumato.publications.registry import ledger_of
from sfumato.sampling.sources import BitSource, Guarantee, SystemBits
from sfumato.study.planning import release_of_noise
from sfumato.study.study import Study
from sfumato.workflows.releasing import paid, probe, source_of


class NoiseDesign(Protocol):
    """A design of noise with the bits that it discloses."""

    @property
    def capacity_bits(self) -> Interval:
        """The most that one release discloses about a person."""

    @property
    def certificate(self) -> Certificate | None:
        """The claims about it; None where nothing more is claimed than the capacity."""

    @property
    def correlated(self) -> Correlation:
        """Who may depend on whom for that to hold."""

    @property
    def reaccounting(self) -> Reaccounting:
        """The data to compute again what a release discloses, under another assumption."""

    def release(self, value: Any, bits: BitSource | None = None) -> Any:
        """Answer with noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyAnswer:
    """What may be given out: `value` as people read it, and where it and its certificate were written.

    `source` says where the draws came from; `insecure` answers come from a seed that anyone can repeat. Several numbers
    have a name each. `correlated` says who may depend on whom for the bits to hold.
    """

    value: float | str | Mapping[str, float]
    exact: Fraction | Mapping[str, Fraction] | None
    capacity_bits: float
    correlated: Correlation
    out: Path
    source: str
    insecure: bool
    certificate: Path | None = None
    document: Mapping[str, Any] = field(default_factory=dict)


def release_noise(
    design: NoiseDesign,
    value: Any,
    *,
    out: str | Path,
    title: str = "answer",
    study: Study | str | Path | None = None,
    ledger: str | Path | None = None,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    names: Sequence[str] | None = None,
    allow_useless: bool = False,
) -> NoisyAnswer:
    """Answer with the noise of a design, debit the ledger, and write the answer, its certificate first.

    The true `value` is in no error and in no file. Yes or no are True and False. Several numbers are written under
    their `names`, as JSON, or as a table where `out` ends in .csv. The ledger notes who may depend on whom. Noise with
    which a guess without the data is as good is refused unless `allow_useless`; from half as much on it warns
    (`NoisyReleaseWarning`).

    Returns:
        The noisy answer, with what was assumed.

    Raises:
        InvalidParameter: the value lies outside of the range.
        UselessRelease: the standard deviation of the noise is at least half the width of what the answer can be.
        BudgetSpent: the ledger has not enough left.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "mean.json"
    >>> told = sf.release_noise(sf.noise.gaussian(low=0, high=10, budget_bits=1), 4.2, out=out, insecure_seed=7)
    >>> out.exists()
    True
    """
    book = ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, book) or SystemBits()
    target = Path(out)
    sealed = design.certificate
    beside = None if sealed is None else Path(f"{target}.certificate.json")
    probe(target, beside)
    check_useful(design, allow_useless=allow_useless)
    found = _named(design.release(value, source), names)
    told = {**_told(found), "source": source.label, "insecure": source.guarantee is Guarantee.NONE}
    told["correlated"] = correlation_json(design.correlated)
    if beside is not None:
        told["certificate"] = str(beside)
    price = design.capacity_bits.upper
    bill = None
    if book is not None:
        assumption = Assumption(correlated=design.correlated, reaccounting=design.reaccounting)
        bill = release_of_noise(f"{title}, {target.name}", price, assumption)
    with paid(book, bill):
        if beside is not None and sealed is not None:
            write_atomically(beside, sealed.to_json())
        write_noisy(target, {**told, "capacity_bits": price})
    return NoisyAnswer(
        value=told["value"],
        exact=found if isinstance(found, Fraction | dict) else None,
        capacity_bits=price,
        correlated=design.correlated,
        out=target,
        source=told["source"],
        insecure=told["insecure"],
        certificate=beside,
        document=told,
    )


def _named(found: Any, names: Sequence[str] | None) -> Any:
    """Give several numbers their names, or numbers from 1."""
    if not isinstance(found, tuple):
        return found
    named = tuple(names or map(str, range(1, len(found) + 1)))
    if len(set(named)) < len(named) or len(named) != len(found):
        raise InvalidParameter(
            f"must be {len(found)} different words, one for each number", parameter="names", way_out="Name as many."
        )
    return dict(zip(named, found, strict=True))


def _told(found: object) -> dict[str, Any]:
    if isinstance(found, bool):
        return {"value": "yes" if found else "no"}
    if isinstance(found, Fraction):
        return {"value": float(found), "exact": str(found)}
    if isinstance(found, dict):
        return {
            "value": {name: float(number) for name, number in found.items()},
            "exact": {name: str(number) for name, number in found.items()},
        }
    return {"value": str(found)}
