/** What a certificate of a ladder claims: its levels, its coalitions, its costs. */
import { Ratio } from "../rationals.js";
import { Ends, rule } from "./claims.js";
import { collectedNotes } from "./collected.js";
import { ln, log2, total } from "./enclosures.js";
import { LevelWords, ladderNotes, MOST_LISTED, readReaders } from "./ladder_words.js";
import { readLadder } from "./ladders.js";
import { atLeast, atMost, timesWords, wordsFor } from "./phrases.js";
import { take } from "./reading.js";
import { combinations } from "./search.js";

/** Return the rules and notes of a certificate of a ladder. */
export function checkLadder(subject) {
  take(subject, ["ladder"], ["readers", "collected"]);
  const ladder = readLadder(subject.get("ladder"));
  const named = subject.has("readers") ? readReaders(subject.get("readers"), ladder.depth) : null;
  const words = new LevelWords(ladder.depth, named);
  const rules = [
    ...levelsOf(ladder).flatMap((level) => levelRules(ladder, words, level)),
    ...coalitions(ladder.depth).flatMap((group) => coalitionRules(ladder, words, group)),
    ...costRules(ladder, words),
  ];
  const how = collectedNotes(subject, { keyed: ladder.depth - 1, back: ladder.recover });
  return [rules, [...ladderNotes(words, ladder.remarks, ladder.size), ...how]];
}

const levelsOf = (ladder) => Array.from({ length: ladder.depth }, (_, i) => i + 1);

export function coalitions(depth) {
  const levels = Array.from({ length: depth }, (_, i) => i + 1);
  const sizes = depth <= MOST_LISTED ? levels : [1, 2, depth];
  return sizes.flatMap((size) => [...combinations(levels, size)]);
}

function levelRules(ladder, words, level) {
  const odds = ladder.odds[level - 1];
  return [
    rule({
      measure: `odds_level_${level}`,
      unit: "ratio",
      because: "max P(y|x)/P(y|x') over the channel of the level [B, eq. (1)]",
      sentence: (value) =>
        `No report ${words.reports(level)} favours one answer over another by more than ${timesWords(value)}.`,
      find: () => odds,
      exact: true,
    }),
    rule({
      measure: `epsilon_level_${level}`,
      unit: "nats",
      because: "ln of the odds [B, eq. (1)]",
      sentence: (value) =>
        `${words.what(level)} is ε-locally differentially private with ε = ${atMost(value)} (nats, rounded up).`,
      find: () => Ends.around(ln(odds)),
    }),
  ];
}

function coalitionRules(ladder, words, group) {
  const odds = ladder.odds[Math.min(...group) - 1];
  const seen = words.coalition(group);
  const name = group.join("_");
  return [
    rule({
      measure: `odds_coalition_${name}`,
      unit: "ratio",
      because: ladder.levelReason,
      sentence: (value) => `${seen}: odds ${atMost(value)}.`,
      find: () => odds,
      exact: true,
    }),
    rule({
      measure: `epsilon_coalition_${name}`,
      unit: "nats",
      because: "ln of the joint odds",
      sentence: (value) => `${seen}: ε = ${atMost(value)} (nats, rounded up).`,
      find: () => Ends.around(ln(odds)),
    }),
  ];
}

function costRules(ladder, words) {
  const levels = levelsOf(ladder);
  const own = (level) => ladder.levelEntropy(level);
  const steps = () => levels.map((level) => (level === 1 ? own(1) : ladder.erasureEntropy(level - 1, level)));
  const rules = [
    rule({
      measure: "randomness_bits",
      unit: "bits",
      because: "Σ H(step) [B, Thm 3]",
      sentence: (value) => `One report that serves all levels needs at least ${atLeast(value)} random bits.`,
      find: () => Ends.around(total(steps())),
    }),
    rule({
      measure: "separate_randomness_bits",
      unit: "bits",
      because: "Σ H(Y|X) of the levels",
      sentence: (value) => `Separate reports, one for each level, would need at least ${atLeast(value)} random bits.`,
      find: () => Ends.around(total(levels.map(own))),
    }),
  ];
  for (let level = ladder.recover ? 0 : 1; level < ladder.depth; level += 1) rules.push(keyRule(ladder, words, level));
  if (ladder.recover) {
    rules.push(
      rule({
        measure: "recovered",
        unit: "probability",
        because: ladder.back,
        sentence: () => `Whoever holds ${words.recovering()} gets every answer back, without exception.`,
        find: () => new Ratio(1n),
        exact: true,
      }),
    );
  }
  return rules;
}

/** The key of a level undoes all steps below it at once; that of level 0 undoes the whole shift. */
function keyRule(ladder, words, level) {
  const { depth } = ladder;
  const answer = log2(new Ratio(ladder.size));
  return rule({
    measure: `key_bits_level_${level}`,
    unit: "bits",
    because: ladder.keyReason,
    sentence: (value) =>
      wordsFor(
        answer,
        (plain) =>
          `A true key ${words.key(level)} takes at least ${atLeast(value)} bits for each row; storing the answer ` +
          `itself takes at most ${plain}.`,
      ),
    find: () => Ends.around(level === 0 ? ladder.levelEntropy(depth) : ladder.erasureEntropy(level, depth)),
  });
}
