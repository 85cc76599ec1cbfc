/** Numbers as people read them, and sentences about them. What is promised is rounded towards less privacy. */

import { ratio } from "../rationals.js";
import { saysAnswers } from "./readings.js";

/** A number and its sign stay on one line. */
export const PERCENT = "\u00a0%";

export const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ",");

/** A positive fraction with so many digits after the point, rounded up or down. */
function fixed(value, digits, isUp) {
  const scaled = value.times(ratio(10n ** BigInt(digits)));
  const units = String(isUp ? scaled.ceil() : scaled.floor()).padStart(digits + 1, "0");
  return digits ? `${grouped(units.slice(0, -digits))}.${units.slice(-digits)}` : grouped(units);
}

/** Odds, rounded up. */
export function oddsWords(odds) {
  const size = odds.toNumber();
  return fixed(odds, size < 10 ? 2 : size < 100 ? 1 : 0, true);
}

/** A probability as a percentage with as many digits as it needs, rounded up or down. */
export function percent(value, isUp) {
  const hundred = value.times(ratio(100));
  const size = hundred.toNumber();
  const distance = Math.min(size, 100 - size);
  const digits = distance >= 1 || distance === 0 ? 1 : Math.min(9, 1 - Math.floor(Math.log10(distance)));
  return `${fixed(hundred, digits, isUp)}${PERCENT}`;
}

/** A chance of which nothing is promised: three digits that count. */
export function chance(value) {
  const size = 100 * value.toNumber();
  return `${size >= 0.01 ? Number(size.toPrecision(3)) : size.toExponential(1)}${PERCENT}`;
}

/** A half-width in percentage points. */
export function points(width) {
  const size = 100 * width;
  return size >= 0.995 ? size.toFixed(1) : Number(size.toPrecision(2)).toString();
}

/** The goal, which was typed as it is. */
export const goalWords = ({ goal }) => String(Number((100 * goal).toPrecision(4)));

export const shareWords = (share) => `${Number((100 * share.toNumber()).toPrecision(6))}${PERCENT}`;

/** Among how many people a share is told: a hundred, or more where it would be less than one of them. */
function crowd(share) {
  let size = 100;
  while (share.toNumber() * size < 1) size *= 10;
  return size;
}

/** So many of a hundred; "about" where it is no whole number. */
function ofPeople(share, size) {
  const count = share.times(ratio(size));
  const about = count.below === 1n ? "" : "about ";
  return `${about}${grouped(count.round())} of ${grouped(size)}`;
}

export const readerWords = (found, level) =>
  level === found.levels.length - 1 ? "The public" : `Analyst ${level + 1}`;

/** The same in the middle of a sentence. */
export const readerInside = (found, level) => {
  const name = readerWords(found, level);
  return name[0].toLowerCase() + name.slice(1);
};

/** What a report does to odds, what it makes of the share, how well that is known and what it takes: numbers first. */
export function tiles(found, level) {
  const one = found.levels[level];
  const size = crowd(found.share);
  const most = grouped(one.raised.times(ratio(size)).ceil());
  const held = ofPeople(found.share, size);
  const isEnough = one.respondents <= found.people;
  return [
    {
      name: "odds",
      brief: `${oddsWords(one.odds)}×`,
      number: `${oddsWords(one.odds)} ×`,
      text: "is the most by which a report can raise the odds of any answer against any other.",
    },
    {
      name: "gives away",
      brief: `${most}/${size}`,
      number: `${most} of ${grouped(size)}`,
      text:
        `people ${found.answers === 2 ? "who report" : "whose report favours"} an answer hold it, at the most, ` +
        `when ${held} people do${found.answers === 2 ? "" : ", whatever the others hold"}.`,
    },
    {
      name: "error",
      brief: `±${points(one.halfWidth)}`,
      number: `± ${points(one.halfWidth)} points`,
      text: `is how well the share is known from ${grouped(found.people)} people, in 95 of 100 surveys.`,
    },
    {
      name: "people",
      brief: grouped(one.respondents),
      number: `${grouped(one.respondents)} people`,
      text:
        `are needed for ± ${goalWords(found)} points${isEnough ? ", so that there are enough" : ""}. Asked openly, ` +
        `with no privacy at all, ${grouped(found.openly.respondents)} would do.`,
    },
  ];
}

/** How good a guess is. */
export function guessSentence(found, level) {
  const before = found.priorGuessError;
  const after = found.levels[level].guessError;
  const who = level === found.levels.length - 1 ? "Without a key" : `With analyst ${level + 1}’s key`;
  if (before.equals(after)) {
    return (
      `${who} a report does not help to guess: the best guess of somebody’s answer is wrong ` +
      `${percent(after, false)} of the time, with the report and without it.`
    );
  }
  return (
    `${who} the best guess of somebody’s answer is wrong ${percent(after, false)} of the time; without the report, ` +
    `${percent(before, false)}.`
  );
}

/** Who has enough people for the goal. */
export function enoughSentence(found) {
  const goal = `± ${goalWords(found)} points`;
  const names = found.levels.flatMap((one, i) => (one.respondents <= found.people ? [readerInside(found, i)] : []));
  const people = `${grouped(found.people)} people`;
  if (names.length === 0) return `With ${people} nobody knows the share to ${goal}.`;
  if (names.length === found.levels.length) return `With ${people} every reader knows the share to ${goal}.`;
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const verb = names.length > 1 ? "know" : "knows";
  return `With ${people} ${list} ${verb} the share to ${goal}; the other readers do not.`;
}

/** What privacy costs, by reader. */
export function priceSentence(found, level) {
  const times = found.levels[level].respondents / Math.max(1, found.openly.respondents);
  const shown = times >= 10 ? grouped(Math.round(times)) : times.toFixed(1);
  return (
    `For ${readerInside(found, level)}, privacy costs ${shown} times the people that the same question would take if ` +
    "everybody answered openly."
  );
}

/** How a report comes about. */
export function mechanismSentences(found, level) {
  const { set, answers } = found;
  const { high, low } = found.levels[level];
  if (answers === 2) {
    return [`A report is the answer, with a chance of ${chance(high)}, or its opposite, with ${chance(low)}.`];
  }
  if (saysAnswers(found)) {
    return [
      `A report is one of the ${answers} answers: the respondent’s own with a chance of ${chance(high)}, each other ` +
        `with ${chance(low)}.`,
    ];
  }
  const reports = `The device adds a random shift to the answer’s number and reports one of ${set.modulus} numbers.`;
  if (set.count === 1) {
    return [`${reports} Each answer favours one of them: ${chance(high)} against ${chance(low)} for any other.`];
  }
  return [
    `${reports} Each answer favours ${set.count} of them, with a chance of ${chance(high)} each; any other has ` +
      `${chance(low)}. Answers share their favoured numbers, so that a report fits many, while the shares of the ` +
      "crowd still show.",
  ];
}
