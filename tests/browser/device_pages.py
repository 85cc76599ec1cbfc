"""Pages in a secure context without a server of ours: an empty page of this machine, with the device's modules."""

import http.server
import json
import threading

from browser.building import bundle

_PAGE = b"<!doctype html><meta charset=utf-8><title>device</title>"


class _Empty(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, *_):
        pass


class EmptyPages:
    """A server that has nothing but empty pages."""

    def __init__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Empty)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(20)


class Device:
    """The modules in a page; `mutations` are texts that are replaced in a module before it is bundled."""

    def __init__(self, browser, url, mutations=()):
        self.page = browser.page(url)
        self.page.run(bundle("../tests/browser/device_hooks.js", mutations) + ";0")

    def ask(self, name, *arguments):
        """Call a hook with arguments that are JSON, and return what it returns."""
        return self.page.run(f"device.{name}({', '.join(map(json.dumps, arguments))})")

    def close(self):
        self.page.__exit__()
