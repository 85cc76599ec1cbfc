/**
 * Check a certificate of Sfumato in a browser.
 *
 * What `sfumato_check.py` does with Python's whole numbers is done here with BigInts: the seal and the one spelling of
 * the file, and then every number, word, note and source of it. The answers and the codes are the same:
 *
 *     0   every claim is checked
 *     1   refused: something in the file is false, vague, missing or out of its place
 *     2   unreadable: this is no certificate that I know
 *     3   nothing is wrong, but not every claim is checked
 */
import { checkBeliefNoise } from "./belief_rules.js";
import { checkChannel } from "./channel_subjects.js";
import { checkClaims } from "./claims.js";
import { checkDisclosure, checkPublicDisclosure } from "./disclosure_rules.js";
import { checkLadder } from "./ladder_rules.js";
import { checkNoise } from "./noise_rules.js";
import { CHECKED, damaged, EXIT, Refused, TOO_LARGE, TooLarge, Unreadable } from "./outcomes.js";
import { checkRankNoise } from "./rank_rules.js";
import { readCertificate } from "./reading.js";
import { citedSources } from "./sources.js";
import { pieces } from "./strict_json.js";
import { checkVectorNoise } from "./vector_rules.js";

const KINDS = {
  "sfumato/certificate/belief-noise/1": checkBeliefNoise,
  "sfumato/certificate/channel/1": checkChannel,
  "sfumato/certificate/disclosure/1": checkDisclosure,
  "sfumato/certificate/disclosure-public/1": checkPublicDisclosure,
  "sfumato/certificate/ladder/1": checkLadder,
  "sfumato/certificate/noise/1": checkNoise,
  "sfumato/certificate/rank-noise/1": checkRankNoise,
  "sfumato/certificate/vector-noise/1": checkVectorNoise,
};

/** Check the bytes of a certificate, or raise Unreadable, Refused or, where nothing could be done, TooLarge. */
function checkCertificate(bytes, tell) {
  const document = readCertificate(bytes, (schema) => Object.hasOwn(KINDS, schema));
  const claims = document.get("claims");
  const [answers, notes] = checkedClaims(document, tell);
  const given = document.get("notes");
  if (given.length !== notes.length || notes.some((note, i) => given[i] !== note)) {
    throw new Refused("the notes are not the ones that belong to the subject");
  }
  const cited = citedSources(claims.map((claim) => claim.get("because")));
  if (!sameSpelling(document.get("sources"), cited)) {
    throw new Refused("the sources are not the works that the claims cite");
  }
  return { kind: document.get("schema").split("/")[2], answers, document };
}

function checkedClaims(document, tell) {
  const claims = document.get("claims");
  const measures = new Set(claims.map((claim) => claim.get("measure")));
  try {
    const [rules, notes] = KINDS[document.get("schema")](document.get("subject"), measures);
    return [checkClaims(claims, rules, tell), notes];
  } catch (error) {
    // Numbers that are too long, nothing to divide by, lists too deep.
    if (error instanceof RangeError) throw damaged("it holds numbers or lists that none has");
    throw error;
  }
}

const sameSpelling = (one, other) => [...pieces(one)].join("") === [...pieces(other)].join("");

const OUTCOMES = [
  [Unreadable, "unreadable", EXIT.unreadable],
  [Refused, "refused", EXIT.refused],
  [TooLarge, TOO_LARGE, EXIT.open],
];

/** Check a certificate and put everything that there is to say about it into one record. */
export function answerTo(bytes, tell) {
  const record = { schema: "sfumato/check/1", kind: null, claims: [] };
  try {
    const { kind, answers, document } = checkCertificate(bytes, tell);
    return { ...record, kind, claims: answers, ...summary(answers), document };
  } catch (error) {
    const [, answer, code] = OUTCOMES.find(([type]) => error instanceof type) ?? [];
    if (answer) return { ...record, answer, exit_code: code, because: error.message };
    const because = `the certificate is damaged in a way that I did not expect (${error?.name})`;
    return { ...record, answer: "unreadable", exit_code: EXIT.unreadable, because };
  }
}

function summary(answers) {
  const open = answers.filter(({ answer }) => answer !== CHECKED).length;
  if (!open) {
    return { answer: CHECKED, exit_code: EXIT.checked, because: "every claim follows from what the file declares" };
  }
  const because = `nothing is wrong, but ${open} of ${answers.length} claims are not checked`;
  return { answer: "not wholly checked", exit_code: EXIT.open, because };
}
