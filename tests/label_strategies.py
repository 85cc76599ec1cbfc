"""Texts that may be labels: in Unicode NFC, without characters that are not seen."""

import unicodedata

from hypothesis import strategies as st

from sfumato.files.texts import hidden_character


def label_texts(**size):
    """Texts of any letters that a label may hold."""
    letters = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]).filter(lambda one: not hidden_character(one))
    return st.text(letters, **size).map(lambda text: unicodedata.normalize("NFC", text))
