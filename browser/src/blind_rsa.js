// Blind signatures with RSA [RFC 9474], the device's half: RSABSSA-SHA384-PSS-Randomized, as web/blind_rsa.py has it.
// The signer sees one number that says nothing about what is signed, and later a signature that it has never seen.

import { bigEndian, hex, joined, sha256, unbase64, utf8 } from "./bytes.js";
import { gcd } from "./rationals.js";
import { Refusal } from "./refusals.js";

const NONCE_BYTES = 32;
const SALT_BYTES = 48;
const DIGEST_BYTES = 48;
const LEAST_BITS = 2048;
const EXPONENT = 65537n;
const PSS = { name: "RSA-PSS", hash: "SHA-384" };

/** Read the public half as a server hands it out; refuses one that does not blind. `digest` is its name. */
export async function readKey(text) {
  try {
    const raw = unbase64(text);
    const verifying = await crypto.subtle.importKey("spki", raw, PSS, true, ["verify"]);
    const { n, e } = await crypto.subtle.exportKey("jwk", verifying);
    const key = keyOf(...[n, e].map((part) => number(unbase64(part.replaceAll("-", "+").replaceAll("_", "/")))));
    return { ...key, verifying, digest: hex(await sha256(utf8("sfumato/credential-key/1"), raw)) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("key", "The server's key for credentials cannot be read.");
  }
}

/** Return a key of plain numbers; refuses one that is short or has another exponent. */
export function keyOf(modulus, exponent) {
  const bits = modulus.toString(2).length;
  if (bits < LEAST_BITS || exponent !== EXPONENT || modulus % 2n === 0n)
    throw new Refusal("key", "The server's key for credentials is not one that credentials are signed with.");
  return { modulus, bits, length: Math.ceil(bits / 8) };
}

/** Blind a statement under a nonce and a factor that nobody else knows. */
export async function blind(key, statement, words) {
  return blindingOf(key, statement, words.bytes(NONCE_BYTES), words.bytes(SALT_BYTES), unit(key, words));
}

/** Blind with randomness that is given, which must never be used twice; an empty nonce is the fixed variant. */
export async function blindingOf(key, statement, nonce, salt, factor) {
  const encoded = number(await pssEncoding(joined(nonce, statement), salt, key.bits - 1));
  if (gcd(encoded, key.modulus) !== 1n || gcd(factor, key.modulus) !== 1n)
    throw new Refusal("key", "The modulus of the server's key has a small factor.");
  const blinded = (encoded * power(factor, EXPONENT, key.modulus)) % key.modulus;
  return { nonce, statement, blinded: bytesOf(key, blinded), inverse: inverse(factor, key.modulus) };
}

/** Return the signature that the signer has never seen, once it is found right. */
export async function unblinded(key, { statement, nonce, inverse: back }, signed) {
  if (signed.length !== key.length) throw wrongSignature();
  const signature = bytesOf(key, (number(signed) * back) % key.modulus);
  if (!(await isSigned(key, statement, nonce, signature))) throw wrongSignature();
  return signature;
}

/** Whether the signature is the key's on this nonce and statement. */
export async function isSigned(key, statement, nonce, signature, saltLength = SALT_BYTES) {
  return crypto.subtle.verify({ name: PSS.name, saltLength }, key.verifying, signature, joined(nonce, statement));
}

/** EMSA-PSS of PKCS #1 [RFC 8017] with SHA-384, in `bits` bits. */
export async function pssEncoding(statement, salt, bits) {
  const length = Math.ceil(bits / 8);
  const digest = await sha384(new Uint8Array(8), await sha384(statement), salt);
  const block = joined(new Uint8Array(length - salt.length - DIGEST_BYTES - 2), Uint8Array.of(1), salt);
  const mask = await maskOf(digest, block.length);
  const masked = block.map((byte, i) => byte ^ mask[i]);
  masked[0] &= 0xff >> (8 * length - bits);
  return joined(masked, digest, Uint8Array.of(0xbc));
}

/** MGF1 with SHA-384. */
async function maskOf(seed, length) {
  const blocks = [];
  for (let i = 0; i * DIGEST_BYTES < length; i += 1) blocks.push(await sha384(seed, bigEndian(i, 4)));
  return joined(...blocks).subarray(0, length);
}

/** Return a random number that can be divided by, modulo n; all are equally probable. */
function unit(key, words) {
  for (;;) {
    const raw = words.bytes(key.length);
    raw[0] &= 0xff >> (8 * key.length - key.bits);
    const found = number(raw);
    if (found > 0n && found < key.modulus && gcd(found, key.modulus) === 1n) return found;
  }
}

function power(base, exponent, modulus) {
  let found = 1n;
  for (const bit of exponent.toString(2)) {
    found = (found * found) % modulus;
    if (bit === "1") found = (found * base) % modulus;
  }
  return found;
}

function inverse(value, modulus) {
  let [rest, next, now, after] = [modulus, value, 0n, 1n];
  while (next !== 0n) {
    const times = rest / next;
    [rest, next, now, after] = [next, rest - times * next, after, now - times * after];
  }
  return ((now % modulus) + modulus) % modulus;
}

async function sha384(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-384", joined(...parts)));
}

function number(bytes) {
  return BigInt(`0x0${hex(bytes)}`);
}

function bytesOf(key, value) {
  const digits = value.toString(16).padStart(2 * key.length, "0");
  return Uint8Array.from(digits.match(/../g), (pair) => Number.parseInt(pair, 16));
}

function wrongSignature() {
  return new Refusal("signature", "The server's signature is wrong, and was not used.");
}
