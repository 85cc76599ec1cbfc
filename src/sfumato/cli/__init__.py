"""The command `sfumato` and its verbs."""

import os
import sys

from sfumato.cli.interrupts import end_on_interrupt


def main() -> None:
    """Run the command. No traceback reaches a user, not even of an interrupt while it starts or ends."""
    end_on_interrupt(_run)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # asked by every script that looks whether we are here
        from sfumato import __version__

        sys.stdout.write(f"sfumato {__version__}\n")
        sys.exit(0)
    # Matrices here are small: starting a thread for each core would cost more than they gain.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from sfumato.cli.app import main as run

    run()


__all__ = ["main"]
