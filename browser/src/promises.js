// Whether a form is that of the study that was promised. An invitation may name the study by its fingerprint, which is
// the hash of everything that the study declares; then its questions, its readers and every ε can be held to that.

import { hex, sha256, utf8 } from "./bytes.js";
import { ONE, decimal, fraction } from "./numbers.js";
import { Ratio, ratio } from "./rationals.js";
import { Refusal } from "./refusals.js";

const MOST_TERMS = 4000;

/** Refuse a form that is not of the study with this fingerprint, given what the server says that the study is. */
export async function checkStudy(form, { study }, fingerprint) {
  const found = hex(await sha256(utf8(spelledSorted(study))));
  if (form.fingerprint !== fingerprint || found !== fingerprint)
    throw other("this is another study than the one of the invitation");
  if (form.mode !== (study.collect?.mode ?? "anonymous")) throw other("it is collected otherwise than the study says");
  const declared = study.questions;
  if (declared.length !== form.questions.length) throw other("the form has other questions than the study");
  form.questions.forEach((asked, i) => checkQuestion(asked, declared[i], study));
  if (form.sealed.length > 0 && !study.collect?.recover) throw other("the form seals answers, and the study does not");
  if (!form.sealed.every((one) => one.sees.every(({ name }) => name === "registrar")))
    throw other("the form seals answers for another reader than the registrar");
  const readers = [...(study.analysts ?? []).map((one) => one.name), ...(study.collect?.recover ? ["registrar"] : [])];
  if (!form.receivers.every((one) => readers.includes(one.name)))
    throw other("the form names a reader whom the study does not have");
}

function checkQuestion(asked, declared, study) {
  const listed = declared.answers ?? declared.options;
  const shown = asked.asks.answers ?? asked.asks.options;
  const isSame =
    asked.id === declared.id &&
    asked.text === declared.text &&
    asked.gaps === (declared.missing ?? "refused") &&
    asked.ask_if?.question === declared.ask_if?.question &&
    same(declared.ask_if?.is, asked.ask_if?.answers) &&
    same(listed, shown) &&
    isRange(asked.asks, declared);
  if (!isSame) throw other("a question of the form is not the study's");
  if (asked.asks.type === "listed" && asked.asks.sha256 !== declared.dictionary_sha256)
    throw other("a list of the form is not the study's");
  if (asked.drawing.levels.length === 0 && asked.draw.type === "card") {
    if (declared.max_epsilon !== undefined) checkWithin(asked.odds, declared.max_epsilon, asked.id);
    return;
  }
  const within = (odds, promised) => {
    const limits = [declared.epsilon, promised].filter((one) => one !== undefined);
    for (const epsilon of limits) checkWithin(odds, epsilon, asked.id);
    if (limits.length === 0) throw other("nothing is promised of a question");
  };
  within(asked.odds, study.public?.epsilon);
  for (const { name, odds } of asked.sees)
    if (name !== "registrar") within(odds, study.analysts.find((one) => one.name === name)?.epsilon);
}

/** Refuse odds above e^ε: sums of the exponential series stay below it, so one that reaches the odds is a proof. */
function checkWithin(odds, epsilon, question) {
  if (odds === null || !isWithin(odds, promised(epsilon)))
    throw new Refusal("odds", `Question ${question} would be drawn less privately than the study promises.`, {
      question,
    });
}

/** Whether odds are no more than e^ε, proven by a sum of the series 1 + ε + ε²/2 + … */
export function isWithin(odds, epsilon) {
  let [term, sum] = [ONE, ONE];
  for (let k = 1; k <= MOST_TERMS; k += 1) {
    if (sum.compare(odds) >= 0) return true;
    term = shortened(term.times(epsilon).over(ratio(k)));
    if (term.above === 0n) return false;
    sum = sum.plus(term);
  }
  return false;
}

/** A number rounded down to 128 digits after the point of the binary system, so that sums stay short. */
function shortened(value) {
  return new Ratio((value.above << 128n) / value.below, 1n << 128n);
}

function promised(epsilon) {
  return decimal(String(epsilon)) ?? fraction(String(epsilon));
}

/** Whether two lists have the same texts; neither is the same as neither. */
function same(one = [], other = []) {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

/** Whether numbers are asked in the range that the study declares. */
function isRange({ type, least, most, step }, declared) {
  if (type !== "number") return declared.highest === undefined;
  const wanted = [declared.lowest ?? 0, declared.highest, declared.step ?? 1];
  return [least, most, step].every((text, i) => decimal(text).equals(promised(wanted[i])));
}

function other(why) {
  return new Refusal("study", `Do not answer here: ${why}.`);
}

/** Spell a document as Python does where keys are sorted, with a blank after commas and colons. */
function spelledSorted(value) {
  if (Array.isArray(value)) return `[${value.map(spelledSorted).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${quoted(key)}: ${spelledSorted(value[key])}`)
      .join(", ")}}`;
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

function quoted(text) {
  return JSON.stringify(text).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
