// What a device sends of one person: a row of reports, one sealed body for each receiver, and a name for it all that is
// the hash of a secret. Every body of a study has one length, and the bytes are those of Python (web/client.py).

import { base64, bigEndian, hex, joined, sha256, utf8 } from "./bytes.js";
import { sealShare, shareInfo } from "./sealing.js";

const REPORT_ID = "sfumato/report-id/1";
const WAVE_SECRET = "sfumato/wave-secret/1";
export const SECRET_BYTES = 32;

/** Return the name of a report: the hash of the secret that withdraws it. */
export async function reportId(secret) {
  return sha256(utf8(REPORT_ID), secret);
}

/** Return the secret of one wave of a panel, made of the device's own. */
export async function waveSecret(secret, fingerprint, wave) {
  return sha256(utf8(WAVE_SECRET), secret, utf8(`${fingerprint} ${wave}`));
}

/** Return the reports of one person as bytes; null is a gap, where gaps are public. */
export function packRow(form, cells) {
  const packed = form.columns.map(({ id, reports, gaps }, i) => {
    const { report } = cells[id];
    const isGap = report === null && gaps === "public";
    if (!isGap && !(Number.isSafeInteger(report) && report >= 0 && report < reports)) throw new RangeError("no report");
    return bigEndian(isGap ? reports : report, form.row[i].bytes);
  });
  return joined(...packed);
}

/** Return the submission of what was drawn for one person: row and bodies, under the name that the secret gives. */
export async function sealed(form, cells, secret) {
  const id = await reportId(secret);
  const shares = {};
  for (const { name, kem, publicKey, levels, moduli, bytes } of form.receivers) {
    const shifts = levels.map(({ id: question, level }) => cells[question].shifts[level]);
    const body = await sealShare(shifts, moduli, kem, publicKey, shareInfo(form.fingerprint, name, id));
    if (body.length !== bytes) throw new RangeError("a body of another length");
    shares[name] = body;
  }
  return { secret, id, row: packRow(form, cells), shares };
}

/** Return the bytes that are sent of a submission, with the credential that lets it in, or with a panel's token. */
export function reportBody(submission, { credential, token }) {
  const shares = Object.fromEntries(Object.entries(submission.shares).map(([name, body]) => [name, base64(body)]));
  const document = { id: hex(submission.id), row: base64(submission.row), shares };
  if (credential !== undefined)
    document.credential = { nonce: hex(credential.nonce), signature: base64(credential.signature) };
  if (token !== undefined) document.token = token;
  return spelled(document);
}

/** Spell a document as Python does: no blanks, and everything beyond ASCII escaped. */
export function spelled(document) {
  return utf8(
    JSON.stringify(document).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
