// Sealing draws for a receiver, and opening them: HPKE [RFC 9180] in its base mode, HKDF-SHA256, AES-256-GCM, as in
// keys/shares.py. X25519 is the browser's own where it has it, else that of @hpke; the hybrid is X-Wing.

import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256 as Native, HkdfSha256 } from "@hpke/core";
import { DhkemX25519HkdfSha256 as Plain } from "@hpke/dhkem-x25519";
import { bigEndian, joined, utf8, widthOf } from "./bytes.js";
import { HybridKem } from "./hybrid.js";

const PURPOSE = "sfumato/share/1";
const TAG_BYTES = 16;
// So begins what is sealed: bytes that are all zero are no draws.
const BEGIN = Uint8Array.of(1);

/** How the key of a body is agreed on: how long public and private keys are, and what a body has before its text. */
export const KEMS = {
  x25519: { publicBytes: 32, privateBytes: 32, encapsulatedBytes: 32 },
  "mlkem768-x25519": { publicBytes: 1216, privateBytes: 96, encapsulatedBytes: 1120 },
};

/** How long a body is, whatever it holds. */
export function shareBytes(moduli, kem) {
  return (
    shareText(
      moduli.map(() => 0),
      moduli,
    ).length +
    KEMS[kem].encapsulatedBytes +
    TAG_BYTES
  );
}

/** Return shifts as bytes, each in as many as its modulus takes. */
export function shareText(shifts, moduli) {
  return joined(BEGIN, ...shifts.map((shift, i) => bigEndian(shift, widthOf(moduli[i]))));
}

/** Return the shifts that bytes spell; null where they spell none. */
export function shiftsIn(text, moduli) {
  if (
    text.length !==
      shareText(
        moduli.map(() => 0),
        moduli,
      ).length ||
    text[0] !== BEGIN[0]
  )
    return null;
  let place = 1;
  const found = moduli.map((modulus) => {
    const width = widthOf(modulus);
    const value = text.subarray(place, place + width).reduce((sum, byte) => 256 * sum + byte, 0);
    place += width;
    return value;
  });
  return found.every((value, i) => value < moduli[i]) ? found : null;
}

/** Return what a body is tied to: the study, the receiver and the report, each with its length before it. */
export function shareInfo(fingerprint, receiver, id) {
  const parts = [utf8(fingerprint), utf8(receiver), id];
  return joined(utf8(PURPOSE), ...parts.flatMap((part) => [bigEndian(part.length, 2), part]));
}

/** Seal the shifts of one row; `moduli` says how many there can be of each. */
export async function sealShare(shifts, moduli, kem, publicKey, info) {
  const suite = await suiteOf(kem);
  const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey);
  const sender = await suite.createSenderContext({ recipientPublicKey, info });
  const text = await sender.seal(shareText(shifts, moduli));
  return joined(new Uint8Array(sender.enc), new Uint8Array(text));
}

/** Return what opens the bodies of one receiver, by the bytes of their private key. */
export async function openerOf(kem, privateKey) {
  const suite = await suiteOf(kem);
  const recipientKey = await suite.kem.deserializePrivateKey(privateKey);
  const start = KEMS[kem].encapsulatedBytes;

  /** Return the shifts of one body; null where it does not open, or holds what no device draws. */
  return async (body, moduli, info) => {
    try {
      const receiver = await suite.createRecipientContext({ recipientKey, enc: body.slice(0, start), info });
      return shiftsIn(new Uint8Array(await receiver.open(body.slice(start))), moduli);
    } catch {
      return null;
    }
  };
}

async function suiteOf(kem) {
  const agreed = kem === "x25519" ? ((await hasX25519()) ? new Native() : new Plain()) : new HybridKem();
  return new CipherSuite({ kem: agreed, kdf: new HkdfSha256(), aead: new Aes256Gcm() });
}

/** Whether the browser has X25519 of its own. */
export async function hasX25519() {
  try {
    await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
    return true;
  } catch {
    return false;
  }
}
