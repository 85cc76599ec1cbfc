"""What `make serve` runs: a study collected over the web, with respondents who are simulated.

The server is the real one, and so is everything that a respondent's device does: it fetches the study, randomises,
seals what readers may open, takes a blind-signed credential and sends its report. Only the people are made up. Ctrl-C
ends all of it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from pathlib import Path
from secrets import SystemRandom

import sfumato as sf
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.keys.protection import Unprotected, new_key_pair
from sfumato.keys.sealed_files import write_key_pair
from sfumato.server.client import Connection, fetch_collection, submit
from sfumato.server.credentials import invite_link, read_invites
from sfumato.server.opening import open_server
from sfumato.server.serving import bound_socket, run_server
from sfumato.server.settings import Settings

HERE = Path(__file__).parent
READERS = ("university", "press")
PEOPLE = 5000
AT_ONCE = 120
A_SECOND = 12.0
# Whoever is at it when the server ends is no news.
_ENDING_SECONDS = 5.0
LAWS = {
    "affair": {"no": 68, "yes": 32},
    "occupation": {
        "student": 1, "farming or semi-skilled": 14, "white-collar": 44, "teacher, nurse or skilled": 28,
        "managerial": 11, "professional": 2,
    },
    "happy": {"very unhappy": 2, "unhappy": 6, "so so": 15, "happy": 35, "very happy": 42},
    "together": {"cook": 20, "walk": 15, "cook;walk": 25, "cook;walk;travel": 25, "travel": 15},
    "children": {"0": 38, "1": 13, "2": 29, "3": 13, "4": 4, "5": 2, "6": 1},
}  # fmt: skip


def main() -> None:
    """Open the study in a folder of its own, made anew each time, and serve it until Ctrl-C."""
    options = read_options()
    folder = options.out
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "live.toml", folder / "live.toml")
    for name in READERS:
        write_key_pair(new_key_pair()[0], folder / f"{name}.key", Unprotected())
    settings, taken = listening_at(options.port)
    opened = open_server(folder / "live.toml")
    opened.invite(PEOPLE, folder / "invites.csv")
    tokens = read_invites(folder / "invites.csv")
    server = opened.server(settings)
    address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    ended = threading.Event()
    people = threading.Thread(target=answer, args=(address, tokens[1:], ended, options.rate), daemon=True)

    def listening() -> None:
        reader = server.reader_token(READERS[0])
        print(f"The study       {invite_link(address, tokens[0], opened.collection.fingerprint)}")
        print(f"The dashboard   {address}/dashboard#reader={reader}")
        print(f"  a key for it  {folder / f'{READERS[0]}.key'}  (no passphrase)")
        print(f"The desk        {address}/admin")
        print(f"  its token     {opened.admin}")
        print(f"Simulated people answer, {options.rate:g} a second. Ctrl-C ends it.", flush=True)
        people.start()

    run_server(server, taken, listening)
    ended.set()
    people.join(timeout=1)
    print("Ended. Every report that was acknowledged is on disk.")


def read_options() -> argparse.Namespace:
    """Read where to listen and how many people answer a second."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=8733, help="listen here; another port is taken if it is not free")
    parser.add_argument("--rate", type=float, default=A_SECOND, help="people a second")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "live", help="the folder of the study")
    return parser.parse_args()


def listening_at(port: int):  # noqa: ANN201  a pair of things that only this file sees
    """Take the port, or any other where it is not free; all people are at one address, and wait for a moment only."""
    for wanted in (port, 0):
        settings = Settings(port=wanted, rate=0.0, tally_reports=10, wait_seconds=2.0, grace_seconds=1)
        try:
            return settings, bound_socket(settings)
        except InvalidParameter:
            if wanted == 0:
                raise
    raise AssertionError


def answer(address: str, tokens: tuple[str, ...], ended: threading.Event, rate: float) -> None:
    """Let people answer one after the other, the first of them at once."""
    drawn = SystemRandom()
    connection = Connection(url=address)
    collection = fetch_collection(connection)
    due = time.monotonic()
    for number, token in enumerate(tokens):
        given = {name: drawn.choices(list(law), weights=law.values())[0] for name, law in LAWS.items()}
        try:
            submit(connection, sf.respond(collection, given), token, collection=collection, wait_seconds=0.0)
        except SfumatoError as error:
            if not ended.wait(_ENDING_SECONDS):
                print(f"A simulated respondent stopped: {error}", file=sys.stderr)
            return
        due = max(due + 1 / rate, time.monotonic() - 1.0) if number >= AT_ONCE else time.monotonic()
        if ended.wait(max(0.0, due - time.monotonic())):
            return


if __name__ == "__main__":
    main()
