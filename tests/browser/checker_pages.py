"""The checker in a real browser: its modules in an empty page, and pages that check themselves."""

import base64
import json
import re
from html import escape

from browser.building import bundle

HOOKS = "../tests/browser/checker_hooks.js"
DONE = """new Promise(done => {
  const look = () => {
    const line = document.querySelector('[data-check]');
    const ended = line && (line.dataset.outcome || !document.querySelector('script') && 'no script');
    if (ended) done([ended, line.textContent]);
    else setTimeout(look, 15);
  };
  look();
})"""
# The worker that a page would make of its own script, given texts one after the other.
WORKER = """
globalThis.byWorker = (texts) => new Promise((done) => {
  const source = document.querySelector('script').textContent;
  const worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const answers = [];
  worker.onmessage = ({data: {id, found}}) => {
    if (!found) return;
    answers[id] = found;
    if (id === texts.length - 1) done(answers);
  };
  texts.forEach((text, id) => worker.postMessage({id, text}));
});0"""


class Checker:
    """The modules in a page, or others of the same names."""

    def __init__(self, browser, script=None):
        self.page = browser.page("about:blank")
        self.page.run((script or bundle(HOOKS)) + ";0")

    def ask(self, name, *arguments):
        """Call a hook with arguments that are JSON, and return what it returns."""
        return self.page.run(f"checker.{name}({', '.join(map(json.dumps, arguments))})")

    def answers(self, files):
        """What is said of files, as `sfumato_check.answer` says it."""
        return self.ask("answers", [base64.b64encode(data).decode() for data in files])

    def close(self):
        self.page.__exit__()


def said(browser, path, **size):
    """Open a page, and return how its check ended and the line that says so."""
    with browser.page(path.as_uri(), **size) as page:
        return page.run(DONE)


def with_document(page, document):
    """The page with another sealed document in the place of its first, and its digest where it is shown."""
    before, _, rest = page.partition(' data-sealed="">')
    _, _, after = rest.partition("</pre>")
    swapped = f'{before} data-sealed="">{escape(document)}</pre>{after}'
    digest = re.search(r"sha256:[0-9a-f]{64}", document)[0]
    return re.sub(r'(data-part="digest">)sha256:[0-9a-f]{64}', rf"\g<1>{digest}", swapped, count=1)
