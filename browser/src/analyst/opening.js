/**
 * Reports opened with a reader's private key and counted, as `sfumato keys unseal` and `open` do it.
 *
 * A body that does not open, or holds what no device draws, drops its row for this reader: it is counted and stops nothing.
 */

import { HkdfSha256, X25519 } from "@hpke/dhkem-x25519";
import { createMlKem768 } from "mlkem";

import { base64 } from "../bytes.js";
import { openerOf, shareInfo } from "../sealing.js";
import { KeyRefused } from "./key_files.js";

const ID_BYTES = 32;
const AT_ONCE = 64;
const KINDS = { x25519: 32, "mlkem768-x25519": 96 };
const BASE = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 9 : 0));
const SEED_BYTES = 64;

/** Take apart what GET /shares sends: a document, and where each row begins. */
export function rowsIn(data) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, false);
  const reading = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  if (reading.schema !== "sfumato/reading/1") throw new KeyRefused("The server sent what this page does not read: it is of another version.");
  const size = ID_BYTES + reading.row_bytes + reading.share_bytes;
  const rows = data.subarray(4 + length);
  if (rows.length !== size * reading.rows) throw new KeyRefused("What the server sent was cut off. Try again.");
  const row = (i) => {
    const start = i * size;
    return {
      id: rows.subarray(start, start + ID_BYTES),
      reports: rows.subarray(start + ID_BYTES, start + ID_BYTES + reading.row_bytes),
      body: rows.subarray(start + ID_BYTES + reading.row_bytes, start + size),
    };
  };
  return { reading, row };
}

/** Refuse a private key that is not this reader's, and say whose it is. */
export async function checkKey(reading, raw) {
  if (raw.length !== KINDS[reading.kem]) {
    throw new KeyRefused(`This is a key of another kind than the study seals for (${reading.kem}).`);
  }
  const mine = base64(await publicOf(reading.kem, raw));
  const owner = Object.keys(reading.public_keys).find((name) => reading.public_keys[name] === mine);
  if (owner === reading.receiver) return;
  throw new KeyRefused(
    owner === undefined
      ? "This key belongs to nobody who reads this study: it is of another study, or was replaced. Choose the private key whose public key the study names."
      : `This is the key of ${owner}, and the shares are those of ${reading.receiver}. Choose the other key, or use the link of ${owner}.`,
  );
}

async function publicOf(kem, raw) {
  const curve = new X25519(new HkdfSha256());
  const own = new Uint8Array(await curve.derive(raw.slice(-32), BASE));
  if (kem === "x25519") return own;
  const [lattice] = (await createMlKem768()).deriveKeyPair(raw.slice(0, SEED_BYTES));
  return Uint8Array.from([...lattice, ...own]);
}

/** Open every row and count what is then reported, question by question; `progress` is told how many are done. */
export async function countOpened({ reading, row }, raw, progress) {
  const opener = await openerOf(reading.kem, raw);
  const counted = reading.questions.filter((question) => question.reckoning !== null);
  const counts = new Map(counted.map((question) => [question.id, new Array(question.reports).fill(0)]));
  const dropped = [];
  for (let start = 0; start < reading.rows; start += AT_ONCE) {
    const places = Array.from({ length: Math.min(AT_ONCE, reading.rows - start) }, (_, i) => start + i);
    const opened = await Promise.all(
      places.map((place) => {
        const { id, body } = row(place);
        return opener(body, reading.moduli, shareInfo(reading.fingerprint, reading.receiver, id));
      }),
    );
    opened.forEach((shifts, i) => {
      if (shifts === null) dropped.push(places[i]);
      else count(reading, row(places[i]).reports, shifts, counts);
    });
    progress(start + places.length, reading.rows);
  }
  if (dropped.length === reading.rows) {
    throw new KeyRefused("None of the sealed shares opens with this key. Choose the private key whose public key the study names.");
  }
  return { counts, dropped };
}

function count(reading, reports, shifts, counts) {
  let place = 0;
  for (const question of reading.questions) {
    const value = reports.subarray(place, place + question.bytes).reduce((sum, byte) => 256 * sum + byte, 0);
    place += question.bytes;
    const mine = counts.get(question.id);
    // A gap that is public is one more value; who did not answer is not counted.
    if (mine === undefined || value >= question.reports) continue;
    const at = reading.opens.indexOf(question.id);
    mine[at < 0 ? value : undone(value, shifts[at], question)] += 1;
  }
}

function undone(value, shift, { reports, reckoning }) {
  return reckoning.undo === "xor" ? value ^ shift : (value - shift + reports) % reports;
}
