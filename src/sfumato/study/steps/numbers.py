"""Releasing a number, a yes or no, or one of several answers with calibrated noise: drawn, paid for, written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from sfumato.bits import BitSource, SystemBits
from sfumato.certificates import Certificate
from sfumato.errors import InvalidParameter
from sfumato.files import write_atomically
from sfumato.io.noise_files import write_noisy
from sfumato.study.charging import release_of_noise
from sfumato.study.steps.paying import ledger_of, paid, probe, source_of
from sfumato.study.studies import Study
from sfumato.values import Guarantee, Interval


class NoiseDesign(Protocol):
    """Anything that answers with noise and knows what that tells."""

    @property
    def capacity_bits(self) -> Interval:
        """What one release tells at most about anyone."""

    @property
    def certificate(self) -> Certificate | None:
        """The claims about it; None where nothing more is claimed than the capacity."""

    def release(self, value: Any, bits: BitSource | None = None) -> Any:
        """Answer with noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyAnswer:
    """What may be given out: `value` as people read it, and where it and its certificate were written.

    `source` says where the draws came from; `insecure` answers come from a seed that anyone can repeat.
    """

    value: float | str
    exact: Fraction | None
    capacity_bits: float
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
) -> NoisyAnswer:
    """Answer with the noise of a design, debit the ledger, and write the answer, its certificate first.

    The true `value` is in no error and in no file. Yes or no are True and False.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "mean.json"
    >>> told = sf.release_noise(sf.design.gaussian(low=0, high=10, budget_bits=0.5), 4.2, out=out, insecure_seed=7)
    >>> out.exists()
    True
    """
    book = ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, book) or SystemBits()
    target = Path(out)
    sealed = design.certificate
    beside = None if sealed is None else Path(f"{target}.certificate.json")
    probe(target, beside)
    found = design.release(value, source)
    told = {**_told(found), "source": source.label, "insecure": source.guarantee is Guarantee.NONE}
    if beside is not None:
        told["certificate"] = str(beside)
    price = design.capacity_bits.upper
    with paid(book, None if book is None else release_of_noise(f"{title}, {target.name}", price)):
        if beside is not None and sealed is not None:
            write_atomically(beside, sealed.to_json())
        write_noisy(target, {**told, "capacity_bits": price})
    return NoisyAnswer(
        value=told["value"],
        exact=found if isinstance(found, Fraction) else None,
        capacity_bits=price,
        out=target,
        source=told["source"],
        insecure=told["insecure"],
        certificate=beside,
        document=told,
    )


def _told(found: object) -> dict[str, Any]:
    if isinstance(found, bool):
        return {"value": "yes" if found else "no"}
    if isinstance(found, Fraction):
        return {"value": float(found), "exact": str(found)}
    if isinstance(found, tuple):
        raise InvalidParameter("answers with several numbers", parameter="design", way_out="Release them one by one.")
    return {"value": str(found)}
