"""Clients for tests: many connections in few threads, and every answer with its status."""

import http.client
import json
import threading

from server import samples


class Sender:
    """One connection, opened again where it broke."""

    def __init__(self, port):
        self._port = port
        self._connection = None

    def post(self, path, body, headers=None):
        """Return status and document, or None where no whole answer came."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            data = body if isinstance(body, bytes) else samples.encoded(body)
            self._connection.request("POST", path, data, {"Content-Type": "application/json", **(headers or {})})
            with self._connection.getresponse() as answer:
                return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return None

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def send_all(port, path, bodies, *, threads=16, until=None):
    """Send bodies over so many connections; returns the answer of each, None where there was none."""
    answers = [None] * len(bodies)
    places = iter(range(len(bodies)))
    lock = threading.Lock()

    def work():
        sender = Sender(port)
        while until is None or not until.is_set():
            with lock:
                place = next(places, None)
            if place is None:
                break
            answers[place] = sender.post(path, bodies[place])
        sender.close()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    return answers
