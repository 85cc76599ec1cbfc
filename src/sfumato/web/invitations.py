"""Letting people in from a page: tokens with what a database keeps of them, and links as QR codes to print."""

from __future__ import annotations

import io
import secrets
from dataclasses import dataclass, field

from sfumato.web.credentials import new_tokens, shown_token, token_hash
from sfumato.web.stores import Invitation

_PANEL_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnInvitation:
    """A token that nobody was given yet; `known` is what a database keeps of it."""

    token: str = field(repr=False)
    known: Invitation = field(repr=False)

    @property
    def shown(self) -> str:
        """The token as people type it."""
        return shown_token(self.token)

    @property
    def panel(self) -> str | None:
        """The pseudonym, in a panel."""
        return None if self.known.panel is None else self.known.panel.hex()


def drawn_invitations(count: int, *, is_panel: bool) -> tuple[DrawnInvitation, ...]:
    """Draw tokens for so many people, and in a panel a pseudonym for each."""
    return tuple(
        DrawnInvitation(
            token=token,
            known=Invitation(token=token_hash(token), panel=secrets.token_bytes(_PANEL_BYTES) if is_panel else None),
        )
        for token in new_tokens(count)
    )


def qr_svg(link: str) -> str:
    """Return a link as a QR code, dark on light whatever the page's colours are."""
    import segno  # noqa: PLC0415  only where codes are printed

    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawn, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, svgns=True, omitsize=True, nl=False
    )
    return drawn.getvalue().decode()
