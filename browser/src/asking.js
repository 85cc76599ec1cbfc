// How a question is asked and what an answer to it is: texts become places, and the places become symbols.
//
// An answer is a text, a list of texts where several may be chosen, or null for none. What comes out here has the same
// order as in Python: `place` tells one answer from another, and only the rounding of numbers takes a draw.

import { stepsTo } from "./numbers.js";

/** Each way of asking: how many symbols there are, and what an answer is among them. */
const TYPES = {
  one: { count: (asks) => asks.answers.length, place: (asks, answer) => listed(asks.answers, answer) },
  scale: { count: (asks) => asks.answers.length, place: (asks, answer) => listed(asks.answers, answer) },
  listed: { count: (asks) => textsOf(asks).size + (asks.others === null ? 0 : 1), place: placeInList },
  several: { count: (asks) => 2 ** asks.options.length, place: setOf },
  number: {
    count: symbolsOfNumbers,
    place: (asks, answer) => (typeof answer === "string" ? stepsTo(asks, answer) : "no-answer"),
  },
};
const TEXTS = new WeakMap();

/** Whether this is a way of asking that is known here. */
export function isKnown(asks) {
  return Object.hasOwn(TYPES, asks.type);
}

/** Return how many symbols there are, with the one that stands for no answer where that is hidden. */
export function symbolCount(asks) {
  const own = TYPES[asks.type].count(asks);
  return "nobody" in asks ? Math.max(own, asks.nobody + 1) : own;
}

/** Return what tells an answer from others, as a BigInt; a text, that says why, for what is no answer. */
export function placeOf(asks, answer) {
  return TYPES[asks.type].place(asks, answer);
}

/** Whether nothing was answered: an empty choice is an answer only where the study has a word for it. */
export function isNothing(asks, answer) {
  if (answer === null || answer === undefined || answer === "") return true;
  return Array.isArray(answer) && answer.length === 0 && asks.none === null;
}

/** Return the symbol of a place; of numbers it may be drawn, so that rounding is right on average. */
export function symbolOf(asks, place, dice) {
  if (asks.type !== "number") return Number(place);
  const { type, times, parts, last } = asks.rounding;
  if (type === "bins") return Math.min(Number(place / BigInt(parts)), last);
  const scaled = place * BigInt(times);
  const floor = scaled / BigInt(parts);
  if (parts === 1) return Number(floor);
  return Number(floor) + (dice.below(BigInt(parts)) < scaled % BigInt(parts) ? 1 : 0);
}

/** Return which questions are asked, by their ids: a skip rule looks at the answer to an earlier question. */
export function askedOf(form, answers) {
  const asked = new Set();
  for (const question of form.questions) {
    const rule = question.ask_if;
    const before = rule === undefined ? undefined : answers[rule.question];
    const told = Array.isArray(before) ? (before.length === 1 ? before[0] : undefined) : before;
    if (rule === undefined || (asked.has(rule.question) && rule.answers.includes(told))) asked.add(question.id);
  }
  return asked;
}

/** The texts of a list, with their places. */
export function textsOf(asks) {
  if (!TEXTS.has(asks))
    TEXTS.set(
      asks,
      new Map(
        asks.texts
          .trimEnd()
          .split("\n")
          .map((text, i) => [text, i]),
      ),
    );
  return TEXTS.get(asks);
}

function listed(answers, answer) {
  const found = answers.indexOf(answer);
  return found < 0 ? "no-answer" : BigInt(found);
}

function placeInList(asks, answer) {
  if (typeof answer !== "string") return "no-answer";
  const texts = textsOf(asks);
  const found = texts.get(answer.trim()) ?? (asks.others === null ? undefined : texts.size);
  return found === undefined ? "no-answer" : BigInt(found);
}

function setOf(asks, answer) {
  if (!Array.isArray(answer) || new Set(answer).size !== answer.length) return "no-answer";
  const places = answer.map((option) => asks.options.indexOf(option));
  return places.includes(-1) ? "no-answer" : places.reduce((set, at) => set | (1n << BigInt(at)), 0n);
}

function symbolsOfNumbers(asks) {
  const steps = stepsTo(asks, asks.most);
  const { type, times, parts, last } = asks.rounding;
  return type === "bins" ? last + 1 : Number((steps * BigInt(times)) / BigInt(parts)) + 1;
}
