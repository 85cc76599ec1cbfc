"""Small worked examples of ladders, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("ladders/binding (kind)")
def _binding_kind() -> object:
    noted: list[object] = []
    smokes = sf.ladders.Binding(study="health-2026", question="smokes", column="smokes")
    later = sf.ladders.Binding(study="health-2026", question="smokes", column="smokes", epoch=1)
    noted.append((smokes.digest() == later.digest(), smokes.digest(with_epoch=False) == later.digest(with_epoch=False)))
    return noted


@case("ladders/key (kind)")
def _key_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    noted.append(made.keys[1])
    noted.append((made.keys[0].level, made.keys[0].is_whole, made.keys[0].guarantee.value))
    return noted


@case("ladders/key costs (kind)")
def _key_costs_kind() -> object:
    noted: list[object] = []
    costs = sf.ladders.key_costs(6, 1.0)
    noted.append(([bits.upper for bits in (costs.minimum, costs.cyclic, costs.one_time_pad)], costs.residues))
    return noted


@case("ladders/key header (kind)")
def _key_header_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    header = sf.keys.read_header(sf.keys.seal_key(made.keys[1], sf.keys.Unprotected()))
    noted.append((header.level, header.rows, header.epsilon, header.protection))
    return noted


@case("ladders/ladder (kind)")
def _ladder_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1, 0.5], recover=True)
    made = ladder.publish([0, 5, 3], sf.sampling.InsecureSeeded(7))
    noted.append(ladder.open(made.reports, made.keys[1]).reports.size)
    noted.append(ladder.recover(made.reports, made.keys[0]).tolist())
    return noted


@case("ladders/ladder advice (kind)")
def _ladder_advice_kind() -> object:
    noted: list[object] = []
    advice = sf.ladders.advise_ladder(size=2, epsilons=[2, 1])
    noted.append(advice.ladder)
    noted.append(([regret for regret in advice.regrets], len(advice.predictions)))
    return noted


@case("ladders/ladder prediction (kind)")
def _ladder_prediction_kind() -> object:
    noted: list[object] = []
    for one in sf.ladders.advise_ladder(size=6, epsilons=[2, 1], same_question=True).predictions:
        if one.refused:
            noted.append((one.name, one.refused, one.worst, one.report_bits))
    return noted


@case("ladders/ladder subject (kind)")
def _ladder_subject_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    subject = sf.certify(ladder, readers=["Ana"]).subject
    noted.append((subject.readers, subject.outline.depth, subject.ladder))
    return noted


@case("ladders/passphrase (kind)")
def _passphrase_kind() -> object:
    noted: list[object] = []
    phrase = sf.keys.Passphrase("seven green herons", memory_kib=1024, passes=1, lanes=1)
    noted.append(phrase)
    made = sf.Ladder.within(size=6, epsilons=[2, 1]).publish([0, 5], sf.sampling.InsecureSeeded(7))
    sealed = sf.keys.seal_key(made.keys[1], phrase)
    noted.append(sf.keys.open_key(sealed, phrase).level)
    return noted


@case("ladders/publication (kind)")
def _publication_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    noted.append(made)
    noted.append(ladder.recover(made.reports, made.keys[0]).tolist())
    return noted


@case("ladders/recovery key (kind)")
def _recovery_key_kind() -> object:
    noted: list[object] = []
    law = sf.Distribution([Fraction(2, 3), Fraction(1, 3)])
    key = sf.ladders.RecoveryKey(law=law, maps=((0, 1), (1, 0)), inputs=("no", "yes"), outputs=("heads", "tails"))
    noted.append((key.report("yes", 1), key.recover("heads", 1)))
    noted.append([[str(chance) for chance in row] for row in key.channel().rows])
    return noted


@case("ladders/sealed answers (kind)")
def _sealed_answers_kind() -> object:
    noted: list[object] = []
    certificate = sf.certify(sf.ladders.SealedAnswers(size=11))
    noted.append((certificate["leakage_bits"].value, certificate["recovered"].value))
    return noted


@case("ladders/shift key (kind)")
def _shift_key_kind() -> object:
    noted: list[object] = []
    key = sf.ladders.ShiftKey.within(size=6, epsilon=1)
    noted.append((key.favoured, key.entropy_bits().upper, key.saved().upper))
    noted.append((key.report(4, 3), key.recover(1, 3)))
    return noted


@case("ladders/two level shift (kind)")
def _two_level_shift_kind() -> object:
    noted: list[object] = []
    shift = sf.ladders.TwoLevelShift.erasure(4, Fraction(1, 2))
    noted.append([str(chance) for chance in shift.law()])
    noted.append(shift.entropy_bits().upper)
    return noted


@case("ladders/unprotected (kind)")
def _unprotected_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    sealed = sf.keys.seal_key(ladder.publish([0, 5], sf.sampling.InsecureSeeded(7)).keys[1], sf.keys.Unprotected())
    noted.append((sf.keys.read_header(sealed).protection, sf.keys.open_key(sealed, sf.keys.Unprotected()).level))
    return noted


@case("ladders/view (kind)")
def _view_kind() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    view = ladder.open(made.reports, made.keys[1])
    noted.append((view.level, view.reports.size, float(view.mechanism.odds)))
    noted.append(ladder.open(made.reports).level)
    return noted


@case("ladders/advise ladder")
def _advise_ladder() -> object:
    noted: list[object] = []
    two = sf.ladders.advise_ladder(size=2, epsilons=[2, 1])
    noted.append((two.because.partition(":")[0], [regret for regret in two.regrets]))
    noted.append(sf.ladders.advise_ladder(size=2, epsilons=[2, 1], same_question=True).ladder.modulus)
    return noted


@case("ladders/coalition odds")
def _coalition_odds() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1, 0.5])
    noted.append(sf.ladders.coalition_odds(ladder, [2, 3]) == ladder.odds[1])
    return noted


@case("ladders/favoured share")
def _favoured_share() -> object:
    noted: list[object] = []
    noted.append([sf.ladders.favoured_share(epsilon) for epsilon in (0.01, 1, 3)])
    return noted


@case("ladders/joint channel")
def _joint_channel() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.of_flips(size=2, epsilons=[2, 1])
    both = sf.ladders.joint_channel(ladder, [1])
    noted.append((both.outputs, sf.measures.odds(both) == ladder.odds[0]))
    return noted


@case("ladders/key costs")
def _key_costs() -> object:
    noted: list[object] = []
    for epsilon in (0.5, 1.0, 3.0):
        noted.append((epsilon, sf.ladders.key_costs(6, epsilon).minimum.upper))
    return noted


@case("ladders/key for channel")
def _key_for_channel() -> object:
    noted: list[object] = []
    channel = sf.Channel([[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 2), Fraction(1, 2)]])
    key = sf.ladders.key_for_channel(channel)
    noted.append((key.maps, [str(chance) for chance in key.law.fractions], key.channel() == channel))
    return noted


@case("ladders/merge keys")
def _merge_keys() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    parts = sf.ladders.split_key(made.keys[1], ladder, [2])
    noted.append(sf.ladders.merge_keys(parts[::-1]))
    return noted


@case("ladders/new key pair")
def _new_key_pair() -> object:
    noted: list[object] = []
    private, public = sf.keys.new_key_pair()
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    sealed = sf.keys.seal_key(ladder.publish([0, 5], sf.sampling.InsecureSeeded(7)).keys[1], public)
    noted.append(sf.keys.open_key(sealed, private).level)
    return noted


@case("ladders/open key")
def _open_key() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    private, public = sf.keys.new_key_pair()
    sealed = sf.keys.seal_key(ladder.publish([0, 5], sf.sampling.InsecureSeeded(7)).keys[1], public)
    noted.append(sf.keys.open_key(sealed, private))
    return noted


@case("ladders/read header")
def _read_header() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    header = sf.keys.read_header(sf.keys.seal_key(made.keys[0], sf.keys.Unprotected()))
    noted.append((header.level, header.total, header.epsilon))
    return noted


@case("ladders/reduced key law")
def _reduced_key_law() -> object:
    noted: list[object] = []
    law = sf.Distribution([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])
    key = sf.ladders.RecoveryKey(law=law, maps=((0, 1), (0, 1), (1, 0)), inputs=(0, 1), outputs=(0, 1))
    noted.append([str(chance) for chance in sf.ladders.reduced_key_law(key).fractions])
    return noted


@case("ladders/reused channel")
def _reused_channel() -> object:
    noted: list[object] = []
    key = sf.ladders.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    noted.append((sf.measures.odds(key.channel()), sf.measures.odds(sf.ladders.reused_channel(key))))
    return noted


@case("ladders/rotate key")
def _rotate_key() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    keys = ladder.draw_keys(4, guarantee=sf.sampling.Guarantee.COMPUTATIONAL, bits=sf.sampling.InsecureSeeded(7))
    following = sf.ladders.rotate_key(keys[1])
    noted.append((following.binding.epoch, following.drawing == sf.ladders.rotate_key(keys[0]).drawing))
    return noted


@case("ladders/seal key")
def _seal_key() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    _, public = sf.keys.new_key_pair()
    sealed = sf.keys.seal_key(ladder.publish([0, 5], sf.sampling.InsecureSeeded(7)).keys[1], public)
    noted.append((sealed[:11], sf.keys.read_header(sealed).protection))
    return noted


@case("ladders/separate bits")
def _separate_bits() -> object:
    noted: list[object] = []
    noted.append((sf.ladders.separate_bits([2, 1, 0.5]), sf.ladders.xor_ladder_bits([2, 1, 0.5])))
    return noted


@case("ladders/sequence channel")
def _sequence_channel() -> object:
    noted: list[object] = []
    key = sf.ladders.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    two = sf.ladders.sequence_channel(key, 2)
    noted.append((two.inputs, [str(chance) for chance in two.rows[0]]))
    return noted


@case("ladders/sequence entropy bits")
def _sequence_entropy_bits() -> object:
    noted: list[object] = []
    key = sf.ladders.ShiftKey.within(size=6, epsilon=1)
    noted.append(sf.ladders.sequence_entropy_bits(key, 100).upper)
    return noted


@case("ladders/shift channel")
def _shift_channel() -> object:
    noted: list[object] = []
    channel = sf.ladders.shift_channel([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], size=3, epsilon=0.7)
    noted.append([str(chance) for chance in channel.to_dense().rows[1]])
    return noted


@case("ladders/split key")
def _split_key() -> object:
    noted: list[object] = []
    ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    made = ladder.publish([0, 5, 3, 3], sf.sampling.InsecureSeeded(7))
    for part in sf.ladders.split_key(made.keys[1], ladder, [1, 3]):
        noted.append(part)
    return noted


@case("ladders/xor ladder bits")
def _xor_ladder_bits() -> object:
    noted: list[object] = []
    noted.append([sf.ladders.xor_ladder_bits(levels) for levels in ([2], [2, 1], [2, 1, 0.5])])
    return noted
