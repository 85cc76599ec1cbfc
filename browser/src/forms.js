// The form of a study, as `GET /form` gives it (study/forms.py): read, checked for what can be checked, and drawn.

import { askedOf, isKnown, isNothing, placeOf, symbolCount, symbolOf, textsOf } from "./asking.js";
import { hex, sha256, unbase64, utf8, widthOf } from "./bytes.js";
import { drawingOf } from "./drawing.js";
import { ONE, fraction } from "./numbers.js";
import { Refusal, reading } from "./refusals.js";
import { KEMS, shareBytes } from "./sealing.js";

const SCHEMA = "sfumato/form/1";
const MODES = ["anonymous", "panel"];
const GAPS = ["refused", "hidden", "public"];

/**
 * Read a form. What a report tells is worked out from the numbers that it is drawn by; a form that states less than
 * that is refused, and so is one whose lengths, levels or places do not fit together.
 */
export function readForm(document) {
  if (document?.schema !== SCHEMA) throw new Refusal("form", "The server sent no form that this page can read.");
  return reading("form", "The form that the server sent is damaged", () => {
    const questions = document.questions.map(readQuestion);
    const byId = new Map(questions.map((one) => [one.id, one]));
    check(byId.size === questions.length && questions.length > 0, "two questions of one name");
    check(MODES.includes(document.mode) && isWhole(document.wave), "no mode or wave");
    check(/^[0-9a-f]{64}$/.test(document.fingerprint), "no fingerprint");
    const sealed = (document.sealed ?? []).map((one) => readSealed(one, byId));
    const columns = [...questions, ...sealed];
    const columnsById = new Map(columns.map((one) => [one.id, one]));
    check(columnsById.size === columns.length, "two columns of one name");
    const row = document.row.map(([id, bytes]) => ({ id, bytes }));
    check(row.length === columns.length, "another number of reports than of questions");
    row.forEach(({ id, bytes }, i) => {
      const most = columns[i].reports - (columns[i].gaps === "public" ? 0 : 1);
      check(id === columns[i].id && bytes === widthOf(most + 1), "a row of other lengths");
    });
    for (const [at, question] of questions.entries())
      if (question.ask_if !== undefined) checkRule(question, questions.slice(0, at));
    const receivers = document.receivers.map((one) => readReceiver(one, columnsById));
    check(new Set(receivers.map((one) => one.name)).size === receivers.length, "two receivers of one name");
    check(new Set(receivers.map((one) => one.key)).size === receivers.length, "two receivers with one key");
    const { study, fingerprint, mode, wave } = document;
    return { study, fingerprint, mode, wave, questions, sealed, columns, receivers, row };
  });
}

function readQuestion(document) {
  const { id, text, asks, gaps, reports } = document;
  check(typeof id === "string" && typeof text === "string" && isKnown(asks), "a question of another kind");
  check(GAPS.includes(gaps) && (gaps === "hidden") === "nobody" in asks, "no word about gaps");
  const drawing = drawingOf(document.draw, reports);
  drawing.checkSymbols(symbolCount(asks));
  const odds = drawing.odds();
  checkOdds(odds, document.odds, id);
  const sees = document.sees.map((one) => ({ name: one.name, odds: one.odds }));
  return { ...document, drawing, odds, sees };
}

/**
 * Read a sealed column: the number of the answer to a question, moved by a draw that only its receivers get. Such a draw
 * must be uniform, so that to all others the column tells nothing.
 */
function readSealed(document, byId) {
  const { id, of, reports } = document;
  const question = byId.get(of);
  check(typeof id === "string" && question?.asks.type === "number", "a sealed column of no question");
  const asks = { ...question.asks, rounding: { type: "random", times: 1, parts: 1 } };
  if (question.gaps === "hidden") asks.nobody = reports - 1;
  const drawing = drawingOf(document.draw, reports);
  check(symbolCount(asks) === reports && drawing.places === undefined, "a sealed column of other answers");
  check(drawing.levels.length === 1 && drawing.levels[0] === 0, "a sealed column with other levels");
  const odds = drawing.odds();
  if (odds === null || !odds.equals(ONE))
    throw new Refusal("odds", `The sealed column of question ${of} would tell something of the answer.`, {
      question: of,
    });
  const sees = document.sees.map((one) => ({ name: one.name, odds: one.odds }));
  return { ...document, asks, gaps: question.gaps, drawing, odds, sees };
}

function checkRule({ ask_if: rule, gaps }, earlier) {
  const before = earlier.find((one) => one.id === rule.question);
  check(before !== undefined && gaps === "hidden", "a skip rule that would tell an answer");
  const known = before.asks.answers ?? before.asks.options ?? [];
  check(
    rule.answers.every((text) => known.includes(text)),
    "a skip rule about what is no answer",
  );
}

function readReceiver(document, byId) {
  const { name, kem, levels, moduli, bytes } = document;
  check(Object.hasOwn(KEMS, kem), "bodies that are sealed otherwise");
  const key = unbase64(document.public_key);
  check(key.length === KEMS[kem].publicBytes, "no public key");
  const opened = Object.entries(levels).map(([id, level]) => ({ id, level }));
  check(opened.length === moduli.length && opened.length > 0, "other levels than moduli");
  opened.forEach(({ id, level }, i) => {
    const question = byId.get(id);
    check(question !== undefined && question.reports === moduli[i], "another modulus than the question's");
    check(question.drawing.levels.includes(level), "a level that nobody holds");
    const seen = question.sees.find((one) => one.name === name);
    check(seen !== undefined, "a receiver whom the question does not name");
    const odds = level === 0 ? null : question.drawing.odds(level);
    checkOdds(odds, seen.odds, id);
    seen.odds = odds;
  });
  check(bytes === shareBytes(moduli, kem), "bodies of another length");
  return { name, kem, publicKey: key, key: document.public_key, levels: opened, moduli, bytes };
}

/** Refuse a draw that tells more than is stated beside it; null is without limit. */
function checkOdds(found, stated, id) {
  const isMore = stated !== null && (found === null || found.compare(fraction(stated)) > 0);
  if (isMore)
    throw new Refusal("odds", `Question ${id} would be drawn less privately than the form says.`, { question: id });
}

/** Check that the texts of long lists are those that the study names by their digest. */
export async function checkTexts(form) {
  for (const { asks, id } of form.questions.filter((one) => one.asks.type === "listed")) {
    const digest = hex(await sha256(utf8(asks.texts)));
    if (digest !== asks.sha256 || textsOf(asks).size < 1)
      throw new Refusal("form", `The list of question ${id} is not the study's.`);
  }
}

/**
 * Return what is wrong with answers, by question: "missing", "not-asked", "no-answer", "no-number", "outside",
 * "between-steps". An empty object is what can be drawn.
 */
export function answerProblems(form, answers) {
  const asked = askedOf(form, answers);
  const found = {};
  for (const { id, asks, gaps } of form.questions) {
    const answer = answers[id];
    if (isNothing(asks, answer)) {
      if (gaps === "refused") found[id] = "missing";
    } else if (!asked.has(id)) found[id] = "not-asked";
    else {
      const place = placeOf(asks, answer);
      if (typeof place === "string") found[id] = place;
    }
  }
  return found;
}

/** Return what tells an answer from others: its place as text, or that there is none. */
export function answerMark(question, answer) {
  return isNothing(question.asks, answer) ? "none" : String(placeOf(question.asks, answer));
}

/** Draw for an answer that has no problem: the report, null where a gap is public, and the shifts by level. */
export function drawCell(question, answer, dice) {
  const { asks, drawing, gaps } = question;
  if (isNothing(asks, answer)) return drawing.draw(gaps === "hidden" ? asks.nobody : null, dice);
  return drawing.draw(symbolOf(asks, placeOf(asks, answer), dice), dice);
}

function isWhole(value) {
  return Number.isSafeInteger(value) && value > 0;
}

function check(holds, what) {
  if (!holds) throw new RangeError(what);
}
