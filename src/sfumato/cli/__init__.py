"""The command `sfumato`: one file a verb."""

from sfumato.cli.interrupts import ending_on_interrupt


def main() -> None:
    """Run the command. No traceback reaches a user, not even of an interrupt while it starts."""
    with ending_on_interrupt():
        from sfumato.cli.app import main as run

        run()


__all__ = ["main"]
