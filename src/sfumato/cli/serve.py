"""sfumato serve: collects reports over the web."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json, PayingLedger, Quiet, ReleaseRegistry
from sfumato.cli.output import say, tell, tell_json

if TYPE_CHECKING:
    from socket import socket

    from sfumato.server.opening import OpenedServer
    from sfumato.server.settings import Settings


_INSTEAD = "Instead of serving"
_NEEDED = ("httptools", "starlette", "uvicorn")


def serve_command(
    study: Annotated[Path, typer.Argument(help="The study file (TOML).")],
    data: Annotated[
        Path | None,
        typer.Option(help="The server's folder. Default: beside the study, STUDY.collection.", show_default=False),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="Keep reports at this URL, such as postgresql://host/name. Default: SQLite in the server's folder.",
            envvar="SFUMATO_DATABASE",
            show_envvar=False,
            show_default=False,
        ),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Listen at this address. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Listen at this port. Default: 8733.")] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Another setting, such as rate=5. Repeatable."),
    ] = None,
    wave: Annotated[
        int | None, typer.Option(min=1, help="Begin this wave of the study. Default: the one that it is in.")
    ] = None,
    people: Annotated[
        str | None, typer.Option(help="Declare that these are other people than under other names. It is not checked.")
    ] = None,
    ledger: PayingLedger = None,
    registry: ReleaseRegistry = None,
    invite: Annotated[
        int | None, typer.Option(min=1, help="Invite so many people, with --to.", rich_help_panel=_INSTEAD)
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Write their tokens into this new file (CSV).", rich_help_panel=_INSTEAD)
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            help="The public address of the server (http or https), for links in that file.", rich_help_panel=_INSTEAD
        ),
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="Take no more reports, and show all.", rich_help_panel=_INSTEAD)
    ] = False,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact",
            help="Write the database anew, without order inside a batch; --close forgets the batches too.",
            rich_help_panel=_INSTEAD,
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the reports that are shown into this new folder.", rich_help_panel=_INSTEAD),
    ] = None,
    backup: Annotated[
        Path | None, typer.Option(help="Copy the server's folder into this new one.", rich_help_panel=_INSTEAD)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Collect reports over the web. The server never sees an answer: devices randomise before they send.

    A report that is acknowledged is on disk. The study is paid for when it opens, once a wave; starting again costs
    nothing. On the first start an administrator's token is made and shown, once: it closes the study and fetches the
    export over the web. Stop the server with Ctrl-C or SIGTERM: requests that have begun are answered first.

    With --invite, --close, --compact, --export or --backup it does that and ends; a server that runs goes on. So:
    invite people, serve without any, close and export, and hand each analyst their shares (sfumato keys unseal).
    Tallies and exports have reports in batches of at least tally_reports, and all once the study is closed.

    The other settings are rate and burst (requests from one address), address_connections, connections, body_bytes,
    header_bytes, header_fields, body_seconds, header_seconds, idle_seconds, tally_seconds, tally_reports,
    dashboard, writers, trusted_proxies, metrics_token, wait_seconds, grace_seconds; in the environment: SFUMATO_RATE.

    Example:

        sfumato serve study.toml --invite 500 --to invites.csv
    """
    from sfumato.errors import InvalidParameter

    _check_installed()
    from sfumato.server.credentials import check_link
    from sfumato.server.opening import open_server
    from sfumato.server.serving import bound_socket
    from sfumato.server.settings import settings_from

    if (invite is None) != (to is None):
        raise InvalidParameter("and `to` go together", parameter="invite", way_out="Give both, or neither.")
    check_link(link)
    settings = settings_from({**_pairs(setting or []), "host": host, "port": port})
    instead = invite is not None or close or compact or export is not None or backup is not None
    # A port that is taken is no reason to have paid.
    taken = None if instead else bound_socket(settings)
    try:
        opened = open_server(
            study, data=data, database=database, wave=wave, ledger=ledger, registry=registry, people=people
        )
    except BaseException:
        if taken is not None:
            taken.close()
        raise
    told = _about(opened)
    if taken is not None:
        _serve(opened, settings, taken, told, json=json, quiet=quiet)
        return
    try:
        if invite is not None and to is not None:
            opened.invite(invite, to, link)
            told |= {"invited_now": invite, "invites": str(to)}
        if close:
            closing = opened.close_collection()
            told |= {"reports": closing.reports, "open": False, "note": closing.note}
        if close or compact:
            told["compacted"] = _compact(opened, is_needed=compact)
        if export is not None:
            made = opened.export(export)
            told |= {"exported": made.rows, "export": str(export)}
        if backup is not None:
            told |= {"backup": str(backup), "copied": list(opened.back_up(backup))}
    finally:
        opened.store.close()
    if json:
        tell_json(told)
    elif not quiet:
        _tell_done(told)


def _serve(
    opened: OpenedServer, settings: Settings, taken: socket, told: dict[str, Any], *, json: bool, quiet: bool
) -> None:
    from sfumato.server.page_parts import SCRIPTS, integrity
    from sfumato.server.serving import run_server

    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    told["scripts"] = {name: integrity(name) for name in SCRIPTS}
    told["url"] = f"http://{shown}:{taken.getsockname()[1]}"
    server = opened.server(settings)

    def listening() -> None:
        if json:
            tell_json(told)
        elif not quiet:
            _tell_start(opened, told)

    run_server(server, taken, listening)
    if not json and not quiet:
        say("stopped. Every report that was acknowledged is on disk.")


def _compact(opened: OpenedServer, *, is_needed: bool) -> bool:
    """Write the database anew. A study that is closed stays so although somebody reads at this moment."""
    from sfumato.server.store_base import StoreFailed

    try:
        opened.compact()
    except StoreFailed:
        if is_needed:
            raise
        return False
    return True


def _about(opened: OpenedServer) -> dict[str, Any]:
    counts = opened.counts()
    return {
        "schema": "sfumato/serving/1",
        "study": opened.collection.study.name,
        "fingerprint": opened.collection.fingerprint,
        "mode": opened.collection.mode.value,
        "wave": opened.collection.wave,
        "open": not opened.state.closed,
        "database": opened.database,
        "folder": str(opened.folder),
        "reports": counts.reports,
        "invited": counts.invited,
        "spent": counts.spent,
        "withdrawn": counts.withdrawn,
        "receivers": [one.name for one in opened.collection.receivers],
        "paid_now": opened.opened.is_new,
        "administrator_token": opened.admin,
    }


def _tell_start(opened: OpenedServer, told: dict[str, Any]) -> None:
    tell(f"{told['study']}: {_mode_words(opened)}, wave {told['wave']}, {'open' if told['open'] else 'closed'}")
    tell(f"  address    {told['url']}  (Ctrl-C stops it)")
    tell(f"  database   {told['database']}, {told['reports']:,} reports")
    tell(f"  invited    {_invited_words(opened, told)}")
    tell(f"  kept       {_kept_words(opened)}")
    for name, integrity in told["scripts"].items():
        tell(f"  script     {name} {integrity}")
    paid = "recorded now, and debited where the study names a ledger"
    tell(f"  budget     {paid if told['paid_now'] else 'recorded before; starting again costs nothing'}")
    _tell_admin(told)
    if not told["invited"]:
        say("note: nobody is invited yet: sfumato serve STUDY --invite N --to invites.csv")
    say("note: this is plain HTTP. Put a proxy with TLS before it: see docs/howto/collect.md")


def _tell_done(told: dict[str, Any]) -> None:
    if "invites" in told:
        tell(f"{told['invited_now']:,} people are invited; their tokens are in {told['invites']} and nowhere else")
    if not told["open"]:
        tell(f"closed, with {told['reports']:,} reports. {told.get('note') or ''}".strip())
    if told.get("compacted"):
        tell("the database is written anew: it shows no order, and nothing of what was deleted")
    elif "compacted" in told:
        say("note: the database is being read, and is not written anew. Do it later: sfumato serve STUDY --compact")
    if "export" in told:
        tell(f"{told['exported']:,} reports of wave {told['wave']} in {told['export']}")
        if told["open"] and told["exported"] < told["reports"]:
            say("note: the others are held back until a batch is full, or the study is closed.")
        for name in told["receivers"]:
            tell(f"  shares-{name}.parquet is for {name}: sfumato keys unseal")
    if "backup" in told:
        tell(f"copied {', '.join(told['copied'])} to {told['backup']}")
        if "reports.sqlite" not in told["copied"]:
            say("note: the database is not in the folder; copy it with pg_dump.")
    _tell_admin(told)


def _tell_admin(told: dict[str, Any]) -> None:
    if told["administrator_token"] is not None:
        tell(f"  administrator's token, shown this once: {told['administrator_token']}")


def _mode_words(opened: OpenedServer) -> str:
    return "anonymous" if opened.collection.mode.value == "anonymous" else "a panel (reports can be linked to people)"


def _invited_words(opened: OpenedServer, told: dict[str, Any]) -> str:
    if opened.collection.mode.value == "anonymous":
        return f"{told['invited']:,}, of which {told['spent']:,} have taken their credential"
    return f"{told['invited']:,}"


def _kept_words(opened: OpenedServer) -> str:
    names = ", ".join(one.name for one in opened.collection.receivers)
    sealed = f", bodies that only {names} can open" if names else ""
    who = (
        "no token, time, address or order"
        if opened.collection.mode.value == "anonymous"
        else "its pseudonym; no time or address"
    )
    return f"of each report: its id, the randomised row{sealed}, a hash that lets it in once; {who}"


def _pairs(given: list[str]) -> dict[str, str]:
    from sfumato.errors import InvalidParameter
    from sfumato.server.settings import SETTINGS

    known = {one.name for one in SETTINGS}
    found = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if name not in known or not equals:
            raise InvalidParameter(
                f"must be NAME=VALUE with NAME one of {', '.join(sorted(known))}",
                parameter="setting",
                value=pair,
                way_out="Write it like rate=5.",
            )
        found[name] = value
    return found


def _check_installed() -> None:
    from sfumato.errors import InvalidParameter

    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InvalidParameter(
            f"the server needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed",
            way_out="Install them with: pip install 'sfumato[server]'.",
        )
