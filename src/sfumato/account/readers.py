"""Who looks at a release, and what a record keeps of what they see."""

from __future__ import annotations

PUBLIC = "public"
"""Whoever reads what is published, and holds no key."""
ANSWERS = "answers"
"""What a reader sees who gets the answers back."""

Seen = tuple[tuple[str, str], ...]
"""By reader: ε over all questions as text, rounded up, `inf` where none is promised, or `answers`."""
