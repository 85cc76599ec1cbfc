"""The certificate page in a real Chromium: it lays out, shows its picture, and asks for nothing."""

import os
import shutil
import subprocess
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.image import imread

from sfumato.certificates import certify
from sfumato.prob import Channel

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")


def browse(tmp_path, *flags):
    page = tmp_path / "certificate.html"
    page.write_text(certify(Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])).to_html())
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *flags, page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "HOME": str(tmp_path)},
    )


def test_the_browser_sees_the_claims(tmp_path):
    seen = browse(tmp_path, "--dump-dom").stdout
    assert "A guesser who knows the prior is wrong at least 25 % of the time" in seen
    assert seen.count('class="cell"') == 4
    assert seen.count('<th scope="row">') == 14


def test_the_picture_has_ink_where_the_channel_is_dark(tmp_path):
    """The screenshot holds the heat map's darkest and lightest cells, in plausible amounts."""
    shot = tmp_path / "page.png"
    browse(tmp_path, "--window-size=1000,1400", f"--screenshot={shot}")
    pixels = colours(shot)
    assert pixels[17, 74, 92] > 2 * 40 * 40  # two cells of probability 3/4
    assert pixels[168, 185, 187] > 2 * 40 * 40  # two of probability 1/4, a third of the way


def colours(path) -> Counter[tuple[int, ...]]:
    """Count the colours of a screenshot."""
    pixels = np.rint(imread(path)[..., :3] * 255).astype(int)
    return Counter(map(tuple, pixels.reshape(-1, 3).tolist()))
