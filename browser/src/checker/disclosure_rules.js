/** What certificates of disclosures claim: those that have law and mapping, and those that state numbers only. */
import { Ratio } from "../rationals.js";
import { Ends, rule } from "./claims.js";
import { MAKER_SAYS } from "./collected.js";
import {
  paddedSymbols,
  publicLeak,
  readEstimation,
  readGroups,
  readMapping,
  readShape,
} from "./disclosures.js";
import { checkSmoothed, driftRules } from "./drift.js";
import { exactly, largest, ZERO } from "./enclosures.js";
import { damaged, MOST, TooLarge } from "./outcomes.js";
import { atLeast, atMost, general, wordsFor } from "./phrases.js";
import { slowness, take, wholeNumber } from "./reading.js";
import { checkStated, statedInterval } from "./stated.js";

const ONE_RELEASE =
  "One release of a data set. Two private releases of the same data can leak together: design them jointly.";
const ONE_LAW_NOTE =
  "The bound for any true law takes it that the records that the law was made from and the person are independent " +
  "draws of that law. Where those records are of another year or place whose law was another, it says nothing.";
const PRIVATE_NOTE =
  "PRIVATE: the law or the mapping in this file was made from protected records, and gives them away. Show it to " +
  "nobody who may not see the records; the public certificate commits to it.";
const LAW_NOTES = {
  declared: "the law was declared, and not made from the records that are released.",
  published: "the law was counted in records that everybody may see, and none of them is released here.",
  private_histogram: "the law is made of noisy counts of the released records, and of nothing else about them.",
};
const WITHHELD_NOTE =
  "The mapping was made from protected records, so the law and the mapping are private, and so is how much is told; " +
  "what a symbol says of a data set, P(x|y), is withheld. That nothing is told if the law is p̂ is stated, not " +
  "checked: whoever may see the private certificate can verify it, and that it is the one committed to here.";
const MOST_VALUES = 1n << 1000n;
const MOST_STATED_VALUES = 1n << 31n;
const LEAK = "sample_leak_bits";
const TOLD = "disclosed_bits";

/** Return the rules and notes of a certificate of a disclosure that has its law and mapping. */
export function checkDisclosure(subject) {
  take(subject, ["shape", "cells", "masses", "groups", "mapping", "estimation", "salt"]);
  const shape = readShape(subject.get("shape"), MOST_VALUES);
  const groups = readGroups(subject.get("groups"), shape.length);
  const estimation = readEstimation(subject.get("estimation"));
  const salt = subject.get("salt");
  const salted = typeof salt === "string" && /^[0-9a-f]{64}$/.test(salt);
  if (salted !== estimation.isPrivate || (!salted && salt !== null)) {
    throw damaged("a salt belongs to private certificates, and to no others");
  }
  const mapping = readMapping(subject, shape);
  const each = mapping.rows[0].length * groups.length * slowness(mapping.whole);
  const steps = mapping.cells.length * (each + groups.reduce((count, group) => count + group.length, 0));
  if (steps > MOST.mappingSteps) throw new TooLarge(`the mapping would take ${steps} steps`);
  checkSmoothed(mapping, shape, estimation);
  const rules = [...driftRules(shape, groups, estimation, mapping), leakRule(mapping, groups), toldRule(mapping)];
  const note = estimation.isPrivate ? PRIVATE_NOTE : `${MAKER_SAYS} ${LAW_NOTES[estimation.law]}`;
  return [rules, [note, ...lawNotes(estimation), ONE_RELEASE]];
}

/** What a bound for other laws rests on, where there is one. */
const lawNotes = ({ terms }) => (terms === null ? [] : [ONE_LAW_NOTE]);

/** What nothing is told about. */
const protectedWords = (groups) =>
  groups.every((group) => group.length === 1) ? "any single sample" : "any protected group of samples";

/** Nothing at all, exactly, where every group is independent of the symbol; else the largest information. */
function leakRule(mapping, groups) {
  const what = protectedWords(groups);
  if (groups.every((group) => mapping.isIndependentOf(group))) {
    return rule({
      measure: LEAK,
      unit: "bits",
      because: "P(x_group, y) = P(x_group)P(y) for every value and symbol, in fractions [D, Def. 1]",
      sentence: () => `The release tells nothing at all about ${what}, if the data follow the law.`,
      find: () => new Ratio(0n),
      exact: true,
    });
  }
  return rule({
    measure: LEAK,
    unit: "bits",
    because: "I(X_group;Y) of the mapping, the largest over the groups, rounding included [D, Def. 1]",
    sentence: (value) => `The release tells at most ${atMost(value)} bits about ${what}.`,
    find: () => new Ends(ZERO, largest(groups.map((group) => mapping.information(group)))),
    relation: "≤",
  });
}

function toldRule(mapping) {
  const everything = mapping.cells[0].map((_, i) => i);
  return rule({
    measure: TOLD,
    unit: "bits",
    because: "I(X^n;Y) of the mapping under the law [Sha48]",
    sentence: (value) =>
      wordsFor(
        mapping.entropy(),
        (whole) => `The release tells ${atLeast(value)} bits about the whole data set, of ${whole} in it.`,
      ),
    find: () => Ends.around(mapping.saysNothing ? ZERO : mapping.information(everything)),
  });
}

/** Return the rules and notes of a certificate that states what a private one proves. */
export function checkPublicDisclosure(subject) {
  take(subject, ["shape", "groups", "symbols", "estimation", "commitment"]);
  const shape = readShape(subject.get("shape"), MOST_STATED_VALUES);
  const groups = readGroups(subject.get("groups"), shape.length);
  const estimation = readEstimation(subject.get("estimation"));
  const commitment = subject.get("commitment");
  const commits = typeof commitment === "string" && /^sha256:[0-9a-f]{64}$/.test(commitment);
  if (!estimation.isPrivate || !commits) throw damaged("it commits to no private one");
  if (wholeNumber(subject.get("symbols"), 1n, 1n << 53n) !== paddedSymbols(shape, groups)) {
    throw damaged("its number of symbols is not what its shape is padded to");
  }
  const rules = [...driftRules(shape, groups, estimation, null), statedLeakRule(groups, publicLeak(shape))];
  return [rules, [WITHHELD_NOTE, ...lawNotes(estimation), ONE_RELEASE]];
}

function statedLeakRule(groups, leak) {
  const what = protectedWords(groups);
  return rule({
    measure: LEAK,
    unit: "bits",
    because: "I(X_group;Y) of the private mapping, the largest over the groups [D, Def. 1]",
    sentence: (value) =>
      value.upper.above
        ? `The release tells at most ${general(value.upper, 6)} bits about ${what}, if the data follow the law.`
        : `The release tells nothing at all about ${what}, if the data follow the law.`,
    find: (claim) => {
      const { lower, upper } = statedInterval(claim);
      checkStated(lower.above === 0n && upper.equals(leak), claim);
      return new Ends(exactly(lower), exactly(upper));
    },
    relation: "≤",
    stated: true,
  });
}
