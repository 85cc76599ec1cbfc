/**
 * Private keys as they are kept: the files of `sfumato keys pair`, under a passphrase or not, and PEM.
 *
 * Everything is worked out here, in the page's worker. What goes wrong is said in sentences that name no byte of a key. The
 * format: docs/reference/files.md; what a file may ask for is bounded as in Python, so that a hostile one cannot ask for a
 * day.
 */

import { gcmsiv } from "@noble/ciphers/aes.js";
import { argon2id } from "@noble/hashes/argon2.js";

import { readPem } from "./pem_keys.js";

const MAGIC = new TextEncoder().encode("SFUMATO PRIVATE KEY\n");
const SCHEMA = "sfumato/private-key/1";
const PURPOSE = new TextEncoder().encode("sfumato/key/1");
const LONGEST_FILE = 1 << 17;
const LONGEST_HEADER = 1 << 16;
const MOST = { lanes: 16, passes: 8, memory_kib: 1 << 18 };
const HEX = /^(?:[0-9a-f]{2})*$/;

/** A key that was not taken; the message is for the page. */
export class KeyRefused extends Error {}

/** Say what a file needs before it opens: "passphrase" or "none". */
export function protectionOf(data) {
  if (!startsWith(data, MAGIC)) return isPem(data) && text(data).includes("ENCRYPTED") ? "passphrase" : "none";
  return takenApart(data).header.protection.kind;
}

/** Return the bytes of the private key in a file; `passphrase` is empty where there is none. */
export async function readPrivateKey(data, passphrase) {
  if (data.length > LONGEST_FILE) throw new KeyRefused("This file is too long to be a private key.");
  const spelled = new TextEncoder().encode(passphrase.normalize("NFC"));
  if (isPem(data)) return readPem(text(data), spelled, KeyRefused);
  if (!startsWith(data, MAGIC)) {
    throw new KeyRefused("This is no private key of Sfumato, and no PEM file. Choose the file that “sfumato keys pair” wrote.");
  }
  const { header, opening, sealed } = takenApart(data);
  const lock = header.protection;
  if (lock.kind === "passphrase" && spelled.length === 0) throw new KeyRefused("This key is protected: type its passphrase.");
  if (lock.kind === "none" && spelled.length > 0) {
    throw new KeyRefused("This key is not protected, although a passphrase was typed: anyone could have written it. Choose the file that is sealed, or leave the passphrase empty.");
  }
  return lock.kind === "none" ? openPlain(opening, sealed) : openLocked(lock, opening, sealed, spelled);
}

/** Return the public key that the header of a file names, in hex; null where there is no such header. */
export function namedPublic(data) {
  return startsWith(data, MAGIC) ? takenApart(data).header.public : null;
}

async function openPlain(opening, sealed) {
  const body = sealed.slice(0, -32);
  const raw = await crypto.subtle.importKey("raw", body, "HKDF", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: PURPOSE },
    raw,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["verify"],
  );
  if (!(await crypto.subtle.verify("HMAC", key, sealed.slice(-32), opening))) throw damaged();
  return body;
}

function openLocked(lock, opening, sealed, spelled) {
  const key = argon2id(spelled, bytesOf(lock.salt), { t: lock.passes, m: lock.memory_kib, p: lock.lanes, dkLen: 32 });
  try {
    return gcmsiv(key, bytesOf(lock.nonce), opening).decrypt(sealed);
  } catch {
    throw new KeyRefused("The key does not open: the passphrase is another one, or the file was changed after it was sealed.");
  } finally {
    key.fill(0);
  }
}

/** Header, everything up to the sealed body, and that body. */
function takenApart(data) {
  const start = MAGIC.length + 4;
  if (data.length < start) throw damaged();
  const length = new DataView(data.buffer, data.byteOffset).getUint32(MAGIC.length, true);
  if (length > LONGEST_HEADER || data.length < start + length) throw damaged();
  const opening = data.slice(0, start + length);
  const sealed = data.slice(start + length);
  let header;
  try {
    header = JSON.parse(text(opening.slice(start)));
  } catch {
    throw damaged();
  }
  if (typeof header?.schema === "string" && /^sfumato\/private-key\/\d+$/.test(header.schema) && header.schema !== SCHEMA) {
    throw new KeyRefused("This key is in a newer format than this page reads. Use the command, in a newer version.");
  }
  if (header?.schema !== SCHEMA || !isHex(header.public, 32) || !isLock(header.protection)) throw damaged();
  if (sealed.length !== (header.protection.kind === "none" ? 64 : 48)) throw damaged();
  return { header, opening, sealed };
}

function isLock(lock) {
  if (lock?.kind === "none") return true;
  const within = (name, least) => Number.isInteger(lock[name]) && lock[name] >= least && lock[name] <= MOST[name];
  return (
    lock?.kind === "passphrase" &&
    lock.kdf === "argon2id" &&
    within("lanes", 1) &&
    within("passes", 1) &&
    within("memory_kib", 8 * lock.lanes) &&
    isHex(lock.salt, 16) &&
    isHex(lock.nonce, 12)
  );
}

function damaged() {
  return new KeyRefused("This key is damaged: it was cut off, or something in it was changed. Copy the file again.");
}

function isPem(data) {
  return startsWith(data, new TextEncoder().encode("-----BEGIN "));
}

function isHex(value, count) {
  return typeof value === "string" && value.length === 2 * count && HEX.test(value);
}

export function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function startsWith(data, prefix) {
  return data.length >= prefix.length && prefix.every((byte, i) => data[i] === byte);
}

function text(data) {
  return new TextDecoder("utf-8", { fatal: false }).decode(data);
}
