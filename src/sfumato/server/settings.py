"""The settings of the collection server.

A setting is an option of `sfumato serve`, or an environment variable: `SFUMATO_` and the name in capitals. The option
takes precedence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import InvalidParameter

_LEAST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One thing that can be set."""

    name: str
    value_type: type[int | float | str]
    default: int | float | str
    help: str
    least: float | None = None
    among: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return f"SFUMATO_{self.name.upper()}"


SETTINGS = (
    Setting(name="host", value_type=str, default="127.0.0.1", help="Listen at this address."),
    Setting(name="port", value_type=int, default=8733, least=0, help="Listen at this port; 0 takes a free one."),
    Setting(
        name="rate", value_type=float, default=20.0, least=0, help="Requests a second from one address; 0: no limit."
    ),
    Setting(name="burst", value_type=int, default=1000, least=1, help="Requests at once from one address."),
    Setting(
        name="body_bytes", value_type=int, default=0, least=0, help="Most bytes of a body; 0: what this study can need."
    ),
    Setting(name="header_bytes", value_type=int, default=16_384, least=1024, help="Most bytes of a request's header."),
    Setting(name="header_fields", value_type=int, default=100, least=10, help="Most fields of a request's header."),
    Setting(
        name="header_seconds", value_type=float, default=10.0, least=0.1, help="A header must come within so long."
    ),
    Setting(name="body_seconds", value_type=float, default=30.0, least=0.1, help="A body must come within so long."),
    Setting(
        name="idle_seconds",
        value_type=float,
        default=75.0,
        least=0.1,
        help="A connection without a request, or whose answer is not read, is closed after so long.",
    ),
    Setting(
        name="address_connections",
        value_type=int,
        default=256,
        least=1,
        help="Connections of one address without a complete request; one more closes the oldest. Proxies are exempt.",
    ),
    Setting(
        name="connections",
        value_type=int,
        default=0,
        least=0,
        help="Most connections; 0, and at most: three quarters of the files that may be open.",
    ),
    Setting(
        name="tally_seconds",
        value_type=float,
        default=1.0,
        least=0,
        help="The live tally is made anew at most so often.",
    ),
    Setting(
        name="tally_reports",
        value_type=int,
        default=50,
        least=1,
        help="Reports are shown to readers in batches of at least so many.",
    ),
    Setting(
        name="dashboard",
        value_type=str,
        default="admin",
        among=("admin", "public"),
        help="Who sees live numbers: whoever has the administrator's token or a reader's, or everybody.",
    ),
    Setting(name="writers", value_type=int, default=0, least=0, help="Connections that write; 0: 1 of SQLite, else 3."),
    Setting(
        name="trusted_proxies",
        value_type=str,
        default="127.0.0.1",
        help="Proxies whose word about a sender's address is taken, with commas between.",
    ),
    Setting(
        name="wait_seconds",
        value_type=float,
        default=300.0,
        least=0,
        help="Pages wait so long on average, at random, between spending a token and sending the report.",
    ),
    Setting(
        name="metrics_token",
        value_type=str,
        default="",
        help="Whoever says this token may see /metrics, and nothing else; without it, the administrator alone.",
    ),
    Setting(name="grace_seconds", value_type=int, default=15, least=1, help="On stopping, wait so long for requests."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of a server, as they are in force."""

    host: str = "127.0.0.1"
    port: int = 8733
    rate: float = 20.0
    burst: int = 1000
    body_bytes: int = 0
    header_bytes: int = 16_384
    header_fields: int = 100
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    idle_seconds: float = 75.0
    address_connections: int = 256
    connections: int = 0
    tally_seconds: float = 1.0
    tally_reports: int = 50
    dashboard: str = "admin"
    writers: int = 0
    trusted_proxies: str = "127.0.0.1"
    wait_seconds: float = 300.0
    metrics_token: str = field(default="", repr=False)
    grace_seconds: int = 15


def settings_from(options: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings in force: options that are given, then the environment, then the defaults."""
    found: dict[str, Any] = {}
    surroundings = os.environ if environment is None else environment
    for setting in SETTINGS:
        given = options.get(setting.name)
        if given is None:
            given = surroundings.get(setting.variable)
        found[setting.name] = setting.default if given is None else _checked(setting, given)
    if 0 < len(found["metrics_token"]) < _LEAST_TOKEN:
        raise InvalidParameter(
            f"must have at least {_LEAST_TOKEN} letters",
            parameter="metrics_token",
            way_out="Take a long one at random: nobody types it.",
        )
    return Settings(**found)


def _checked(setting: Setting, given: Any) -> Any:
    value: Any
    try:
        value = setting.value_type(given)
    except ValueError:
        value = None
    if setting.among and value not in setting.among:
        raise InvalidParameter(
            f"must be one of {', '.join(setting.among)}",
            parameter=setting.name,
            value=given,
            way_out=f"Change the option, or {setting.variable} in the environment.",
        )
    if value is None or (setting.least is not None and not value >= setting.least):
        least = "" if setting.least is None else f" of at least {setting.least:g}"
        raise InvalidParameter(
            f"must be {'a number' if setting.value_type is float else 'a whole number'}{least}",
            parameter=setting.name,
            value=given,
            way_out=f"Change the option, or {setting.variable} in the environment.",
        )
    return value
