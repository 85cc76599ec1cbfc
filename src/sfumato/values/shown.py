"""What a notebook shows of a value: one door to the room where things are made to be looked at."""

from __future__ import annotations


class Shown:
    """A value that notebooks show as HTML; whatever text it holds is escaped there."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from sfumato.render.notebooks import notebook_html  # noqa: PLC0415  a door into a later room, opened when used

        return notebook_html(self)
