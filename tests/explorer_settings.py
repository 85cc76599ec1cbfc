"""Random settings of the explorer, and what the library says of each: what the page must say too."""

import math
import random
from fractions import Fraction
from statistics import NormalDist

from sfumato import measures
from sfumato.prob import Distribution
from sfumato.refine.rungs.base import member_deviation
from sfumato.study import Analyst, OneOfMany, Study, YesNo

REACH = NormalDist().inv_cdf(0.975)


def decimal(units, digits):
    """Whole units as decimal text, as a study file has them: 5 with two digits is 0.05."""
    return f"{units / 10**digits:.{digits}f}"


def random_setting(chance):
    """A setting that the sliders and fields can make."""
    answers = chance.choice([2, *range(3, 13), *(round(3 * 33 ** chance.random()) for _ in range(11))])
    # The library takes its time with many answers, and with the large sets that they are given at large ε.
    most, ends = (5, (301, 301, 801)) if answers <= 20 else (2, (301,))
    levels = sorted(chance.sample(range(5, chance.choice(ends)), chance.randint(1, most)), reverse=True)
    return {
        "answers": answers,
        "people": round(10 ** chance.uniform(1, 7)),
        "publicEpsilon": decimal(levels[-1], 2),
        "analysts": [decimal(level, 2) for level in levels[:-1]],
        "share": decimal(chance.randint(1, 999), 3),
        "goal": decimal(chance.randint(1, 500), 3),
    }


def random_settings(count, seed):
    chance = random.Random(seed)  # noqa: S311  nothing is hidden by it
    return [random_setting(chance) for _ in range(count)]


def study_of(setting):
    """The study that the page speaks of."""
    size = setting["answers"]
    asked = {"id": "question", "text": "What is asked?"}
    question = YesNo(**asked) if size == 2 else OneOfMany(**asked, answers=tuple(f"answer {i}" for i in range(size)))
    return Study(
        name="A survey",
        questions=(question,),
        population=setting["people"],
        analysts=tuple(
            Analyst(name=f"analyst-{i}", epsilon=Fraction(level)) for i, level in enumerate(setting["analysts"], 1)
        ),
        public_epsilon=Fraction(setting["publicEpsilon"]),
    )


def accuracy(deviation, people, goal):
    return {
        "deviation": deviation,
        "halfWidth": REACH * deviation / math.sqrt(people),
        "respondents": math.ceil((REACH * deviation / goal) ** 2),
    }


def expected_level(way, level, setting):
    """What the library says of a level: of its channel, its measures and its mechanism."""
    size, share = setting["answers"], Fraction(setting["share"])
    rung = way.ladder.levels[level - 1]
    channel = rung.channel()
    prior = Distribution([share, *[(1 - share) / (size - 1)] * (size - 1)])
    entries = set(channel.row(0))
    variance = rung.variance(prior, setting["people"])[0]
    return {
        "promised": [*setting["analysts"], setting["publicEpsilon"]][level - 1],
        "odds": rung.odds,
        "epsilon": way.exact_epsilon(level),
        "high": max(entries),
        "low": min(entries),
        "raised": measures.largest_posterior(channel, share),
        "lowered": min(measures.raised_share(share, low, high) for high, low, _ in channel.column_extremes()),
        "even": measures.largest_even_posterior(channel, share),
        "guessError": measures.guess_error(channel, prior),
        "variance": variance,
        "standardError": math.sqrt(variance),
        **accuracy(way.share_deviation(level, float(share)), setting["people"], float(Fraction(setting["goal"]))),
    }


def expected(setting):
    """Everything that the page reads of a setting, from the library."""
    way = study_of(setting).ways[0]
    share, size = Fraction(setting["share"]), setting["answers"]
    goal = float(Fraction(setting["goal"]))
    return {
        "modulus": way.ladder.modulus,
        "members": sorted(way.ladder.levels[0].favoured_shifts.tolist()),
        "priorGuessError": 1 - max(share, (1 - share) / (size - 1)),
        "openly": accuracy(member_deviation(Fraction(1), Fraction(0), float(share)), setting["people"], goal),
        "levels": [expected_level(way, level, setting) for level in range(1, len(way.ladder.levels) + 1)],
    }
