"""What is typed into a field of the survey's pages never reaches the server: not its files, its log or its memory.

The real command serves in a process of its own, and a real Chromium answers. The control sends the same words to the
server, and then its memory has them.
"""

import httpx

from browser.respondents import Visit, answer_all, working_life
from server.test_canary import CANARY, Served, in_memory


def test_what_is_typed_into_a_page_is_found_nowhere(browser, tmp_path):
    working_life(tmp_path)
    served = Served(tmp_path, "sqlite")
    try:
        with Visit(browser, served.link()) as visit:

            def typed(name, **_):
                if name == "list":  # a town of one's own, thought better of
                    visit.fill(CANARY)
                    assert visit.run("document.querySelector('#answer').value") == CANARY
                    visit.fill("berg")
                    visit.wait("document.querySelectorAll('[role=option]').length === 9")

            answer_all(visit, typed)
            visit.click(".actions button", -1)
            visit.wait("document.querySelector('ul.sent')")
            secret = visit.run("document.querySelector('.secret').innerText").encode()
        told = (CANARY.encode(), secret, bytes.fromhex(secret.decode()))
        known = b"Working life"
        assert in_memory(served.process.pid, known, *told) == {known}, "memory is read: what is there is found"
        assert served.files(known), "files are read: what is there is found"
        assert served.files(*told) == []
        for turn in range(20):
            httpx.post(f"{served.url}/reports", json={"answer": CANARY, "turn": turn})
        assert in_memory(served.process.pid, CANARY.encode())
    finally:
        served.stop()
    assert served.files(CANARY.encode()) == []
