/** What noise claims when it is made for people who depend on few others. */
import { rule } from "./claims.js";
import { damaged } from "./outcomes.js";
import { atMost } from "./phrases.js";

export const MOST_PEOPLE = 10n ** 12n;
export const NO_ODDS_NOTE =
  "In bits, under any knowledge about people outside of a group; the odds between two values are not bounded.";
const MOST_DIGITS = 400;
const EXCLUDED =
  "A common cause that nobody knows, such as how frequent something is, makes everybody depend on everybody, and " +
  "is excluded.";

/** Raise where an exact number of the subject is longer than any that Sfumato writes. */
export function checkDigits(subject, names) {
  if (names.some((name) => String(subject.get(name) ?? "").length > MOST_DIGITS)) {
    throw damaged("a number of its subject cannot be");
  }
}

/** The assumption, in words that follow an if. */
const assumed = (people) =>
  people === 1n ? "nobody depends on anybody else" : `at most ${people} people depend on each other`;

/** About whom a release tells so much, to the end of the sentence. */
export function toldAbout(people, one = "any one record", few = false) {
  if (people === null) {
    const everybody = few ? "" : ", and about all of them together";
    return `${one}${everybody}, whatever is known beforehand and however the records depend on each other.`;
  }
  const group = few || people === 1n ? "" : ", and about a whole group together";
  return `${one}${group}, if ${assumed(people)}, whatever is known about all others.`;
}

/** Which releases may be added, and what is assumed. */
export const groupNotes = (people) => [
  "One release. The bits of several releases about the same records add up, all counted under one assumption.",
  `Assumed, and not checked: ${assumed(people)}. ${EXCLUDED}`,
];

/** What who knows the others learns (bound 0), and what would be learnt if the assumption were false (bound 1). */
export function groupRules(people, bound, because) {
  const known = rule({
    measure: "others_known_bits",
    unit: "bits",
    because: `${because} one record`,
    sentence: (value) => `Who also knows the others of the group learns at most ${atMost(value)} bits.`,
    find: () => bound(0),
    relation: "≤",
  });
  const broken = rule({
    measure: "if_all_depend_bits",
    unit: "bits",
    because: `${because} all records`,
    sentence: (value) =>
      "If the assumption were false, and anybody might depend on everybody, it would tell at most " +
      `${atMost(value)} bits.`,
    find: () => bound(1),
    relation: "≤",
  });
  return people > 1n ? [known, broken] : [broken];
}
