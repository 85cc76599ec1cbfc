"""A browser for the whole run. Where it is missing the tests fail, so that nobody takes silence for consent."""

import os

import pytest

from browser.devtools import AXE, CHROMIUM, Browser, missing_sentence

WITHOUT = "SFUMATO_WITHOUT_BROWSER"


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    sentence = missing_sentence(chromium=CHROMIUM, has_axe=AXE.is_file())
    if sentence and os.environ.get(WITHOUT):
        pytest.skip(f"{sentence} ({WITHOUT} is set)")
    if sentence:
        pytest.fail(f"{sentence}, or set {WITHOUT}=1 to leave them out")
    running = Browser(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def empty_pages():
    """A server of empty pages, in a secure context."""
    from browser.device_pages import EmptyPages

    made = EmptyPages()
    yield made
    made.close()


@pytest.fixture(scope="session")
def device(browser, empty_pages):
    """The modules of the device in a page."""
    from browser.device_pages import Device

    made = Device(browser, empty_pages.url)
    yield made
    made.close()
