"""A study to analyse: people whose answers depend on public columns in a known way."""

from fractions import Fraction
from functools import cache

import numpy as np

import sfumato as sf

ANSWERS = ("never", "rarely", "often")
KEPT = ["age", "region", "weight", "village", "score"]


@cache
def people(rows=3000, seed=1):
    """Answers and public columns, as plain lists."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    affair = rng.random(rows) < 1 / (1 + np.exp(2 - 0.04 * age))
    often = np.minimum(2, (rng.random(rows) * 2 + affair).astype(int))
    return {
        "affair": np.where(affair, "yes", "no").tolist(),
        "often": [ANSWERS[place] for place in often],
        "place": rng.choice(["north", "south", "east"], rows).tolist(),
        "rooms": rng.integers(0, 7, rows).tolist(),
        "age": age.tolist(),
        "region": rng.choice(["hill", "coast", "plain"], rows).tolist(),
        "weight": rng.uniform(1, 3, rows).round(3).tolist(),
        "village": [f"v{number}" for number in rng.integers(0, 60, rows)],
        "score": (0.5 * age + 3 * affair + rng.normal(size=rows)).round(4).tolist(),
    }


def study(epsilon=Fraction(2), **more):
    given = {} if "public_epsilon" in more else {"epsilon": epsilon}
    return sf.Study(
        name="Analysed",
        questions=(
            sf.YesNo(id="affair", text="Affair?", **given),
            sf.Ordered(id="often", text="How often?", answers=ANSWERS, **given),
            sf.OneOfMany(id="place", text="Where?", answers=("north", "south", "east"), **given),
            sf.Count(id="rooms", text="Rooms?", highest=6, **given),
        ),
        **more,
    )


@cache
def published(seed=7):
    return sf.publish(study(), people(), keep=KEPT, insecure_seed=seed).reports
