"""What a guess costs an attacker: at the passphrase of a key file, and of a private key.

    python bench/passphrases.py        # a second or two

Ratios within one run: the quickest of several guesses at each, taken in turns.
"""

from __future__ import annotations

import time

from sfumato.errors import KeyRefused
from sfumato.keys import Passphrase, new_key_pair, open_key, seal_key
from sfumato.keys.sealed_files import open_private_key, seal_private_key
from sfumato.ladders import Ladder

TURNS = 15


def main() -> None:
    """Print seconds a guess, and how they compare."""
    secret, (private, _) = Passphrase("correct horse"), new_key_pair()
    files = {
        "key file": (open_key, seal_key(Ladder.within(size=5, epsilons=(2.0, 1.0)).draw_keys(50)[1], secret)),
        "private key": (open_private_key, seal_private_key(private, secret)),
    }
    quickest = dict.fromkeys(files, float("inf"))
    for turn in range(TURNS):
        for name, (guess, sealed) in files.items():
            begun = time.perf_counter()
            try:
                guess(sealed, Passphrase(f"guess {turn}"))
            except KeyRefused:
                quickest[name] = min(quickest[name], time.perf_counter() - begun)
    print("  ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in quickest.items()))
    print(f"private key / key file: {quickest['private key'] / quickest['key file']:.3f} (must lie in .8 … 1.2)")


if __name__ == "__main__":
    main()
