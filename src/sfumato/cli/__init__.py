"""The command `sfumato`: one file a verb."""

from sfumato.cli.app import main

__all__ = ["main"]
