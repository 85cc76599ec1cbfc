/** The subject of a channel's certificate. */
import { Ratio } from "../rationals.js";
import { ChannelFacts } from "./channel_facts.js";
import { channelRules } from "./channel_rules.js";
import { Dense, Structured } from "./channels.js";
import { collectedNotes, MAKER_SAYS } from "./collected.js";
import { damaged, MOST, Refused, TooLarge } from "./outcomes.js";
import { general } from "./phrases.js";
import { fractionOf, isPlain, lawOf, ONE_SPELLING, take, wholeNumber } from "./reading.js";
import { fitsShape, recordRules } from "./records.js";

const CODE_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const MOST_MOVED = 1e-8;
const FAMILIES = [
  "arc_response",
  "binary_hadamard",
  "cyclic_response",
  "flags",
  "hadamard_response",
  "mechanism",
  "optimised_unary",
  "permanent_unary",
  "randomized_response",
  "sets",
  "subset_selection",
  "symmetric_unary",
  "tabulated",
];

/** Return the rules and notes of a certificate of a channel. */
export function checkChannel(subject, measures) {
  take(subject, ["channel", "prior"], ["shape", "mechanism", "made_exact", "collected"]);
  const channel = readChannel(subject.get("channel"));
  const prior = lawOf(subject.get("prior"));
  if (prior.length !== channel.inputs || prior.some((part) => part.above === 0n)) {
    throw new Refused("the prior does not give every input of the channel a positive probability");
  }
  const rules = channelRules(new ChannelFacts(channel, prior));
  if (subject.has("shape")) {
    const shape = subject.get("shape");
    if (!Array.isArray(shape) || !shape.every((size) => typeof size === "bigint" && size > 0n)) {
      throw damaged("the records have no sizes");
    }
    if (!fitsShape(shape, channel.inputs)) throw new Refused("the records do not fit the channel");
    if (channel.isDense) rules.push(...recordRules(channel, shape.map(Number), measures));
  }
  return [rules, [...channelNotes(subject), ...collectedNotes(subject, { keyed: 0, back: false })]];
}

const READERS = { dense: readDense, circulant: readCirculant, "circulant-law": readCirculantLaw };

/** Read a channel in any of its three spellings. */
export function readChannel(record) {
  const kind = record instanceof Map ? record.get("kind") : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(READERS, kind)) {
    throw damaged("its channel is of no kind that I know");
  }
  return READERS[kind](record);
}

function readDense(record) {
  take(record, ["kind", "inputs", "outputs", "rows"]);
  const given = record.get("rows");
  if (!Array.isArray(given) || !given.length) throw damaged("the channel has no rows");
  if (given.reduce((count, row) => count + String(row).split(" ").length, 0) > MOST.entries) {
    throw new TooLarge(`the channel has more than ${MOST.entries} entries`);
  }
  const rows = given.map(lawOf);
  checkLabels(record.get("inputs"), rows.length);
  checkLabels(record.get("outputs"), rows[0].length);
  if (rows.some((row) => row.length !== rows[0].length)) throw damaged("the rows of the channel differ in length");
  return new Dense(rows);
}

function readCirculant(record) {
  take(record, ["kind", "input_count", "levels", "codes"]);
  const [levels, codes] = [record.get("levels"), record.get("codes")];
  if (typeof levels !== "string" || typeof codes !== "string" || !/^[0-9a-z]+$/.test(codes)) {
    throw damaged("the channel has no codes");
  }
  const values = levels.split(" ").map(fractionOf);
  const counts = new Map();
  for (const digit of codes) counts.set(digit, (counts.get(digit) ?? 0n) + 1n);
  const used = [...counts.keys()].sort().join("");
  const ascending = values.every((value, i) => i === 0 || values[i - 1].compare(value) < 0);
  if (values.length > CODE_DIGITS.length || used !== CODE_DIGITS.slice(0, values.length) || !ascending) {
    throw new Refused(ONE_SPELLING);
  }
  const of = new Map(values.map((value, i) => [CODE_DIGITS[i], value]));
  const masses = [...counts].map(([digit, count]) => of.get(digit).times(new Ratio(count)));
  const mass = masses.reduce((one, other) => one.plus(other));
  if (values[0].above < 0n || !mass.equals(new Ratio(1n))) {
    throw damaged("the probabilities of a law do not sum to 1");
  }
  const inputs = Number(wholeNumber(record.get("input_count"), 1n, BigInt(codes.length)));
  return new Structured([...codes].map((digit) => of.get(digit)), inputs);
}

function readCirculantLaw(record) {
  take(record, ["kind", "input_count", "law"]);
  const law = lawOf(record.get("law"));
  if (new Set(law.map(String)).size <= CODE_DIGITS.length) throw new Refused(ONE_SPELLING);
  return new Structured(law, Number(wholeNumber(record.get("input_count"), 1n, BigInt(law.length))));
}

function checkLabels(labels, count) {
  const named = (label) => {
    if (Array.isArray(label)) return `(${label.map(named).join()})`;
    if (typeof label === "string") return JSON.stringify(label);
    if (typeof label === "bigint") return String(label);
    throw damaged("a label is neither text nor number");
  };
  if (!Array.isArray(labels) || labels.length !== count || new Set(labels.map(named)).size !== count) {
    throw damaged("labels are missing, or stand twice");
  }
}

/** How the channel and the prior came to be exact. */
function channelNotes(subject) {
  const notes = [];
  if (subject.has("mechanism")) {
    const family = subject.get("mechanism");
    if (!FAMILIES.includes(family)) throw new Refused("the mechanism is of no family that is known");
    const name = family === "mechanism" ? "a mechanism" : family;
    notes.push(`${MAKER_SAYS} this is the law that ${name} samples, read from its integer thresholds.`);
  }
  if (subject.has("made_exact")) {
    const moved = subject.get("made_exact");
    take(moved, [], ["channel", "prior"]);
    if (!moved.size || ![...moved.values()].every((far) => isPlain(far) && far >= 0 && far <= MOST_MOVED)) {
      throw new Refused("an entry cannot have moved so far when it was made exact");
    }
    for (const what of ["channel", "prior"]) {
      if (moved.has(what)) {
        notes.push(
          `${MAKER_SAYS} this is a ${what} in float64 that was made exact by rounding each entry to a grid and ` +
            `putting what was missing on the largest entry of its row; no entry moved by more than ` +
            `${general(Ratio.ofDouble(moved.get(what)), 2)}.`,
        );
      }
    }
  }
  return notes;
}
