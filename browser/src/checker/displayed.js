/**
 * What a page shows of a certificate: the words that Sfumato puts beside each claim, made again from the document.
 *
 * A page that was changed after it was made shows something else, and whoever compares notices.
 */
import { powerOfTen, Ratio } from "../rationals.js";
import { readClaim } from "./claims.js";
import { joinNames } from "./ladder_words.js";
import { atLeast, atMost, fractionWords, general, INFINITE, Interval, oneDigit } from "./phrases.js";
import { parseJson } from "./strict_json.js";

const NAMES = {
  guess_error: "guess error",
  epsilon: "ε (local differential privacy)",
  total_variation: "total variation",
  min_entropy_leakage_bits: "min-entropy leakage",
  maximal_leakage_bits: "maximal leakage",
  mutual_information_bits: "mutual information",
  max_information_bits: "max-information",
  capacity_bits: "capacity",
  randomness_bits: "randomness",
  heaviest_output: "recovery: heaviest output",
  chernoff_information: "Chernoff information",
  fisher_information: "Fisher information",
  neighbour_odds: "odds between neighbours",
  correlated_odds: "odds with correlations",
  individual_capacity_bits: "individual capacity",
};
const LEVELS = /^(odds|epsilon|key_bits)_(level|coalition)_([0-9]+(?:_[0-9]+)*)$/;
const CALLED = { odds: "odds", epsilon: "ε", key_bits: "key bits" };
const WITHOUT_UNIT = ["probability", "ratio", "sum"];
// Measures of which at least so much is promised; all others are promises of at most so much.
const AT_LEAST = ["randomness_bits", "separate_randomness_bits", "disclosed_bits", "key_bits_level_"];
const LARGE = new Ratio(10n ** 15n);

/** The texts of a checked document, as a page has them. */
export function displayed(document) {
  return {
    claims: document.get("claims").map((record) => displayedClaim(readClaim(record), document.get("subject"))),
    notes: document.get("notes"),
    sources: [...document.get("sources")].map(([key, source]) => {
      const [authors, title, venue, year] = ["authors", "title", "venue", "year"].map((name) => source.get(name));
      return `[${key}] ${authors}: ${title}. ${venue}, ${year}.`;
    }),
    digest: document.get("digest"),
  };
}

function displayedClaim({ record, measure, value }, subject) {
  const [relation, unit, stated] = [record.get("relation"), record.get("unit"), record.get("status") === "stated"];
  const suffix = WITHOUT_UNIT.includes(unit) ? "" : ` ${unit}`;
  const sign = ["≥", "≤"].includes(relation) ? `${relation} ` : "";
  return {
    measure,
    name: nameOf(measure, subject),
    value: sign + numberOf(measure, value, relation, stated) + suffix,
    status: stated ? "stated" : statusOf(value, relation),
    because: record.get("because"),
    sentence: record.get("sentence"),
  };
}

/** The measure as a reader knows it. */
function nameOf(measure, subject) {
  const found = LEVELS.exec(measure);
  if (found && subject.has("readers")) return namedLevels(found, subject);
  return NAMES[measure] ?? measure.replaceAll("_", " ").replaceAll("epsilon", "ε");
}

function namedLevels([, what, of, numbers], subject) {
  const readers = subject.get("readers");
  const depth = parseJson(subject.get("ladder")).get("odds").length;
  const levels = numbers.split("_").map(Number);
  const people = (level) => (level === 0 ? ["the registrar"] : level === depth ? ["the public"] : readers[level - 1]);
  const who = `${CALLED[what]}, ${joinNames(levels.flatMap(people), "and")}`;
  if (of === "level") return who;
  if (levels.length > 1) return `${who} together`;
  return levels[0] === depth ? `${who} alone` : `${who} with both reports`;
}

/** The number. A bound is shown as a bound, and an interval by the end that its promise rests on. */
function numberOf(measure, value, relation, stated) {
  if (value === INFINITE) return "∞";
  if (value instanceof Ratio) return fractionWords(value);
  if (stated) return (relation === "in" ? `${general(value.lower, 6)} to ` : "") + general(value.upper, 6);
  const least = relation === "≥" || (relation === "in" && AT_LEAST.some((start) => measure.startsWith(start)));
  const end = least ? value.lower : value.upper;
  if (relation !== "in" || end.compare(LARGE) >= 0) return least ? atLeast(end) : atMost(end);
  const width = widthOf(value);
  const places = width > 0 ? Math.min(9, Math.max(1, Math.floor(-Math.log10(width)))) : 9;
  const scaled = end.times(powerOfTen(places));
  const digits = String(least ? scaled.floor() : scaled.ceil()).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}

/** How well the number is known. */
function statusOf(value, relation) {
  if (!(value instanceof Interval)) return "exact";
  return relation === "in" ? `certified ±${oneDigit(Ratio.ofDouble(widthOf(value) / 2))}` : "certified";
}

const widthOf = ({ lower, upper }) => upper.toNumber() - lower.toNumber();
