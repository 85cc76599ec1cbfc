"""Question kinds, one or a few a module, and their table."""
