// What a respondent's page calls: load the form, check answers, draw, send, take back. Answers stay in this file's
// arguments and in the device's memory: nothing here sends one.

import { askedOf } from "./asking.js";
import { base64, hex, unbase64, utf8 } from "./bytes.js";
import { blind, readKey, unblinded } from "./blind_rsa.js";
import { answerProblems, checkTexts, drawCell, readForm } from "./forms.js";
import { DeviceMemory } from "./memory.js";
import { checkStudy } from "./promises.js";
import { Refusal } from "./refusals.js";
import { Dice } from "./samplers.js";
import { Server, sleep } from "./server.js";
import { reportBody, reportId, sealed, spelled } from "./submission.js";
import { Wallet } from "./wallet.js";
import { SystemWords } from "./words.js";

export { Refusal };

/** So long is waited on average between spending a token and sending the report: as web/client.py does. */
export const WAIT_SECONDS = 300;
const WORDS = new SystemWords();
const STATEMENT = "sfumato/credential/1 ";

/**
 * Return the form, once everything about it that can be checked is; `invitation` is what `readInvitation` found.
 * Refuses a page that came without encryption: whoever is on the way could have changed it.
 */
export async function loadForm({ invitation = readInvitation(), server = new Server() } = {}) {
  if (!globalThis.isSecureContext || crypto.subtle === undefined)
    throw new Refusal(
      "insecure",
      "This page came without encryption, so that it could have been changed on the way. Open it with https://.",
    );
  const form = readForm(await server.get("form"));
  await checkTexts(form);
  if (invitation.study !== undefined) await checkStudy(form, await server.get("study"), invitation.study);
  return form;
}

/** Return what an invitation's link says after #, which no server sees: the token, and what it can be checked by. */
export function readInvitation(fragment = globalThis.location?.hash ?? "") {
  const [first = "", ...others] = fragment.replace(/^#/, "").split("&");
  const named = new URLSearchParams(others.join("&"));
  return {
    token: decodeURIComponent(first) || undefined,
    study: named.get("study") ?? undefined,
    key: named.get("key") ?? undefined,
  };
}

/** Return a token as it was typed or copied: blanks, dashes and small letters do not matter. */
export function readToken(text) {
  const found = String(text ?? "")
    .replace(/[\s-]/g, "")
    .toUpperCase();
  if (!/^[A-Z2-7]{32}$/.test(found))
    throw new Refusal("token", "A token has 32 letters and digits (A to Z, 2 to 7). Copy it from the invitation.");
  return found;
}

/** Return which questions are asked, given the answers so far. */
export function askedQuestions(form, answers) {
  return form.questions.filter((one) => askedOf(form, answers).has(one.id)).map((one) => one.id);
}

/** Return what is wrong with answers, by question: see `answerProblems`. */
export function checkAnswers(form, answers) {
  return answerProblems(form, answers);
}

/**
 * Draw the reports of answers, or find what these answers got before, and seal what is for receivers. `cells` says of
 * each question what its report is, for the page to show; row and shares are what is sent.
 */
export async function drawAll(form, answers, { memory = new DeviceMemory(WORDS) } = {}) {
  const problems = answerProblems(form, answers);
  if (Object.keys(problems).length > 0) throw new Refusal("answers", "Some answers cannot be sent yet.", { problems });
  return memory.held(form, async (remembered) => {
    const dice = new Dice(WORDS);
    const cells = {};
    for (const question of form.questions) {
      const answer = answers[question.id];
      cells[question.id] = await remembered.cell(question, answer, () => drawCell(question, answer, dice));
    }
    // A sealed answer is drawn afresh each time: one that came again would tell that the answer has stayed.
    for (const column of form.sealed) cells[column.id] = drawCell(column, answers[column.of], dice);
    const before = await remembered.sent(answers);
    const made = before ?? (await sealed(form, cells, await remembered.secret()));
    if (before === undefined) await remembered.keepSent(answers, made);
    return { ...made, id: await reportId(made.secret), cells: form.questions.map((one) => shown(one, cells[one.id])) };
  });
}

function shown({ id, odds, report_labels: labels }, { report }) {
  return { question: id, report, label: report === null ? null : (labels?.[report] ?? String(report)), odds };
}

/**
 * Send what `drawAll` made, and return once it is on the server's disk. In anonymous mode the token is spent first, and
 * the report follows after a random time, so that neither is linked to the other. Whoever is interrupted calls again.
 * `onProgress` hears "credential", "waiting" with the seconds, "sending" and "kept".
 */
export async function submit(form, made, options) {
  const { token, key, onProgress = () => {}, waitSeconds = WAIT_SECONDS, pause = sleep } = options;
  const { server = new Server(), wallet = new Wallet(), memory = new DeviceMemory(WORDS) } = options;
  const spent = readToken(token);
  await wallet.keepSecret(form.fingerprint, made.secret);
  let body;
  if (form.mode === "panel") body = reportBody(made, { token: spent });
  else {
    onProgress("credential");
    const credential = await credentialFor(form, spent, key, server, wallet);
    const wait = drawnWait(waitSeconds);
    onProgress("waiting", wait);
    await pause(1000 * wait);
    body = reportBody(made, { credential });
  }
  onProgress("sending");
  await server.post("reports", body);
  await memory.markDone(form, made.secret);
  onProgress("kept");
  return { id: hex(made.id) };
}

/**
 * Return how many seconds to wait, exponential with this mean. How long somebody has waited says nothing about how long
 * they will, so whoever comes back to the page may draw anew. It moves a request in time, and is no draw of a report.
 */
export function drawnWait(mean) {
  return -mean * Math.log((Number(WORDS.next() >> 11n) + 1) / 2 ** 53);
}

/** Return what was drawn in this wave and is not known to be on the server's disk; undefined where nothing is. */
export async function unsent(form, { memory = new DeviceMemory(WORDS) } = {}) {
  const found = await memory.unsent(form);
  return found === undefined ? undefined : { ...found, id: await reportId(found.secret) };
}

/** Return a signed credential: the one that the wallet holds, or a new one for the token. */
async function credentialFor(form, token, keyName, server, wallet) {
  let held = await wallet.credential(form.fingerprint, token);
  const statement = utf8(`${STATEMENT}${form.fingerprint}`);
  const publicKey = held?.publicKey ?? (await server.get("credentials")).public_key;
  const key = await readKey(publicKey);
  if (keyName !== undefined && key.digest !== keyName)
    throw new Refusal(
      "key",
      "The server signs credentials with another key than the invitation names. By a key of your own it could know you.",
    );
  held ??= { publicKey, ...(await blind(key, statement, WORDS)) };
  if (held.signature === undefined) {
    await wallet.keepCredential(form.fingerprint, token, held);
    const answer = await server.post("credentials", spelled({ token, blinded: base64(held.blinded) }));
    held.signature = await unblinded(key, { ...held, statement }, unbase64(answer.signature));
    await wallet.keepCredential(form.fingerprint, token, held);
  }
  return held;
}

/** Take back everything that this device has sent to the study; returns how many reports. */
export async function withdraw(form, options = {}) {
  const { server = new Server(), wallet = new Wallet(), memory = new DeviceMemory(WORDS) } = options;
  const secrets = wallet.secrets(form.fingerprint);
  for (const secret of secrets) {
    try {
      await server.post("withdrawals", spelled({ secret: hex(secret) }));
    } catch (error) {
      // A report that was never kept, or is gone, needs no withdrawal.
      if (![404, 410].includes(error.status)) throw error;
    }
    await wallet.forgetSecret(form.fingerprint, secret);
    await memory.markDone(form, secret);
  }
  return secrets.length;
}
