/** What a certificate of a channel claims, apart from claims about records. */
import { Ratio } from "../rationals.js";
import { rule } from "./claims.js";
import { atLeast, atMost, DOWN, INFINITE, percent, timesWords, UP } from "./phrases.js";

const MOST_COMPARED = 20_000_000;

/** Claims that need the prior or the largest ratio only. */
function oddsRules(facts) {
  const before = percent(new Ratio(1n).minus(facts.likeliest), DOWN);
  const { isDense, outputs } = facts.channel;
  const worst = rule({
    measure: "worst_guess_error",
    unit: "probability",
    because: "1 - max_y max_x P(x|y) [A, eq. (8)]",
    sentence: (value) =>
      `Whatever the report, that guesser is wrong at least ${percent(value, DOWN)} of the time, ` +
      `${facts.priorWords}; the worst is report ${facts.worstReport[0] + 1} of ${outputs}.`,
    find: () => facts.worstReport[1],
    exact: true,
  });
  return [
    rule({
      measure: "guess_error",
      unit: "probability",
      because: "1 - Σ_y max_x P(x)P(y|x) [A, eq. (8)]",
      sentence: (value) =>
        `A guesser who knows the prior is wrong at least ${percent(value, DOWN)} of the time, ` +
        `${facts.priorWords}; before seeing the report it was ${before}.`,
      find: () => new Ratio(1n).minus(facts.rightGuesses),
      exact: true,
    }),
    ...(isDense ? [worst] : []),
    rule({
      measure: "odds",
      unit: "ratio",
      because: "max P(y|x)/P(y|x') [B, eq. (1)]",
      sentence: (value) =>
        value === INFINITE
          ? "Some report is possible under one answer and impossible under another, so no finite odds bound it."
          : `No report favours one answer over another by more than ${timesWords(value)}.`,
      find: () => facts.odds,
      exact: true,
    }),
    rule({
      measure: "epsilon",
      unit: "nats",
      because: "ln of the odds [B, eq. (1)]",
      sentence: (value) =>
        value === INFINITE
          ? "ε is infinite: local differential privacy gives no protection for some reports."
          : `The channel is ε-locally differentially private with ε = ${atMost(value)} (nats, rounded up).`,
      find: () => facts.epsilon(),
    }),
  ];
}

/** Claims that look at single entries. */
function entryRules(facts) {
  const { isDense, inputs, outputs } = facts.channel;
  const exposure = rule({
    measure: "exposure",
    unit: "probability",
    because: "max_x Σ_y P(y|x) over reports possible under x alone",
    sentence: (value) => exposureWords(value, inputs),
    find: () => facts.exposure(),
    exact: true,
  });
  const variation = rule({
    measure: "total_variation",
    unit: "probability",
    because: "max ½‖P(.|x) - P(.|x')‖_1 over pairs of answers",
    sentence: (value) => `Changing one answer changes the chance of any event by at most ${percent(value, UP)}.`,
    find: () => facts.totalVariation(),
    exact: true,
  });
  if (!isDense) return [];
  return inputs ** 2 * outputs <= MOST_COMPARED ? [exposure, variation] : [exposure];
}

function exposureWords(value, inputs) {
  if (inputs === 1) return "There is only one possible answer, so every report is consistent with it alone.";
  if (value.above === 0n) return "No report proves the answer behind it.";
  return (
    `With probability up to ${percent(value, UP)} a respondent's answer is published: the report is possible under ` +
    `that answer alone.`
  );
}

/** Claims in bits. */
function leakageRules(facts) {
  return [
    rule({
      measure: "min_entropy_leakage_bits",
      unit: "bits",
      because: "log2 of the factor by which the chance of a right guess grows [Smith09]",
      sentence: (value) => `Seeing the report improves the best single guess by at most ${atMost(value)} bits.`,
      find: () => facts.minEntropyLeakage(),
    }),
    rule({
      measure: "maximal_leakage_bits",
      unit: "bits",
      because: "log2 Σ_y max_x P(y|x) [IWK20]",
      sentence: (value) =>
        `Whatever is to be guessed about the data, and whatever the prior, the report improves the guess by at most ` +
        `${atMost(value)} bits.`,
      find: () => facts.maximalLeakage(),
    }),
    rule({
      measure: "mutual_information_bits",
      unit: "bits",
      because: "I(X;Y) [Sha48]",
      sentence: (value) =>
        `On average a report tells at most ${atMost(value)} bits about the answer, ${facts.priorWords}.`,
      find: () => facts.mutualInformation(),
    }),
    rule({
      measure: "max_information_bits",
      unit: "bits",
      because: "max log2 P(y|x)/P(y) [E, Def. 7]",
      sentence: (value) =>
        `No single report tells more than ${atMost(value)} bits about the answer, ${facts.priorWords}.`,
      find: () => facts.maxInformation(),
    }),
    rule({
      measure: "capacity_bits",
      unit: "bits",
      because: "Σ p D(P_x‖q) ≤ C ≤ max_x D(P_x‖q) at the witness p [Sha48]",
      sentence: (value) => `Under no prior does a report tell more than ${atMost(value)} bits on average.`,
      find: (claim) => facts.capacity(claim),
      witnessed: facts.needsWitness,
    }),
    rule({
      measure: "randomness_bits",
      unit: "bits",
      because: "max_x H(Y|X=x) [B, eq. (2)]",
      sentence: (value) =>
        `A report needs at least ${atLeast(value)} random bits on average, for the answer that needs most.`,
      find: () => facts.randomness(),
    }),
    rule({
      measure: "heaviest_output",
      unit: "sum",
      because: "max_y Σ_x P(y|x) ≤ 1 iff the data can be recovered with a key [B, Lemma 6; Bir46]",
      sentence: (value) =>
        value !== INFINITE && value.compare(new Ratio(1n)) <= 0
          ? "A key exists, independent of the data, that turns reports back into answers."
          : "No key that is independent of the data can turn all reports back into answers.",
      find: () => facts.heaviestOutput(),
      exact: true,
    }),
  ];
}

/** Claims about channels of two answers. */
function twoAnswerRules(facts) {
  if (!facts.channel.isDense || facts.channel.inputs !== 2) return [];
  const share = percent(facts.prior[1]);
  return [
    rule({
      measure: "chernoff_information",
      unit: "nats",
      because: "-min ln Σ p^λ q^(1-λ) over the common support [Che52]",
      sentence: (value) =>
        value === INFINITE
          ? "One report always tells the two answers apart."
          : `If one person reported n times afresh, the guess error would fall like e^(-n·${atMost(value)}).`,
      find: () => facts.chernoff(),
    }),
    rule({
      measure: "fisher_information",
      unit: "per report",
      because: "Σ (p_1-p_0)²/p_θ at θ = the prior of the second answer [C, Sec. II]",
      sentence: (value) =>
        `For use: each report is worth ${atLeast(value)} units of Fisher information about the share of the second ` +
        `answer, when that share is ${share}.`,
      find: () => facts.fisher(),
      exact: true,
    }),
  ];
}

export const channelRules = (facts) => [
  ...oddsRules(facts),
  ...entryRules(facts),
  ...leakageRules(facts),
  ...twoAnswerRules(facts),
];
