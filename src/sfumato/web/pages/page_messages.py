"""What pages say, in every language that there is: one file each in `messages/`, with the same keys.

A language is chosen by the switch on the page, which is in the address (`?lang=de`), or else by what the browser asks
for. Nothing is remembered, so no cookie is needed.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

LANGUAGES = ("en", "de")
"""The languages, the first of which is spoken to whoever asks for none of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The messages of one language, by table and key; `is_chosen` says that the reader chose it on a page.

    >>> messages_in("de")("ask.next")
    'Weiter'
    >>> messages_in("en")("ask.place", place=2, count=7)
    'Question 2 of 7'
    """

    language: str
    texts: Mapping[str, str]
    is_chosen: bool = False

    def __call__(self, key: str, **names: object) -> str:
        """Return a message with its names filled in. It is text: whoever puts it into a page escapes it."""
        text = self.texts[key]
        return text.format(**names) if names else text

    def path(self, path: str) -> str:
        """Return an address in this language, if it was chosen; else browsers ask for it by themselves."""
        if not self.is_chosen:
            return path
        return f"{path}{'&' if '?' in path else '?'}lang={self.language}"


@functools.cache
def _texts(language: str) -> Mapping[str, str]:
    source = resources.files("sfumato.web").joinpath("messages", f"{language}.toml").read_text("utf-8")
    return {f"{table}.{key}": text for table, found in tomllib.loads(source).items() for key, text in found.items()}


def messages_in(language: str, *, is_chosen: bool = False) -> Messages:
    """Return the messages of a language that there is."""
    return Messages(language=language, texts=_texts(language), is_chosen=is_chosen)


def messages_for(chosen: str | None, accepted: str) -> Messages:
    """Return the messages for a reader: in the language that was chosen, or the one that the browser likes best.

    >>> messages_for(None, "fr, de-AT;q=0.8, en;q=0.5").language
    'de'
    """
    if chosen in LANGUAGES:
        return messages_in(str(chosen), is_chosen=True)
    wished: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted[:1000].split(",")):
        name, _, rest = part.strip().partition(";")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            wished.append((-_quality(rest), place, language))
    best = min(wished, default=(0.0, 0, LANGUAGES[0]))
    return messages_in(best[2] if best[0] < 0 or not wished else LANGUAGES[0])


def _quality(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        found = float(value)
    except ValueError:
        return 0.0
    return found if 0 <= found <= 1 else 0.0
