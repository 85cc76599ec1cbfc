"""Who receives shares of a study that is collected over the web, and the files of their public keys."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused, Place
from sfumato.io.share_key_files import read_share_public
from sfumato.refine.sealed_shares import Kem
from sfumato.study.audience import REGISTRAR
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.collections import Receiver, can_recover
from sfumato.study.studies import Study


def levels_of(study: Study) -> dict[str, dict[str, int]]:
    """Return by receiver what they open, by question; analysts who see what the public sees receive nothing."""
    found: dict[str, dict[str, int]] = {}
    for analyst in study.analysts:
        mine = {way.question.id: way.level_of(analyst) for way in study.ways if way.level_of(analyst) in way.key_levels}
        if mine:
            found[analyst.name] = mine
    if can_recover(study):
        mine = {way.question.id: 0 for way in study.column_ways if 0 in way.key_levels}
        if mine:
            found[REGISTRAR] = mine
    return found


def receivers_of(study: Study, folder: Path | None) -> tuple[Receiver, ...]:
    """Return who receives what, with their public keys; an analyst without a key is refused."""
    kem = Kem((study.collect or CollectTerms()).kem)
    files = {analyst.name: analyst.public_key for analyst in study.analysts} | {REGISTRAR: study.registrar_key}
    found = []
    for name, levels in levels_of(study).items():
        raw = read_share_public(_file_of(name, files[name], folder), kem)
        found.append(Receiver(name=name, kem=kem, public_key=raw, levels=levels))
    keys = {one.public_key for one in found}
    if len(keys) < len(found):
        raise KeyRefused(
            "two receivers have the same public key, so that each would see what is the other's",
            way_out="Make a key pair for each.",
        )
    return tuple(found)


def _file_of(name: str, file: str | None, folder: Path | None) -> Path:
    if file is None:
        is_registrar = name == REGISTRAR
        raise InvalidParameter(
            f"is missing for {name}: over the web, devices seal what {name} may open, and need a key for that",
            parameter="public_key",
            way_out=f"Make a pair with `sfumato keys pair`, and name its public file as public_key under "
            f"{'[registrar]' if is_registrar else '[[analysts]]'}.",
            place=Place(table="registrar" if is_registrar else "analysts"),
        )
    return (folder or Path()) / file
