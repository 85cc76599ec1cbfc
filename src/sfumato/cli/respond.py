"""sfumato respond: answers a study as a respondent's device does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Json, Quiet
from sfumato.cli.output import say, tell, tell_json

if TYPE_CHECKING:
    from sfumato.server.client import Wallet
    from sfumato.study.collection import Collection


_MOST_BYTES = 1 << 20


def respond_command(
    to: Annotated[str, typer.Argument(help="The address of a collection server; or a study (TOML), with --dry-run.")],
    answer: Annotated[
        list[str] | None, typer.Option("--answer", "-a", help="An answer, QUESTION=ANSWER; once for each question.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="A file (JSON) with the answers by question, which no other user can see.")
    ] = None,
    token: Annotated[str | None, typer.Option(help="The token of the invitation.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="A file with the token, which no other user can see.")] = None,
    memory: Annotated[
        Path | None, typer.Option(help="What this device remembers: the same answer gets the same report again.")
    ] = None,
    wallet: Annotated[
        Path | None, typer.Option(help="Credentials and what withdraws a report. Default: beside --memory.")
    ] = None,
    wait_seconds: Annotated[
        float | None,
        typer.Option(help="Wait at random, so long on average, between the token and the report. Default: 300."),
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Answer the study with this fingerprint, and no other.")
    ] = None,
    key_name: Annotated[
        str | None, typer.Option(help="Take credentials of the key with this name, and of no other.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.")] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take back what the wallet says was sent to this study.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer a study as a respondent's device does; the answers stay here.

    The server gets a report that was randomised on this computer, and for each analyst a body that only they can open.
    In anonymous mode the token is first exchanged for a blind signature, and the report follows after a random time:
    the server's files do not show which token sent which report. In a panel both go together, and can be linked.

    With --memory the same command continues after an interruption. Other users of the computer can see the command
    line; --answers and --token-file read files instead.

    To a server: respond https://survey.example --answers mine.json --token-file token.txt --memory device.json

    Example:

        sfumato respond survey.toml --answer answer=yes --dry-run
    """
    from sfumato.errors import InvalidParameter
    from sfumato.server.client import WAIT_SECONDS, Wallet, submit
    from sfumato.server.credentials import read_token
    from sfumato.workflows.responding import DeviceMemory, respond

    said = _token(token, token_file)
    if said is not None:
        read_token(said)  # before anybody is called for it
    of = _collection(to, fingerprint, dry_run=dry_run)
    place = wallet if wallet is not None or memory is None else memory.with_name(f"{memory.name}.wallet")
    kept = Wallet(place)
    if withdraw:
        _withdraw(to, of, kept, json=json, quiet=quiet)
        return
    given = _answers(answer or [], answers)
    submission = respond(of, given, memory=None if memory is None or dry_run else DeviceMemory(memory))
    if dry_run:
        _show(of, submission.row, dict(submission.shares), json=json)
        return
    if said is None:
        raise InvalidParameter("is needed to send a report", parameter="token", way_out="It is in the invitation.")
    receipt = submit(
        to,
        submission,
        said,
        collection=of,
        wallet=kept,
        wait_seconds=WAIT_SECONDS if wait_seconds is None else wait_seconds,
        key_name=key_name,
        pause=lambda seconds: _wait(seconds, quiet=quiet or json),
    )
    if json:
        tell_json({"schema": "sfumato/receipt/1", "id": receipt.id.hex(), "mode": receipt.mode, "kept": True})
    elif not quiet:
        tell(f"The server keeps report {receipt.id.hex()[:16]}…  ({of.mode.words})")
        if place is None:
            say("note: without --wallet or --memory nothing on this machine can withdraw it.")


def _wait(seconds: float, *, quiet: bool) -> None:
    import time

    if not quiet and seconds >= 1:
        say(f"The token is spent. The report follows in {seconds:,.0f} seconds, so that the two are not linked.")
    time.sleep(seconds)


def _collection(to: str, fingerprint: str | None, *, dry_run: bool) -> Collection:
    from sfumato.errors import InvalidParameter
    from sfumato.server.client import fetch_collection
    from sfumato.workflows.responding import as_collection

    if "://" in to:
        return fetch_collection(to, fingerprint)
    if not dry_run:
        raise InvalidParameter(
            "is no address of a server", parameter="to", way_out="Begin it with https://, or add --dry-run."
        )
    return as_collection(Path(to))


def _answers(pairs: list[str], path: Path | None) -> dict[str, str]:
    import json

    from sfumato.errors import InvalidParameter, Place, UnreadableFile
    from sfumato.files.disk import read_bytes

    found: dict[str, str] = {}
    if path is not None:
        try:
            document = json.loads(read_bytes(path, limit_bytes=_MOST_BYTES))
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or not all(isinstance(one, str) for one in document.values()):
            raise UnreadableFile(
                "the file must hold an answer, in quotes, for each question",
                place=Place(file=str(path)),
                way_out='Write {"question": "answer"}.',
            )
        found |= document
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise InvalidParameter(
                "must be QUESTION=ANSWER", parameter="answer", way_out="Write a sign = between them."
            )
        found[name.strip()] = text
    return found


def _token(token: str | None, path: Path | None) -> str | None:
    from sfumato.files.disk import read_bytes

    return token if path is None else read_bytes(path, limit_bytes=_MOST_BYTES).decode("utf-8", "replace").strip()


def _show(of: Collection, row: bytes, shares: dict[str, bytes], *, json: bool) -> None:
    reports = of.unpack_row(row)
    lengths = {name: len(body) for name, body in shares.items()}
    if json:
        document = {"schema": "sfumato/dry-run/1", "fingerprint": of.fingerprint, "mode": str(of.mode)}
        tell_json({**document, "reports": reports, "row_bytes": len(row), "sealed_bytes": lengths})
        return
    for name, report in reports.items():
        labels = of.columns[name].report_labels
        said = "no report" if report is None else f"report {report}" if labels is None else f"“{labels[report]}”"
        tell(f"{name}: {said}, drawn at random; drawn again it may be another")
    for name, count in lengths.items():
        tell(f"sealed for {name}: {count} bytes")
    tell(f"Nothing was sent.  ({of.mode.words})")


def _withdraw(to: str, of: Collection, wallet: Wallet, *, json: bool, quiet: bool) -> None:
    from sfumato.errors import InvalidParameter
    from sfumato.server.client import withdraw

    held = wallet.secrets(of.fingerprint)
    if not held:
        raise InvalidParameter(
            "holds nothing that was sent to this study", parameter="wallet", way_out="Name the wallet that was used."
        )
    for secret in held:
        withdraw(to, secret)
        wallet.forget_secret(of.fingerprint, secret)
    if json:
        tell_json({"schema": "sfumato/withdrawal/1", "withdrawn": len(held)})
    elif not quiet:
        tell(f"Withdrawn: {len(held)}. What was exported before is not undone by it.")
