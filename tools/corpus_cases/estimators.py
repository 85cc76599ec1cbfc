"""Small worked examples of estimators, with every number in full."""

import math
from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case
from sfumato.inference.limits import odds_above
from sfumato.inference.noncompliance import polynomial
from sfumato.inference.shares import supports_first


@case("estimators/answering test (kind)")
def _answering_test_kind() -> object:
    noted: list[object] = []
    found = sf.inference.anchor_test(700, 1000, chance=0.75)
    noted.append((found.following, found.interval.lower, found.interval.upper))
    noted.append((found.if_all_follow < 0.001, found.if_all_at_random < 0.001))
    return noted


@case("estimators/compliance answer (kind)")
def _compliance_answer_kind() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    found = sf.inference.allow_for_noncompliance(coin, [600, 400], ignoring=0.1)
    noted.append((found.estimate, found.band.lower, found.band.upper))
    noted.append(found.because)
    return noted


@case("estimators/divisor (kind)")
def _divisor_kind() -> object:
    noted: list[object] = []
    model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    for divisor in sf.inference.Divisor:
        found = sf.inference.fit_groups(model, [[65, 35], [55, 45]], divisor=divisor)
        noted.append((divisor.value, found.share.standard_error))
    return noted


@case("estimators/family cut (kind)")
def _family_cut_kind() -> object:
    noted: list[object] = []
    rule = sf.inference.FamilyCut(size=1000, n=10000, own=Fraction(3, 4), other=Fraction(1, 4))
    noted.append((rule.count(), rule.share))
    noted.append((rule.power(0.05), rule.share_found(0.9)))
    return noted


@case("estimators/forecast (kind)")
def _forecast_kind() -> object:
    noted: list[object] = []
    hunt = sf.inference.PrefixSearch.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
    forecast = hunt.forecast({16706: 0.05, 16707: 0.01}, 50000)
    noted.append(([chance for chance in forecast.recall.values()], forecast.false_finds))
    noted.append((forecast.true_finds, forecast.precision))
    return noted


@case("estimators/found (kind)")
def _found_kind() -> object:
    noted: list[object] = []

    def response(size: int) -> sf.mechanisms.RandomizedResponse:
        return sf.mechanisms.RandomizedResponse.within(size=size, epsilon=2)

    hunt = sf.inference.PrefixSearch(key_bits=8, step_bits=4, keep=4, mechanism_for=response)
    found = hunt.hunt([65] * 600 + [66] * 300 + list(range(256)), sf.sampling.InsecureSeeded(1))
    noted.append([(hex(key), share) for key, share in zip(found.keys, found.raw)])
    noted.append(found.candidates)
    return noted


@case("estimators/found answers (kind)")
def _found_answers_kind() -> object:
    noted: list[object] = []
    rule = sf.inference.FamilyCut(size=4, n=10000, own=Fraction(3, 4), other=Fraction(1, 4))
    found = sf.inference.found_answers([2540, 3500, 2490, 2950], rule)
    noted.append((found.places.tolist(), found.raw.round(2).tolist()))
    noted.append((found.lower.round(3).tolist(), found.upper.round(3).tolist()))
    return noted


@case("estimators/group estimate (kind)")
def _group_estimate_kind() -> object:
    noted: list[object] = []
    model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    found = sf.inference.fit_groups(model, [[650, 350], [550, 450]])
    noted.append([(one.name, one.value) for one in found.unknowns])
    noted.append((found.degrees, found.misfit, found.totals))
    return noted


@case("estimators/group law (kind)")
def _group_law_kind() -> object:
    noted: list[object] = []
    yes = polynomial({(): Fraction(1, 4), (0,): Fraction(1, 2)})
    no = polynomial({(): Fraction(3, 4), (0,): Fraction(-1, 2)})
    group = sf.inference.GroupLaw(name="everybody", reports=("no", "yes"), laws=(no, yes))
    share = sf.inference.Unknown(name="share", meaning="of all respondents, those who hold the answer")
    noted.append(sf.inference.GroupModel(name="Warner", unknowns=(share,), groups=(group,)).loose_unknowns())
    return noted


@case("estimators/group model (kind)")
def _group_model_kind() -> object:
    noted: list[object] = []
    two_groups = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    noted.append(two_groups.loose_unknowns())
    noted.append(sf.surveys.unrelated_question_groups([0.75]).model.loose_unknowns())
    return noted


@case("estimators/guesser (kind)")
def _guesser_kind() -> object:
    noted: list[object] = []
    response = sf.Channel([[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]])
    attacker = sf.recoverable.Guesser.of_data([0.5, 0.3, 0.2], [response, response])
    querier = sf.recoverable.Guesser.of_function([0.5, 0.3, 0.2], [response, response], ["low", "low", "high"])
    people = [[0, 0], [0, 1], [1, 1]]
    noted.append((attacker.guess(people).tolist(), [querier.labels[place] for place in querier.guess(people)]))
    return noted


@case("estimators/linear estimate (kind)")
def _linear_estimate_kind() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    mean = sf.inference.ReportedShares(response, [500, 300, 200]).linear([1, 2, 3])
    noted.append((mean.value, mean.raw, mean.standard_error))
    noted.append((mean.interval.lower, mean.interval.upper))
    return noted


@case("estimators/most likeliest (kind)")
def _most_likeliest_kind() -> object:
    noted: list[object] = []
    noted.append(int("0b100", base=0))
    return noted


@case("estimators/many reports (kind)")
def _many_reports_kind() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    many = sf.inference.ManyReports(response, [[500, 300, 200], [550, 340, 110]])
    noted.append(many.raw.round(3).tolist())
    noted.append(many.likeliest.round(3).tolist())
    noted.append(many.means([1, 2, 3]).value.round(3).tolist())
    return noted


@case("estimators/method (kind)")
def _method_kind() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    for method in sf.inference.Method:
        found = sf.inference.estimate_share(coin, [70, 30], method=method).interval
        noted.append(f"{method.value}: {found.lower:.3f} to {found.upper:.3f}")
    return noted


@case("estimators/prefix hunt (kind)")
def _prefix_hunt_kind() -> object:
    noted: list[object] = []
    hunt = sf.inference.PrefixSearch.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
    noted.append((hunt.levels, hunt.mechanism((0,), 0).size))
    chances = hunt.predicted_recall({16706: 0.05, 16707: 0.01}, 50000)
    noted.append({hex(key): chance for key, chance in chances.items()})
    return noted


@case("estimators/reported shares (kind)")
def _reported_shares_kind() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    found = sf.inference.ReportedShares(response, [550, 340, 110])
    noted.append((found.raw.round(3).tolist(), found.likeliest.round(3).tolist()))
    noted.append([f"{one.interval.lower:.2f} to {one.interval.upper:.2f}" for one in found.shares()])
    return noted


@case("estimators/respondents (kind)")
def _respondents_kind() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    needed = sf.inference.respondents_for_half_width(coin, 0.1, 0.05)
    noted.append((needed.n, needed.achieved))
    return noted


@case("estimators/risk floor (kind)")
def _risk_floor_kind() -> object:
    noted: list[object] = []
    floor = sf.inference.proved_floor(100, 10**6, 1.0)
    noted.append((floor.value, floor.method, floor.size))
    return noted


@case("estimators/share estimate (kind)")
def _share_estimate_kind() -> object:
    noted: list[object] = []
    found = sf.inference.estimate_share(sf.surveys.warner_device(0.75).channel, {"no": 20, "yes": 80})
    noted.append((found.share, found.interval.lower, found.interval.upper))
    noted.append(found.notes[0])
    return noted


@case("estimators/share model (kind)")
def _share_model_kind() -> object:
    noted: list[object] = []
    silent = sf.Channel([[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]], outputs=["no", "yes", "silent"])
    model = sf.inference.ShareModel.of(silent)
    noted.append((model.class_of, model.first))
    counts = model.counts({"no": 50, "yes": 20, "silent": 30})
    noted.append((model.free_maximum(counts), model.information(0.2)))
    return noted


@case("estimators/test errors (kind)")
def _test_errors_kind() -> object:
    noted: list[object] = []
    found = sf.inference.test_errors(sf.surveys.warner_device(0.75).channel, 0.1, 0.3, n=200)
    noted.append((found.wrong_if_first, found.wrong_if_second, found.exponent))
    return noted


@case("estimators/top answers (kind)")
def _top_answers_kind() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=4, odds=9)
    estimate = response.estimate(response.tally([0] * 5000 + [1] * 3000 + [2] * 1100 + [3] * 900))
    top = sf.inference.top_answers(estimate, 3)
    noted.append((top.answers, [share for share in top.raw], top.radius))
    noted.append((top.certain, top.doubtful, top.contenders))
    return noted


@case("estimators/unknown (kind)")
def _unknown_kind() -> object:
    noted: list[object] = []
    noted.append(sf.inference.Unknown(name="share", meaning="of all respondents, those who hold the answer").name)
    noted.append([one.name for one in sf.surveys.lie_detector_groups([0.75, 0.25]).model.unknowns])
    return noted


@case("estimators/unknown estimate (kind)")
def _unknown_estimate_kind() -> object:
    noted: list[object] = []
    model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    found = sf.inference.fit_groups(model, [[650, 350], [550, 450]]).of("prevalence")
    noted.append(found.meaning)
    noted.append(f"{found.value:.3f} from {found.interval.lower:.3f} to {found.interval.upper:.3f}")
    return noted


@case("estimators/allow for noncompliance")
def _allow_for_noncompliance() -> object:
    noted: list[object] = []
    device = sf.surveys.cheating_detection_groups([0.25, 0.75])
    found = sf.inference.allow_for_noncompliance(device.model, [[660, 340], [300, 700]])
    noted.append([(one.name, one.value) for one in found.estimate.unknowns])
    coin = sf.surveys.warner_device(0.75).channel
    band = sf.inference.allow_for_noncompliance(coin, [600, 400], ignoring=0.1).band
    noted.append((band.lower, band.upper))
    return noted


@case("estimators/anchor test")
def _anchor_test() -> object:
    noted: list[object] = []
    found = sf.inference.anchor_test(740, 1000, chance=0.75)
    noted.append((found.if_all_follow, found.following))
    return noted


@case("estimators/clip normalise")
def _clip_normalise() -> object:
    noted: list[object] = []
    noted.append(sf.inference.clip_normalise([0.75, 0.5, -0.25]).tolist())
    return noted


@case("estimators/critical random bits")
def _critical_random_bits() -> object:
    noted: list[object] = []
    noted.append(sf.inference.critical_random_bits(math.log(3)))
    return noted


@case("estimators/discovered answers")
def _discovered_answers() -> object:
    noted: list[object] = []
    rule = sf.inference.FamilyCut(size=4, n=10000, own=Fraction(3, 4), other=Fraction(1, 4))
    found = sf.inference.discovered_answers([2540, 3500, 2490, 2950], rule)
    noted.append((found.places.tolist(), found.cut))
    return noted


@case("estimators/estimate groups")
def _estimate_groups() -> object:
    noted: list[object] = []
    towns = {"north": {"no": 600, "yes": 400}, "south": {"no": 500, "yes": 500}}
    found = sf.inference.estimate_groups(sf.surveys.warner_device(0.75).channel, towns, simultaneous=True)
    noted.append(({town: one.share for town, one in found.items()}, found["north"].confidence))
    return noted


@case("estimators/estimate share")
def _estimate_share() -> object:
    noted: list[object] = []
    found = sf.inference.estimate_share(sf.surveys.warner_device(0.75).channel, {"no": 600, "yes": 400})
    noted.append((found.share, found.standard_error))
    noted.append(f"{found.interval.lower:.3f} to {found.interval.upper:.3f}, {found.method}")
    return noted


@case("estimators/fit groups")
def _fit_groups() -> object:
    noted: list[object] = []
    model = sf.surveys.unrelated_question_groups([0.75, 0.5, 0.25]).model
    found = sf.inference.fit_groups(model, [{"yes": 350, "no": 650}, {"yes": 400, "no": 600}, {"yes": 460, "no": 540}])
    noted.append((found.share.value, found.of("prevalence").value))
    noted.append((found.degrees, found.misfit))
    return noted


@case("estimators/found answers")
def _found_answers() -> object:
    noted: list[object] = []
    rule = sf.inference.FamilyCut(size=4, n=10000, own=Fraction(3, 4), other=Fraction(1, 4))
    found = sf.inference.found_answers([2540, 3500, 2490, 2950], rule, most=1)
    noted.append((found.places.tolist(), found.cut))
    return noted


@case("estimators/hashed keys")
def _hashed_keys() -> object:
    noted: list[object] = []
    known = ["a long text that nobody would send whole", "another"]
    looked_up = dict(zip(sf.inference.hashed_keys(known, key_bits=32), known))
    noted.append([looked_up[key] for key in sf.inference.hashed_keys(["another"], key_bits=32)])
    return noted


@case("estimators/information per user")
def _information_per_user() -> object:
    noted: list[object] = []
    noted.append([sf.inference.information_per_user(1.0, random_bits) for random_bits in (0.25, 0.5, None)])
    return noted


@case("estimators/interactive largest error floor")
def _interactive_largest_error_floor() -> object:
    noted: list[object] = []
    noted.append(sf.inference.interactive_largest_error_floor(100, 10000, 1.0))
    noted.append(sf.inference.largest_error_floor(100, 10000, 1.0))
    return noted


@case("estimators/interactive risk floor")
def _interactive_risk_floor() -> object:
    noted: list[object] = []
    noted.append((sf.inference.interactive_risk_floor(100, 10**6, 1.0), sf.inference.risk_floor(100, 10**6, 1.0)))
    return noted


@case("estimators/key text")
def _key_text() -> object:
    noted: list[object] = []
    noted.append((sf.inference.key_text(1097097472, max_bytes=4), sf.inference.key_text(4284768512, max_bytes=4)))
    return noted


@case("estimators/l1 ceiling")
def _l1_ceiling() -> object:
    noted: list[object] = []
    noted.append((sf.inference.l1_ceiling(100, 10**6, 1.0), sf.inference.l1_floor(100, 10**6, 1.0)))
    return noted


@case("estimators/l1 floor")
def _l1_floor() -> object:
    noted: list[object] = []
    noted.append([sf.inference.l1_floor(100, n, 1.0) for n in (10**4, 10**6, 10**8)])
    return noted


@case("estimators/largest error floor")
def _largest_error_floor() -> object:
    noted: list[object] = []
    noted.append([sf.inference.largest_error_floor(size, 10000, 1.0) for size in (10, 100, 1000)])
    return noted


@case("estimators/largest information")
def _largest_information() -> object:
    noted: list[object] = []
    odds = odds_above(1.0)
    told = sf.inference.largest_information(100, odds)
    noted.append(99**2 / (10**6 * float(told)))
    return noted


@case("estimators/mirror test")
def _mirror_test() -> object:
    noted: list[object] = []
    found = sf.inference.mirror_test((300, 200), (210, 290))
    noted.append((found.if_all_follow, found.if_all_at_random < 1e-06))
    noted.append(found.method)
    return noted


@case("estimators/odds above")
def _odds_above() -> object:
    noted: list[object] = []
    odds = odds_above(1.0)
    noted.append((float(odds) == math.e, odds.denominator.bit_length() <= 97))
    return noted


@case("estimators/polynomial")
def _polynomial() -> object:
    noted: list[object] = []
    noted.append(polynomial({(0,): 2, (): 1, (0, 1): 0}))
    return noted


@case("estimators/proved floor")
def _proved_floor() -> object:
    noted: list[object] = []
    for n in (10, 1000, 100000):
        floor = sf.inference.proved_floor(100, n, 1.0)
        noted.append(f"{n} {floor.value:.4g} {floor.method}, {floor.size} answers")
    return noted


@case("estimators/raw covariance")
def _raw_covariance() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=3, odds=3)
    noted.append(sf.inference.raw_covariance(response, [0.5, 0.3, 0.2], n=1000).round(5).tolist())
    return noted


@case("estimators/reports to find")
def _reports_to_find() -> object:
    noted: list[object] = []
    rule = sf.inference.FamilyCut(size=1000, n=10000, own=Fraction(3, 4), other=Fraction(1, 4))
    noted.append((sf.inference.reports_to_find(rule, 0.05), sf.inference.reports_to_find(rule, 0.01)))
    return noted


@case("estimators/respondents for half width")
def _respondents_for_half_width() -> object:
    noted: list[object] = []
    for truth in (0.75, 0.9):
        coin = sf.surveys.warner_device(truth).channel
        noted.append((truth, sf.inference.respondents_for_half_width(coin, theta=0.1, half_width=0.05).n))
    return noted


@case("estimators/respondents for test")
def _respondents_for_test() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    needed = sf.inference.respondents_for_test(coin, 0.1, 0.2, error=0.05)
    noted.append((needed.n, needed.achieved))
    return noted


@case("estimators/risk ceiling")
def _risk_ceiling() -> object:
    noted: list[object] = []
    noted.append((sf.inference.risk_ceiling(100, 10**6, 1.0), sf.inference.risk_floor(100, 10**6, 1.0)))
    noted.append(sf.inference.risk_ceiling(100, 10**6, 1.0, random_bits=0.5))
    return noted


@case("estimators/risk floor")
def _risk_floor() -> object:
    noted: list[object] = []
    cyclic = sf.mechanisms.CyclicResponse.within(size=100, epsilon=1.0)
    reached = sum((float(one) for one in cyclic.variance(sf.Distribution.uniform(100), 10**6)))
    noted.append(reached / sf.inference.risk_floor(100, 10**6, 1.0))
    return noted


@case("estimators/sensitivity band")
def _sensitivity_band() -> object:
    noted: list[object] = []
    band = sf.inference.sensitivity_band(sf.surveys.warner_device(0.75).channel, {"no": 600, "yes": 400}, ignoring=0.05)
    noted.append((band.lower, band.upper))
    return noted


@case("estimators/share interval")
def _share_interval() -> object:
    noted: list[object] = []
    model = sf.inference.ShareModel.of(sf.surveys.warner_device(0.75).channel)
    found = sf.inference.share_interval(model, model.counts({"no": 80, "yes": 20}))
    noted.append((found.lower, found.upper))
    return noted


@case("estimators/share weights")
def _share_weights() -> object:
    noted: list[object] = []
    weights = sf.inference.share_weights(sf.surveys.warner_device(0.75).channel)
    noted.append(weights.tolist())
    noted.append((weights[0] * 0.6 + weights[1] * 0.4).round(2).tolist())
    return noted


@case("estimators/string keys")
def _string_keys() -> object:
    noted: list[object] = []
    keys = sf.inference.string_keys(["Ada", "Bo"], max_bytes=4)
    noted.append(([hex(key) for key in keys], [sf.inference.key_text(key, max_bytes=4) for key in keys]))
    return noted


@case("estimators/supports first")
def _supports_first() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    noted.append([supports_first(coin, [100 - yes, yes], 0.1, 0.3) for yes in (30, 40)])
    return noted


@case("estimators/test errors")
def _test_errors() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(0.75).channel
    noted.append([sf.inference.test_errors(coin, 0.1, 0.3, n).wrong_if_first for n in (100, 200, 400)])
    return noted


@case("estimators/top answers")
def _top_answers() -> object:
    noted: list[object] = []
    response = sf.mechanisms.RandomizedResponse(size=4, odds=9)
    estimate = response.estimate(response.tally([0] * 5000 + [1] * 3000 + [2] * 1100 + [3] * 900))
    top = sf.inference.top_answers(estimate, 2)
    noted.append((top.answers, top.certain == top.answers))
    return noted


@case("estimators/users enough")
def _users_enough() -> object:
    noted: list[object] = []
    noted.append((sf.inference.users_floor(100, 0.001, 1.0), sf.inference.users_enough(100, 0.001, 1.0)))
    return noted


@case("estimators/users floor")
def _users_floor() -> object:
    noted: list[object] = []
    noted.append(
        (sf.inference.users_floor(100, 1e-06, 1.0), sf.inference.users_floor(100, 1e-06, 1.0, random_bits=0.1))
    )
    return noted
