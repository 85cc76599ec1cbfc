"""The command `sfumato`: one file a verb."""

from sfumato.cli.interrupts import end_on_interrupt


def main() -> None:
    """Run the command. No traceback reaches a user, not even of an interrupt while it starts or ends."""
    end_on_interrupt(_run)


def _run() -> None:
    from sfumato.cli.app import main as run

    run()


__all__ = ["main"]
