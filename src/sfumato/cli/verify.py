"""sfumato verify: checks a certificate, a page or the bytes of a publication."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json, LimitMb
from sfumato.cli.output import MEGABYTE, console, show_waiting, tell, tell_json

_TABLES = {".parquet", ".csv", ".tsv", ".txt"}


def verify_command(
    certificate: Annotated[
        Path,
        typer.Argument(
            help="The sealed certificate (JSON) of any kind; a page (HTML); or published reports, a file or a folder."
        ),
    ],
    opening: Annotated[
        Path | None,
        typer.Option(help="The private certificate that CERTIFICATE, whose distribution is private, commits to."),
    ] = None,
    json: Json = False,
    limit_mb: LimitMb = 256,
) -> None:
    """Verify a certificate: check its seal, then recompute every claim from what it is about.

    Of a page (report, statement, certificate or analysis) the certificates in it are verified, every text is worked out
    from the data in it, and a text that is not marked is refused. This shows that the page says what its data say, not
    that the data are true.

    Of published reports, as a file (.parquet, .csv) or a folder, check that they hold their rows and notes and nothing
    else. Foreign metadata, dictionary entries without a row, unsorted dictionaries, statistics that do not match the
    rows and unlisted files are named and refused.

    Exit code 0 when every claim holds, 1 when one is refused, 2 when the file cannot be read, and 3 when its claims are
    stated and not checked, because the distribution is private and --opening is not given.

    Example:

        sfumato verify certificate.json
        sfumato verify reports.parquet
    """
    from sfumato.publications.reports import has_note

    if certificate.is_dir() or (certificate.suffix.lower() in _TABLES and has_note(certificate)):
        _verify_publication(certificate, json=json)
        return
    from sfumato.certificates.certificate import Certificate
    from sfumato.certificates.certifying import verify
    from sfumato.certificates.rendering import certificate_table
    from sfumato.errors import NotChecked, Refused
    from sfumato.output.page_checks import is_page_file

    limit = limit_mb * MEGABYTE
    if is_page_file(certificate):
        _verify_page(certificate, opening, limit, json=json)
        return
    try:
        with show_waiting("recomputing every claim"):
            opened = Certificate.read(certificate, limit_bytes=limit)
            verify(opened, opening=None if opening is None else Certificate.read(opening, limit_bytes=limit))
    except Refused as error:
        if json:
            tell_json({"verified": False, "refused": type(error).__name__, "because": str(error)})
        raise
    except NotChecked as error:
        if json:
            tell_json({"verified": False, "stated": len(opened.claims), "because": error.rule})
        else:
            console().print(certificate_table(opened))
        raise
    claims = len(opened.claims)
    how = getattr(opened.subject, "collected", None)
    if json:
        collected = {} if how is None else {"collected": asdict(how)}
        tell_json({"verified": True, "claims": claims, **collected})
        return
    console().print(certificate_table(opened))
    source = "what the file declares" if opening is None else "the private file, which is the one it commits to"
    tell(f"Verified: the seal is intact and all {claims} claims hold, recomputed from {source}.")
    if how is not None:
        sealed = "" if how.guarantee is None else f", what keys show: {how.guarantee}"
        tell(f"On its maker's word alone: collected over the web, {how.mode}{sealed}.")


def _verify_page(path: Path, opening: Path | None, limit: int, *, json: bool) -> None:
    from sfumato.display.text import counted
    from sfumato.errors import InvalidParameter, NotChecked, Refused
    from sfumato.output.page_checks import read_page

    if opening is not None:
        raise InvalidParameter("is for a certificate", parameter="opening", way_out="Leave out `opening`.")
    try:
        with show_waiting("recomputing every claim and text"):
            found = read_page(path, limit_bytes=limit)
    except Refused as error:
        if json:
            tell_json({"verified": False, "refused": type(error).__name__, "because": str(error)})
        raise
    if json:
        stated = {"stated": found.stated} if found.stated else {}
        document = {"certificates": len(found.certificates), "claims": found.claims, "texts": found.texts}
        tell_json({"verified": not found.stated, **document, **stated})
    else:
        certificates, claims = counted(len(found.certificates), "certificate"), counted(found.claims, "claim")
        tell(f"Verified: {claims} of {certificates} hold, and the data of the page give its {found.texts:,} texts.")
        tell("This shows that the page says what its data say, not that the data are true.")
    if found.stated:
        raise NotChecked(
            f"{counted(found.stated, 'claim')} of the page stated, not checked: the law is private",
            way_out="Whoever holds the private certificate checks it against the public one with `opening`.",
        )


def _verify_publication(reports: Path, *, json: bool) -> None:
    from sfumato.errors import Place, Refused
    from sfumato.workflows.auditing import audit_publication

    with show_waiting("reading every byte"):
        found = audit_publication(reports)
    if json:
        tell_json({"verified": not found.findings, **asdict(found)})
    else:
        for line in (*found.findings, *found.remarks):
            tell(line)
    if found.findings:
        raise Refused(
            "the publication holds what does not follow from its rows and notes",
            way_out="Do not hand it out; write it again, or remove what was named.",
            place=Place(file=str(reports)),
        )
    if not json:
        tell(f"Verified: the files hold {found.rows:,} rows, their notes and codebooks, and nothing else.")
