"""What is said of a study that is collected over the web: to respondents, in its note and beside its certificate."""

from __future__ import annotations

from sfumato.study.collect_terms import Mode
from sfumato.study.collections import Collection, can_recover
from sfumato.study.panel_costs import panel_words


def source_words(collection: Collection) -> str:
    """Say in a line where the draws of collected reports came from, for their note."""
    keyed = "; what keys show of them is protected by a cipher (computational)" if collection.receivers else ""
    return f"collected over the web, {collection.mode.value}: drawn on the respondents' devices{keyed}"


def collection_words(collection: Collection) -> tuple[str, ...]:
    """Say in sentences what the certificates do not: who can link what, and against whom sealed draws protect."""
    said = [
        "Reports are drawn on the respondents' devices; answers do not leave them.",
        f"Mode {collection.mode.words}.",
    ]
    readers = [
        one.name for one in collection.receivers if not can_recover(collection.study) or 0 not in one.levels.values()
    ]
    if readers:
        said.append(
            f"Computational: what {', '.join(readers)} may see beyond the public is sealed on the device, by HPKE with "
            f"{collection.terms.kem}. It is safe from others, and from whoever reads the server's files, as long as "
            f"that cipher is not broken. Whoever runs the server could hand out public keys of their own, and see as "
            f"much of later reports: compare them where it matters. What everybody sees needs no such assumption."
        )
    if any(0 in one.levels.values() for one in collection.receivers):
        said.append(
            "The registrar can get the answers back: each device seals for the registrar what undoes its reports. The "
            "server cannot; whoever has the registrar's private key and the server's files can."
        )
    if collection.mode is Mode.PANEL:
        said.append(panel_words(collection.study))
    return tuple(said)
