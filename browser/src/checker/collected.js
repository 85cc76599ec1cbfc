/** How reports came in, in certificates of channels and of ladders. */
import { damaged, Refused } from "./outcomes.js";
import { take } from "./reading.js";

export const MAKER_SAYS = "Its maker says, and this file alone cannot show, that";
const MODES = new Map([
  [
    "anonymous",
    "whoever holds the server's files cannot tell by them who sent which report, but for the order in which they " +
      "were written where few were waiting at the same time; times and network addresses seen on the way still " +
      "link them.",
  ],
  [
    "panel",
    "each report is kept under a pseudonym that the office can link to the person, and all reports of one person can " +
      "be linked to each other.",
  ],
]);
const CIPHERS = ["x25519", "mlkem768-x25519"];

/** What is said of the collection, if it can be so: `keyed` levels are opened by keys, `back` if answers are too. */
export function collectedNotes(subject, { keyed, back }) {
  if (!subject.has("collected")) return [];
  const told = subject.get("collected");
  take(told, ["mode"], ["sealed_by", "guarantee", "recover"]);
  const [mode, cipher, recovers] = [told.get("mode"), told.get("sealed_by"), told.has("recover")];
  if (!MODES.has(mode)) throw new Refused("collected.mode is neither anonymous nor panel");
  if (recovers && told.get("recover") !== true) throw damaged("collected.recover is true, or is not there");
  if (recovers && !back) {
    throw new Refused("collected.recover says that answers come back, and the ladder has no key for that");
  }
  const sealed = keyed > 0 || recovers;
  if (sealed !== told.has("sealed_by") || (sealed && !CIPHERS.includes(cipher))) {
    throw new Refused("collected.sealed_by names no cipher where keys show more, or one where there are no keys");
  }
  if (sealed !== told.has("guarantee") || (sealed && told.get("guarantee") !== "computational")) {
    throw new Refused("collected.guarantee is not computational where draws travel sealed, or is there without any");
  }
  const notes = [
    `${MAKER_SAYS} the reports were collected over the web, each drawn on the device of its respondent, which the ` +
      `answer did not leave.`,
    `${MAKER_SAYS} the mode is ${mode}: ${MODES.get(mode)}`,
  ];
  if (sealed) {
    notes.push(
      `Computational: what keys show beyond the public report is made of draws that devices sealed, by HPKE with ` +
        `${cipher}. Who has these and no key sees no more than the public, as long as that cipher is not broken and ` +
        `the public keys are the readers' own; an advantage of 2^-64 against it adds what is said of seeds above. The ` +
        `public report alone needs no such assumption.`,
    );
  }
  if (recovers) {
    notes.push(
      `${MAKER_SAYS} the study opts into recovery over the web: devices sealed for the registrar what gives the ` +
        `answers back.`,
    );
  } else if (back) {
    notes.push(
      `${MAKER_SAYS} the study does not opt into recovery over the web: no device sent what gives the answers back, ` +
        `and nobody can recover them from these reports.`,
    );
  }
  return notes;
}
