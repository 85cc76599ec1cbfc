"""The command `sfumato`: one file a verb."""

import gc
import sys

from sfumato.cli.interrupts import end_on_interrupt

# Loading makes tens of thousands of objects that stay; to look through them for garbage again and again takes longer
# than anything that a small command does.
_MANY_OBJECTS = 100_000


def main() -> None:
    """Run the command. No traceback reaches a user, not even of an interrupt while it starts or ends."""
    gc.set_threshold(_MANY_OBJECTS, *gc.get_threshold()[1:])
    end_on_interrupt(_run)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # asked by every script that looks whether we are here
        from sfumato import __version__

        sys.stdout.write(f"sfumato {__version__}\n")
        sys.exit(0)
    from sfumato.cli.app import main as run

    run()


__all__ = ["main"]
