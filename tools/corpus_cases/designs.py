"""Small worked examples of designs, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case
from sfumato.recoverable.schemes import blocks_win_at_last, chernoff_radius_nats
from sfumato.surveys.classic_designs import DeviceKind
from sfumato.surveys.lists import report_columns


@case("designs/answer limits (kind)")
def _answer_limits_kind() -> object:
    noted: list[object] = []
    limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5, max_epsilon=2)
    noted.append((limits.size, float(limits.most_right), float(limits.max_odds)))
    ways = ("train", "car", "on foot")
    noted.append(limits.kept_by(sf.surveys.list_response(ways, limits)))
    return noted


@case("designs/belief subject (kind)")
def _belief_subject_kind() -> object:
    noted: list[object] = []
    subject = sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=5).subject
    noted.append((subject.statistic, subject.records, subject.people, subject.grid))
    noted.append((float(subject.deviation), float(subject.independent_deviation), float(subject.anyone_deviation)))
    return noted


@case("designs/believed noise (kind)")
def _believed_noise_kind() -> object:
    noted: list[object] = []
    noise = sf.noise.believed_sum(0, 10, records=1000, budget_bits=0.1, shared_bits=5)
    noted.append([one.upper for one in (noise.independent_bits, noise.capacity_bits, noise.anyone_bits)])
    told = noise.release([5] * 1000)
    return noted


@case("designs/device (kind)")
def _device_kind() -> object:
    noted: list[object] = []
    device = sf.surveys.crosswise_device(0.15)
    noted.append(device.epsilon_words)
    noted.append(device.certificate["guess_error"].value)
    noted.append(sf.inference.estimate_share(device.channel, [1427, 573]).share)
    return noted


@case("designs/device kind (kind)")
def _device_kind_kind() -> object:
    noted: list[object] = []
    noted.append([kind.value for kind in DeviceKind])
    noted.append(sf.surveys.device_at(DeviceKind.CROSSWISE, guess_error=0.25).parameters)
    return noted


@case("designs/every answer design (kind)")
def _every_answer_design_kind() -> object:
    noted: list[object] = []
    each = sf.recoverable.every_answer([0.7, 0.2, 0.1], [0, 1, 2], 0.55)
    noted.append([float(one) for one in (each.promise, each.average, each.best_average)])
    noted.append(float(each.certificate["guess_error"].value))
    return noted


@case("designs/exponential design (kind)")
def _exponential_design_kind() -> object:
    noted: list[object] = []
    line = [[abs(a - b) for b in range(10)] for a in range(10)]
    design = sf.noise.exponential(line, budget_bits=0.5)
    noted.append((design.rate, design.capacity_bits.upper <= 0.5, design.release(3) in range(10)))
    return noted


@case("designs/flip design (kind)")
def _flip_design_kind() -> object:
    noted: list[object] = []
    design = sf.noise.FlipDesign(flip=Fraction(11, 100))
    noted.append((design.capacity_bits.upper, design.release(True) in (True, False)))
    noted.append(design.channel([0, 1, 1]).rows[2])
    return noted


@case("designs/gaussian design (kind)")
def _gaussian_design_kind() -> object:
    noted: list[object] = []
    design = sf.noise.gaussian(low=0, high=10, budget_bits=1)
    noted.append((design.capacity_bits.upper <= 1, design.variance, design.paper_variance))
    noted.append((design.release(7.25) / design.grid).denominator)
    return noted


@case("designs/group device (kind)")
def _group_device_kind() -> object:
    noted: list[object] = []
    device = sf.surveys.unrelated_question_groups([0.7, 0.3])
    noted.append((device.name, [one.name for one in device.model.unknowns], [one.name for one in device.model.groups]))
    return noted


@case("designs/limits (kind)")
def _limits_kind() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.375, max_epsilon=2)
    noted.append((limits.delta, limits.weight, float(limits.max_odds)))
    noted.append(sf.surveys.meets(sf.surveys.warner_device(0.6).channel, limits))
    return noted


@case("designs/listed survey (kind)")
def _listed_survey_kind() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    noted.append(best.channel.outputs)
    noted.append((best.enclosure.lower, best.enclosure.upper))
    noted.append(float(best.certificate["guess_error"].value))
    return noted


@case("designs/noise subject (kind)")
def _noise_subject_kind() -> object:
    noted: list[object] = []
    subject = sf.noise.gaussian(low=0, high=10, budget_bits=0.5, steps=4).certificate.subject
    noted.append((subject.steps, subject.grid, subject.moved))
    noted.append(sf.certify(subject)["noise_capacity_bits"].sentence)
    return noted


@case("designs/optimal for (kind)")
def _optimal_for_kind() -> object:
    noted: list[object] = []
    found = sf.surveys.optimal_weight(sf.surveys.survey(guess_error=0.3, weight=0.4).channel)
    noted.append((found.weight, found.guess_error))
    return noted


@case("designs/partner design (kind)")
def _partner_design_kind() -> object:
    noted: list[object] = []
    made = sf.recoverable.persistent_secret([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    kept = made.draw_partners([0, 1, 2])
    noted.append(made.answer([0, 1, 2], kept, n=5).shape)
    noted.append((float(made.privacy(5)), made.privacy_if_redrawn(5).midpoint))
    return noted


@case("designs/prior price (kind)")
def _prior_price_kind() -> object:
    noted: list[object] = []
    two = sf.recoverable.robust([[0.55, 0.413, 0.037], [0.455, 0.035, 0.51]], [0, 1, 2], 0.547)
    for one in two.prices:
        noted.append((*(float(number) for number in (one.alone, one.robust, one.price)),))
    return noted


@case("designs/private mean (kind)")
def _private_mean_kind() -> object:
    noted: list[object] = []
    design = sf.noise.private_mean(0, 10, 1000, budget_bits=1, correlated=4)
    noted.append((design.capacity_bits.upper <= 1, design.variance**0.5, design.error_chance(0.5)))
    told = design.release([7] * 1000)
    return noted


@case("designs/private quantile (kind)")
def _private_quantile_kind() -> object:
    noted: list[object] = []
    design = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2)
    noted.append(design.ranks_off([40] * 400 + [60] * 600)[8:13])
    noted.append(design.release([40] * 400 + [60] * 600) in design.grid)
    return noted


@case("designs/private sum (kind)")
def _private_sum_kind() -> object:
    noted: list[object] = []
    design = sf.noise.private_sum(0, 1, 1000, 1, correlated=2)
    noted.append((design.variance**0.5, design.capacity_bits.upper <= 1))
    noted.append((design.release([1] * 400 + [0] * 600) / design.design.grid).denominator)
    return noted


@case("designs/query (kind)")
def _query_kind() -> object:
    noted: list[object] = []
    ill = {"flu": "ill", "cold": "ill", "none": "well"}
    query = sf.recoverable.Query.of({"flu": 0.5, "cold": 0.3, "none": 0.2}, ill, 0.8)
    noted.append((query.values, query.f, query.total, query.critical_rho))
    return noted


@case("designs/rank subject (kind)")
def _rank_subject_kind() -> object:
    noted: list[object] = []
    subject = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2).subject
    noted.append((subject.candidates, subject.moving, float(subject.rate)))
    noted.append(sf.certify(subject)["epsilon"].sentence)
    return noted


@case("designs/recount (kind)")
def _recount_kind() -> object:
    noted: list[object] = []
    reaccounting = sf.noise.private_sum(0, 1, 1000, 1, correlated=2).reaccounting
    noted.append((reaccounting.kind, reaccounting.parameters["change"]))
    noted.append([sf.noise.bits_of(reaccounting, sf.measures.Correlation(people=many)) for many in (1, 2, 4)])
    return noted


@case("designs/recoverable design (kind)")
def _recoverable_design_kind() -> object:
    noted: list[object] = []
    best = sf.recoverable.recoverable([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8)
    noted.append((float(best.privacy), float(best.critical_rho), best.hidden, float(best.worst_answer)))
    noted.append([str(p) for p in best.noise.rows[0]])
    noted.append(best.mechanism.privatize([0, 3]).shape)
    return noted


@case("designs/responses design (kind)")
def _responses_design_kind() -> object:
    noted: list[object] = []
    two = sf.recoverable.responses([0.6, 0.4], [0, 1], 0.7, 5)
    noted.append((two.name, two.n, float(two.exact), two.exact == two.converse, two.gap))
    noted.append((two.search, [name for name, _ in two.candidates]))
    return noted


@case("designs/robust design (kind)")
def _robust_design_kind() -> object:
    noted: list[object] = []
    two = sf.recoverable.robust([[0.55, 0.413, 0.037], [0.455, 0.035, 0.51]], [0, 1, 2], 0.547)
    noted.append([float(one) for one in (two.printed, two.privacy, two.upper, two.least_favourable)])
    return noted


@case("designs/spinner card (kind)")
def _spinner_card_kind() -> object:
    noted: list[object] = []
    card = sf.surveys.spinner_card(sf.surveys.warner(guess_error=0.25).channel)
    noted.append((card.faces, card.ranges[0]))
    for line in card.lines()[1:]:
        noted.append(line)
    return noted


@case("designs/survey design (kind)")
def _survey_design_kind() -> object:
    noted: list[object] = []
    best = sf.surveys.survey(guess_error=0.375)
    noted.append((best.channel.outputs, best.channel.rows[1]))
    noted.append(best.fisher_information(Fraction(1, 10)))
    noted.append(best.certificate["guess_error"].value)
    noted.append(best.mechanism.privatize([0, 1, 1]).shape)
    return noted


@case("designs/type bounds (kind)")
def _type_bounds_kind() -> object:
    noted: list[object] = []
    bounds = sf.recoverable.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 3)
    noted.append((float(bounds.lower), float(bounds.upper), bounds.lower <= bounds.upper))
    return noted


@case("designs/vector design (kind)")
def _vector_design_kind() -> object:
    noted: list[object] = []
    design = sf.noise.private_histogram(["train", "car", "on foot"], 1000, 1, correlated="nobody")
    noted.append((design.dimension, design.variance**0.5, design.capacity_bits.upper <= 1))
    noted.append(len(design.release([200, 500, 300])))
    return noted


@case("designs/vector subject (kind)")
def _vector_subject_kind() -> object:
    noted: list[object] = []
    subject = sf.noise.private_histogram(4, 1000, 0.5, correlated=2).subject
    noted.append((subject.dimension, subject.moving, subject.squared_radius))
    noted.append(sf.certify(subject)["vector_noise_bits"].sentence)
    return noted


@case("designs/accuracy floor")
def _accuracy_floor() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    noted.append([sf.recoverable.accuracy_floor(query, n) for n in (1, 5, 21)])
    return noted


@case("designs/accuracy of noise")
def _accuracy_of_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    noise = sf.recoverable.pair_noise(query)
    noted.append([sf.recoverable.accuracy_of_noise(query, noise, n).lower for n in (1, 3, 5)])
    return noted


@case("designs/alternating")
def _alternating() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    name, privacy, channels = sf.recoverable.alternating(query, 2, starts=1)
    noted.append((name, privacy.lower, len(channels)))
    return noted


@case("designs/anchored crosswise")
def _anchored_crosswise() -> object:
    noted: list[object] = []
    model = sf.surveys.anchored_crosswise(0.15, anchor_p=0.15).model
    found = sf.inference.fit_groups(model, {"question": [1427, 573], "anchor": [1541, 459]})
    noted.append([(one.name, one.value) for one in found.unknowns])
    return noted


@case("designs/answer or silence")
def _answer_or_silence() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    quiet = sf.surveys.answer_or_silence(ways, guess_error=0.5)
    noted.append((quiet.channel.outputs, quiet.channel.rows[0]))
    return noted


@case("designs/ball corners")
def _ball_corners() -> object:
    noted: list[object] = []
    prior = sf.Distribution([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)])
    corners = list(sf.recoverable.ball_corners(prior, Fraction(1, 10)))
    noted.append((len(corners), corners[0].probabilities))
    return noted


@case("designs/believed count")
def _believed_count() -> object:
    noted: list[object] = []
    for shared in (0, 5, 50):
        design = sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=shared)
        noted.append((shared, float(design.deviation), float(design.anyone_deviation)))
    return noted


@case("designs/believed histogram")
def _believed_histogram() -> object:
    noted: list[object] = []
    ways = ["train", "car", "on foot", "other"]
    design = sf.noise.believed_histogram(ways, 10**4, budget_bits=0.1, shared_bits=10)
    noted.append(float(design.deviation))
    noted.append(len(design.release([2500, 4000, 3000, 500])))
    return noted


@case("designs/believed mean")
def _believed_mean() -> object:
    noted: list[object] = []
    design = sf.noise.believed_mean(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    noted.append((float(design.deviation), float(design.anyone_deviation)))
    return noted


@case("designs/believed sum")
def _believed_sum() -> object:
    noted: list[object] = []
    design = sf.noise.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    noted.append((round(float(design.deviation)), round(float(design.anyone_deviation))))
    families = sf.noise.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10, people=4)
    noted.append(round(float(families.deviation)))
    return noted


@case("designs/best answer")
def _best_answer() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8)
    best = sf.recoverable.best_answer(query)
    noted.append((float(best.privacy), [str(p) for p in best.channel.rows[0]]))
    return noted


@case("designs/best design")
def _best_design() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.25, max_epsilon=1)
    found = sf.surveys.best_design(limits)
    noted.append((found.name, sf.measures.odds(found.channel) == limits.max_odds))
    noted.append(float(sf.measures.guess_error(found.channel, [0.5, 0.5])))
    return noted


@case("designs/best noise")
def _best_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    for row in sf.recoverable.best_noise(query):
        noted.append((*row,))
    return noted


@case("designs/bits of")
def _bits_of() -> object:
    noted: list[object] = []
    reaccounting = sf.noise.private_histogram(4, 1000, 1, correlated="nobody").reaccounting
    noted.append([sf.noise.bits_of(reaccounting, sf.measures.Correlation(people=many)) for many in (1, 2, 4, None)])
    return noted


@case("designs/block noise")
def _block_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.5)
    for row in sf.recoverable.block_noise(query):
        noted.append((*row,))
    return noted


@case("designs/block privacy")
def _block_privacy() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.5)
    noted.append(float(sf.recoverable.block_privacy(query)))
    return noted


@case("designs/blocks win at last")
def _blocks_win_at_last() -> object:
    noted: list[object] = []
    noted.append(blocks_win_at_last(sf.recoverable.Query.of([0.4, 0.4, 0.2], [0, 1, 2], 0.35)))
    noted.append(blocks_win_at_last(sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.35)))
    return noted


@case("designs/cheating detection groups")
def _cheating_detection_groups() -> object:
    noted: list[object] = []
    model = sf.surveys.cheating_detection_groups([0.25, 0.75]).model
    found = sf.inference.fit_groups(model, [[700, 300], [400, 600]])
    noted.append([(one.name, one.value) for one in found.unknowns])
    return noted


@case("designs/chernoff radius nats")
def _chernoff_radius_nats() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    exponent, limit = chernoff_radius_nats(query, sf.recoverable.pair_noise(query))
    noted.append((exponent, sf.recoverable.decay_exponent_nats(0.6), float(limit)))
    return noted


@case("designs/coin privacy")
def _coin_privacy() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    noted.append([float(sf.recoverable.coin_privacy(query, n)) for n in (1, 2, 3)])
    noted.append([float(sf.recoverable.converse(query, n)) for n in (1, 2, 3)])
    return noted


@case("designs/converse")
def _converse() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    noted.append([float(sf.recoverable.converse(query, n)) for n in (1, 5, 21)])
    return noted


@case("designs/crosswise")
def _crosswise() -> object:
    noted: list[object] = []
    birthday = sf.surveys.crosswise(guess_error=0.25)
    noted.append(birthday.channel.outputs)
    noted.append(birthday.channel[0, 1])
    return noted


@case("designs/crosswise channel")
def _crosswise_channel() -> object:
    noted: list[object] = []
    channel = sf.surveys.crosswise_channel(Fraction(1, 4))
    noted.append((channel[0, 1], float(sf.measures.guess_error(channel, [0.5, 0.5])) >= 0.25))
    return noted


@case("designs/crosswise device")
def _crosswise_device() -> object:
    noted: list[object] = []
    device = sf.surveys.crosswise_device(0.15)
    noted.append((device.channel.outputs, device.channel.rows[1]))
    return noted


@case("designs/decay bounds")
def _decay_bounds() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    noted.append([one for one in sf.recoverable.decay_bounds(query, 51)])
    return noted


@case("designs/decay exponent nats")
def _decay_exponent_nats() -> object:
    noted: list[object] = []
    noted.append([sf.recoverable.decay_exponent_nats(rho) for rho in (0.5, 0.7, 0.9)])
    return noted


@case("designs/design every answer")
def _design_every_answer() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 1], 0.8)
    each = sf.recoverable.design_every_answer(query)
    noted.append((float(each.promise), float(each.best_average)))
    return noted


@case("designs/design partners")
def _design_partners() -> object:
    noted: list[object] = []
    told = {"a": "ill", "b": "ill", "c": "well"}
    query = sf.recoverable.Query.of({"a": 0.5, "b": 0.3, "c": 0.2}, told, 0.75)
    made = sf.recoverable.design_persistent_secret(query)
    noted.append(([str(p) for p in made.answers.rows[4]], float(made.privacy(3))))
    return noted


@case("designs/design responses")
def _design_responses() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    published = sf.recoverable.design_responses(query, 3, starts=0)
    noted.append((published.name, published.privacy.lower, published.search, published.gap))
    return noted


@case("designs/device at")
def _device_at() -> object:
    noted: list[object] = []
    noted.append(sf.surveys.device_at("Warner", epsilon=1.0).epsilon_words)
    noted.append(sf.surveys.device_at("crosswise", posterior=0.3, share=0.1).parameters)
    few = sf.surveys.device_at("Mangat", respondents=1000, share=0.1)
    noted.append(few.parameters)
    return noted


@case("designs/diluted truth")
def _diluted_truth() -> object:
    noted: list[object] = []
    channel = sf.surveys.diluted_truth(Fraction(3, 4), Fraction(1, 3))
    noted.append(channel.rows)
    return noted


@case("designs/every answer")
def _every_answer() -> object:
    noted: list[object] = []
    each = sf.recoverable.every_answer([0.7, 0.2, 0.1], [0, 1, 2], 0.55)
    noted.append((each.privacy.lower, each.privacy.upper))
    noted.append(float(sf.recoverable.recoverable([0.7, 0.2, 0.1], [0, 1, 2], 0.55).worst_answer))
    return noted


@case("designs/exponential")
def _exponential() -> object:
    noted: list[object] = []
    line = [[abs(a - b) for b in range(10)] for a in range(10)]
    general = sf.noise.exponential(line, budget_bits=0.5)
    binary = sf.noise.exponential(line, budget_bits=0.5, values=2)
    noted.append((general.rate, binary.rate))
    return noted


@case("designs/exponential of")
def _exponential_of() -> object:
    noted: list[object] = []
    moods = ["bad", "fair", "good"]
    design = sf.noise.exponential_of([[0, 1, 2], [1, 0, 1], [2, 1, 0]], ratio=0.5, answers=moods)
    noted.append((design.channel.rows[0], design.capacity_bits.upper))
    return noted


@case("designs/extended crosswise groups")
def _extended_crosswise_groups() -> object:
    noted: list[object] = []
    model = sf.surveys.extended_crosswise_groups(0.25).model
    found = sf.inference.fit_groups(model, [[730, 270], [370, 630]])
    noted.append([(one.name, one.value) for one in found.unknowns])
    return noted


@case("designs/flip")
def _flip() -> object:
    noted: list[object] = []
    design = sf.noise.flip(budget_bits=0.5)
    noted.append((float(design.flip), design.capacity_bits.upper <= 0.5))
    noted.append(sf.noise.flip(budget_bits=1).flip)
    return noted


@case("designs/forced category device")
def _forced_category_device() -> object:
    noted: list[object] = []
    device = sf.surveys.forced_category_device([0.1, 0.1, 0.2], answers=("never", "once", "often"))
    noted.append([float(p) for p in device.channel.rows[0]])
    noted.append(device.epsilon_words)
    return noted


@case("designs/forced response")
def _forced_response() -> object:
    noted: list[object] = []
    by_dice = sf.surveys.forced_response(guess_error=0.3, forced_yes=Fraction(2, 3))
    noted.append(by_dice.channel.rows)
    noted.append(by_dice.fisher_information(Fraction(1, 10)))
    return noted


@case("designs/forced response device")
def _forced_response_device() -> object:
    noted: list[object] = []
    device = sf.surveys.forced_response_device(forced_yes=Fraction(1, 4), forced_no=Fraction(1, 12))
    noted.append(device.channel.rows)
    noted.append(device.epsilon_words)
    return noted


@case("designs/gaussian")
def _gaussian() -> object:
    noted: list[object] = []
    everybody = sf.noise.gaussian(low=0, high=1000, budget_bits=1)
    pairs = sf.noise.gaussian(low=0, high=1000, budget_bits=1, change=1, correlated=2)
    noted.append((everybody.variance**0.5, pairs.variance**0.5))
    return noted


@case("designs/hide correlated")
def _hide_correlated() -> object:
    noted: list[object] = []
    joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    hidden = sf.recoverable.hide_correlated(joint, [0, 1, 1], 0.75)
    noted.append((float(hidden.privacy), len(hidden.channel.inputs)))
    return noted


@case("designs/hide data telling correlated")
def _hide_data_telling_correlated() -> object:
    noted: list[object] = []
    joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    hidden = sf.recoverable.reveal_correlated(joint, 0.8)
    noted.append((float(hidden.privacy), hidden.channel.outputs))
    return noted


@case("designs/hide predicate")
def _hide_predicate() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 1, 0], 0.9)
    hidden = sf.recoverable.hide_predicate(query, [0, 1, 0, 0])
    noted.append((float(hidden.privacy), float(hidden.critical_rho)))
    return noted


@case("designs/kuk device")
def _kuk_device() -> object:
    noted: list[object] = []
    device = sf.surveys.kuk_device(red_if_yes=0.8, red_if_no=0.2, draws=2)
    noted.append((device.channel.outputs, [float(p) for p in device.channel.rows[1]]))
    noted.append(device.epsilon_words)
    return noted


@case("designs/largest chernoff nats")
def _largest_chernoff_nats() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.375)
    noted.append(sf.surveys.largest_chernoff_nats(limits, 0.1, 0.9))
    return noted


@case("designs/largest f divergence")
def _largest_f_divergence() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.375)

    def half_distance(ratio):
        return abs(ratio - 1) / 2

    noted.append(sf.surveys.largest_f_divergence(limits, 0.1, 0.9, half_distance, slope_at_infinity=0.5))
    return noted


@case("designs/largest fisher information")
def _largest_fisher_information() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.375)
    noted.append([str(sf.surveys.largest_fisher_information(limits, 0.1, outputs=outputs)) for outputs in (3, 2)])
    noted.append(sf.surveys.survey(guess_error=0.375).fisher_information(Fraction(1, 10)))
    return noted


@case("designs/largest renyi nats")
def _largest_renyi_nats() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.375)
    noted.append([sf.surveys.largest_renyi_nats(limits, 0.1, 0.9, order) for order in (0.5, 1, 2)])
    return noted


@case("designs/lie detector groups")
def _lie_detector_groups() -> object:
    noted: list[object] = []
    model = sf.surveys.lie_detector_groups([Fraction(2, 12), Fraction(10, 12)]).model
    found = sf.inference.fit_groups(model, [[191, 373], [294, 398]])
    noted.append([(one.name, one.value) for one in found.unknowns])
    return noted


@case("designs/list response")
def _list_response() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5)
    noted.append(sf.surveys.list_response(ways, limits).rows[0])
    return noted


@case("designs/listed survey")
def _listed_survey() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    quiet = sf.surveys.answer_or_silence(ways, guess_error=0.5)
    noted.append([float(one.total_variance([0.2, 0.5, 0.3])) for one in (best, quiet)])
    return noted


@case("designs/mangat device")
def _mangat_device() -> object:
    noted: list[object] = []
    device = sf.surveys.mangat_device(0.7)
    noted.append((device.channel.rows, device.proving_reports))
    return noted


@case("designs/meets")
def _meets() -> object:
    noted: list[object] = []
    limits = sf.surveys.Limits.of(guess_error=0.25, max_epsilon=1)
    noted.append([sf.surveys.meets(sf.surveys.warner_device(p).channel, limits) for p in (0.7, 0.74, 0.75)])
    return noted


@case("designs/minority bounds")
def _minority_bounds() -> object:
    noted: list[object] = []
    low, high = sf.recoverable.minority_bounds(0.75, 21)
    noted.append((low, float(sf.recoverable.minority_chance(Fraction(3, 4), 21)), high))
    return noted


@case("designs/minority chance")
def _minority_chance() -> object:
    noted: list[object] = []
    noted.append(
        (sf.recoverable.minority_chance(Fraction(3, 4), 3), float(sf.recoverable.minority_chance(Fraction(3, 4), 21)))
    )
    return noted


@case("designs/most truth")
def _most_truth() -> object:
    noted: list[object] = []
    truth = sf.surveys.most_truth(Fraction(1, 2), yes_odds=3)
    noted.append((truth, sf.measures.odds(sf.surveys.diluted_truth(truth, Fraction(1, 2)))))
    return noted


@case("designs/optimal weight")
def _optimal_weight() -> object:
    noted: list[object] = []
    noted.append(sf.surveys.optimal_weight(sf.surveys.survey(guess_error=0.3, weight=0.4).channel))
    noted.append(sf.surveys.optimal_weight(sf.surveys.warner(guess_error=0.3).channel) is None)
    return noted


@case("designs/pair bound")
def _pair_bound() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    found = sf.recoverable.privacy_of_noise(query, sf.recoverable.pair_noise(query), 5)
    noted.append((float(sf.recoverable.pair_bound(query, 5)), found.lower))
    return noted


@case("designs/pair noise")
def _pair_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    for row in sf.recoverable.pair_noise(query):
        noted.append((*row,))
    return noted


@case("designs/partner for life")
def _partner_for_life() -> object:
    noted: list[object] = []
    made = sf.recoverable.persistent_secret([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    noted.append([float(made.privacy(n)) for n in (2, 3, 5, 7)])
    return noted


@case("designs/partner law")
def _partner_law() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    for row in sf.recoverable.persistent_secret_law(query):
        noted.append((*row,))
    return noted


@case("designs/partner privacy")
def _partner_privacy() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    kept = sf.recoverable.persistent_secret_law(query)
    noted.append(sf.recoverable.persistent_secret_privacy(query, kept, 5) == sf.recoverable.coin_privacy(query, 5))
    circle = tuple((tuple((Fraction(one) for one in row)) for row in ((0, 1, 0), (0, 0, 1), (1, 0, 0))))
    noted.append(
        (
            float(sf.recoverable.persistent_secret_privacy(query, circle, 5)),
            float(sf.recoverable.coin_privacy(query, 5)),
        )
    )
    return noted


@case("designs/playable")
def _playable() -> object:
    noted: list[object] = []
    best = sf.surveys.survey(guess_error=0.4, max_epsilon=1.0)
    by_die = sf.surveys.playable(best, faces=20)
    noted.append((by_die.name, by_die.channel.rows[0]))
    noted.append(sf.surveys.meets(by_die.channel, best.limits))
    return noted


@case("designs/playable list")
def _playable_list() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    card = sf.surveys.playable_list(best, faces=100)
    noted.append((card.name, [str(p) for p in card.channel.rows[0]]))
    noted.append(best.limits.kept_by(card.channel))
    return noted


@case("designs/privacy of noise")
def _privacy_of_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    noise = sf.recoverable.pair_noise(query)
    noted.append([sf.recoverable.privacy_of_noise(query, noise, n).lower for n in (1, 3, 5)])
    return noted


@case("designs/private count")
def _private_count() -> object:
    noted: list[object] = []
    design = sf.noise.private_count(1000, 0.5, correlated=1)
    noted.append((design.variance**0.5, design.capacity_bits.upper <= 0.5))
    return noted


@case("designs/private histogram")
def _private_histogram() -> object:
    noted: list[object] = []
    design = sf.noise.private_histogram(4, 1000, 1, correlated="nobody")
    noted.append((design.variance,))
    return noted


@case("designs/private mean")
def _private_mean() -> object:
    noted: list[object] = []
    for who in ("anyone", 4, "nobody"):
        noted.append((who, sf.noise.private_mean(0, 10, 1000, 1, correlated=who).variance ** 0.5))
    return noted


@case("designs/private quantile")
def _private_quantile() -> object:
    noted: list[object] = []
    design = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2)
    noted.append((design.capacity_bits.upper <= 1, float(design.rate)))
    return noted


@case("designs/private sum")
def _private_sum() -> object:
    noted: list[object] = []
    noted.append([sf.noise.private_sum(0, 1, 1000, 1, correlated=who).variance ** 0.5 for who in (1, 2, 4)])
    return noted


@case("designs/published noise")
def _published_noise() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    noted.append(sf.recoverable.published_noise(query) == sf.recoverable.pair_noise(query))
    return noted


@case("designs/recoverable")
def _recoverable() -> object:
    noted: list[object] = []
    noted.append(float(sf.recoverable.recoverable([0.35, 0.25, 0.2, 0.12, 0.08], [0, 0, 1, 1, 2], 0.8).privacy))
    party = sf.recoverable.recoverable([0.4, 0.3, 0.2, 0.1], [0, 1, 1, 0], 0.9, predicate=[0, 1, 0, 0])
    noted.append((party.hidden, float(party.privacy)))
    return noted


@case("designs/report columns")
def _report_columns() -> object:
    noted: list[object] = []
    limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5)
    columns = report_columns(limits)
    noted.append([column.favoured for column in columns])
    return noted


@case("designs/responses")
def _responses() -> object:
    noted: list[object] = []
    found = sf.recoverable.responses([0.5, 0.3, 0.2], [0, 1, 2], 0.6, 2, starts=1, seconds=60)
    noted.append((found.name, found.privacy.lower, float(found.converse), found.search))
    return noted


@case("designs/responses converse")
def _responses_converse() -> object:
    noted: list[object] = []
    query = sf.recoverable.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    noted.append([float(sf.recoverable.responses_converse(query, n)) for n in (1, 2, 5, 20)])
    return noted


@case("designs/robust")
def _robust() -> object:
    noted: list[object] = []
    design = sf.recoverable.robust([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]], [0, 1, 2], 0.6)
    noted.append((float(design.privacy), float(design.upper), float(design.least_favourable)))
    return noted


@case("designs/robust ball")
def _robust_ball() -> object:
    noted: list[object] = []
    for radius in (0, 0.05, 0.1):
        noted.append((radius, float(sf.recoverable.robust_ball([0.5, 0.3, 0.2], [0, 1, 2], 0.6, radius).privacy)))
    return noted


@case("designs/robust responses")
def _robust_responses() -> object:
    noted: list[object] = []
    priors = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
    found = sf.recoverable.robust_responses(priors, [0, 1, 2], 0.6, 2, starts=1, seconds=60)
    noted.append((found.name, found.privacy.lower, float(found.converse)))
    return noted


@case("designs/share law")
def _share_law() -> object:
    noted: list[object] = []
    channel = sf.surveys.warner(guess_error=0.25).channel
    noted.append([float(p) for p in sf.surveys.share_law(channel, 0.1)])
    return noted


@case("designs/spinner card")
def _spinner_card() -> object:
    noted: list[object] = []
    channel = sf.surveys.forced_response_device(forced_yes=0.2, forced_no=0.1).channel
    for line in sf.surveys.spinner_card(channel).lines():
        noted.append(line)
    return noted


@case("designs/survey")
def _survey() -> object:
    noted: list[object] = []
    best = sf.surveys.survey(guess_error=0.375, max_epsilon=2)
    noted.append((best.name, sf.measures.epsilon(best.channel)))
    coin = sf.surveys.warner(guess_error=0.375)
    noted.append(float(best.fisher_information(0.1) / coin.fisher_information(0.1)))
    return noted


@case("designs/total variance")
def _total_variance() -> object:
    noted: list[object] = []
    channel = sf.surveys.warner(guess_error=0.25).channel
    shares = (Fraction(9, 10), Fraction(1, 10))
    noted.append(
        (sf.surveys.total_variance(channel, shares), 2 / sf.measures.fisher_information(channel, Fraction(1, 10)))
    )
    return noted


@case("designs/triangular device")
def _triangular_device() -> object:
    noted: list[object] = []
    device = sf.surveys.triangular_device(0.3)
    noted.append((device.channel.rows, device.proving_reports))
    noted.append(device.epsilon_words)
    return noted


@case("designs/type bounds")
def _type_bounds() -> object:
    noted: list[object] = []
    bounds = sf.recoverable.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 5)
    query = sf.recoverable.Query.of([0.25] * 4, [0, 1, 2, 3], 0.4)
    noted.append((float(bounds.upper), float(sf.recoverable.converse(query, 5))))
    return noted


@case("designs/unrelated question")
def _unrelated_question() -> object:
    noted: list[object] = []
    asked = sf.surveys.unrelated_question(guess_error=0.3, eta=0.25)
    noted.append(asked.channel.rows)
    noted.append(sf.measures.epsilon(asked.channel))
    return noted


@case("designs/unrelated question device")
def _unrelated_question_device() -> object:
    noted: list[object] = []
    device = sf.surveys.unrelated_question_device(0.7, prevalence=0.25)
    noted.append(device.channel.rows)
    noted.append(device.epsilon_words)
    return noted


@case("designs/unrelated question groups")
def _unrelated_question_groups() -> object:
    noted: list[object] = []
    model = sf.surveys.unrelated_question_groups([0.7, 0.3]).model
    found = sf.inference.fit_groups(model, [[730, 270], [590, 410]])
    noted.append([(one.name, one.value) for one in found.unknowns])
    return noted


@case("designs/variance floor")
def _variance_floor() -> object:
    noted: list[object] = []
    ways = ("train", "car", "on foot")
    best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    floor = sf.surveys.variance_floor(best.limits, best.laws, best.proof)
    noted.append((float(floor), float(best.total_variance([0.2, 0.5, 0.3]))))
    return noted


@case("designs/warner")
def _warner() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner(guess_error=0.25)
    noted.append(coin.channel.rows[1])
    noted.append(float(sf.surveys.warner(guess_error=0.25, max_epsilon=1.0).channel[1, 1]))
    return noted


@case("designs/warner device")
def _warner_device() -> object:
    noted: list[object] = []
    device = sf.surveys.warner_device(0.75)
    noted.append((device.channel.rows[0], device.epsilon_words))
    return noted
