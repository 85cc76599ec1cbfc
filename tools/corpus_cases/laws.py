"""Small worked examples of laws, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("laws/channel (kind)")
def _channel_kind() -> object:
    noted: list[object] = []
    truth, lie = (Fraction(3, 4), Fraction(1, 4))
    channel = sf.Channel([[truth, lie], [lie, truth]], inputs=["no", "yes"])
    noted.append((channel.exact, sf.measures.odds(channel)))
    return noted


@case("laws/circulant (kind)")
def _circulant_kind() -> object:
    noted: list[object] = []
    channel = sf.prob.Circulant.two_level(size=7, support=[1, 2, 4], odds=Fraction(3))
    noted.append((channel.shape, sf.measures.odds(channel)))
    return noted


@case("laws/distribution (kind)")
def _distribution_kind() -> object:
    noted: list[object] = []
    noted.append(sf.Distribution([Fraction(7, 10), Fraction(3, 10)], ["no", "yes"]).exact)
    return noted


@case("laws/joint (kind)")
def _joint_kind() -> object:
    noted: list[object] = []
    law = [Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)]
    weather = sf.prob.Joint(law, [("dry", "wet"), ("sun", "clouds")])
    noted.append((weather.law["wet", "sun"], weather))
    return noted


@case("laws/as channel")
def _as_channel() -> object:
    noted: list[object] = []
    noted.append(sf.prob.as_channel([[0.75, 0.25], [0.25, 0.75]]))
    return noted


@case("laws/as distribution")
def _as_distribution() -> object:
    noted: list[object] = []
    noted.append(sf.prob.as_distribution([0.75, 0.25], "prior"))
    return noted


@case("laws/as prior")
def _as_prior() -> object:
    noted: list[object] = []
    coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"])
    noted.append(sf.prob.as_prior(None, coin).probabilities)
    noted.append(
        sf.prob.as_prior(sf.Distribution([Fraction(1, 10), Fraction(9, 10)], ["yes", "no"]), coin).probabilities
    )
    return noted


@case("laws/cascade")
def _cascade() -> object:
    noted: list[object] = []
    coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    again = sf.prob.cascade(coin, coin)
    noted.append((again.rows[0], sf.measures.odds(again)))
    return noted


@case("laws/coarsen")
def _coarsen() -> object:
    noted: list[object] = []
    ages = sf.Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)], [0, 1]], ["child", "adult", "old"])
    prior = sf.Distribution([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)], ["child", "adult", "old"])
    channel, law = sf.prob.coarsen(ages, prior, lambda age: "minor" if age == "child" else "major")
    noted.append((channel.inputs, channel.rows[1], law["major"]))
    return noted


@case("laws/conditional")
def _conditional() -> object:
    noted: list[object] = []
    law = sf.prob.Joint([Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)], [("dry", "wet"), ("sun", "clouds")])
    given_sky = sf.prob.conditional(law, given=1)
    noted.append((given_sky.inputs, given_sky.rows[0]))
    return noted


@case("laws/joint law")
def _joint_law() -> object:
    noted: list[object] = []
    prior = sf.Distribution([Fraction(9, 10), Fraction(1, 10)], ["no", "yes"])
    channel = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"])
    noted.append(sf.prob.joint_law(prior, channel).law["yes", 0])
    return noted


@case("laws/marginal")
def _marginal() -> object:
    noted: list[object] = []
    law = sf.prob.Joint([Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)], [("dry", "wet"), ("sun", "clouds")])
    noted.append(sf.prob.marginal(law, 1).probabilities)
    return noted


@case("laws/post process")
def _post_process() -> object:
    noted: list[object] = []
    guess = sf.Channel([[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], [0, Fraction(1, 2), Fraction(1, 2)]])
    merged = sf.prob.post_process(guess, {0: "no", 1: "perhaps", 2: "perhaps"})
    noted.append((merged.outputs, merged.rows))
    return noted


@case("laws/power")
def _power() -> object:
    noted: list[object] = []
    coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    three = sf.prob.power(coin, 3)
    noted.append(three.outputs)
    noted.append((three.rows[0][0], sf.measures.odds(three)))
    return noted


@case("laws/product")
def _product() -> object:
    noted: list[object] = []
    coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    both = sf.prob.product(coin, coin)
    noted.append((both.shape, both.inputs[1], sf.measures.odds(both)))
    return noted


@case("laws/together")
def _together() -> object:
    noted: list[object] = []
    coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    twice = sf.prob.together(coin, coin)
    noted.append((twice.shape, sf.measures.odds(coin), sf.measures.odds(twice)))
    return noted
