/**
 * Private keys in PEM: PKCS #8, of X25519 or the two blocks of the hybrid, in clear or under PBES2 with PBKDF2 and AES-CBC.
 *
 * That much of DER is read and no more: whatever is not exactly so is refused.
 */

const BLOCK = /-----BEGIN (ENCRYPTED )?PRIVATE KEY-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END (?:ENCRYPTED )?PRIVATE KEY-----/g;
const MOST_ROUNDS = 1 << 23;
const TAGS = { integer: 0x02, octets: 0x04, object: 0x06, sequence: 0x30, seed: 0x80 };
const X25519 = "2b656e";
const MLKEM768 = "608648016503040402";
const PBES2 = "2a864886f70d01050d";
const PBKDF2 = "2a864886f70d01050c";
const HASHES = { "2a864886f70d0207": "SHA-1", "2a864886f70d0209": "SHA-256", "2a864886f70d020b": "SHA-512" };
const CIPHERS = { "60864801650304012a": 256, "608648016503040116": 192, "608648016503040102": 128 };

/** The raw private key: 32 bytes of X25519, or for the hybrid the seed of ML-KEM-768 and then these. */
export async function readPem(pem, passphrase, Refused) {
  const blocks = [...pem.matchAll(BLOCK)];
  const refuse = (words) => new Refused(words);
  if (blocks.length < 1 || blocks.length > 2) throw refuse("This PEM file holds no private key that this page reads.");
  const parts = [];
  for (const [, locked, body] of blocks) {
    if (locked && passphrase.length === 0) throw refuse("This key is protected: type its passphrase.");
    if (!locked && passphrase.length > 0) {
      throw refuse("This key is not protected, although a passphrase was typed: anyone could have written it. Leave the passphrase empty if that is meant.");
    }
    let der = decoded(body);
    try {
      if (locked) der = await unlocked(der, passphrase, refuse);
      parts.push(rawKey(der));
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw refuse(
        locked
          ? "The key does not open: the passphrase is another one, or the file is damaged."
          : "This PEM file is damaged, or holds a key of another kind than X25519.",
      );
    }
  }
  const kinds = parts.map((part) => part.kind).join();
  if (kinds !== "x25519" && kinds !== "mlkem768,x25519") throw refuse("This PEM file holds keys of another kind than studies use.");
  return Uint8Array.from(parts.flatMap((part) => [...part.raw]));
}

function decoded(body) {
  return Uint8Array.from(atob(body.replace(/\s+/g, "")), (letter) => letter.charCodeAt(0));
}

/** What stands in PKCS #8: which kind of key, and its bytes. */
function rawKey(der) {
  const whole = new Der(inside(der, TAGS.sequence));
  whole.take(TAGS.integer);
  const kind = hex(new Der(whole.take(TAGS.sequence)).take(TAGS.object));
  const held = whole.take(TAGS.octets);
  if (kind === X25519) return { kind: "x25519", raw: exactly(inside(held, TAGS.octets), 32) };
  if (kind === MLKEM768) return { kind: "mlkem768", raw: exactly(inside(held, TAGS.seed), 64) };
  throw new TypeError("another kind of key");
}

async function unlocked(der, passphrase, refuse) {
  const whole = new Der(inside(der, TAGS.sequence));
  const scheme = new Der(whole.take(TAGS.sequence));
  if (hex(scheme.take(TAGS.object)) !== PBES2) throw refuse("This PEM file is encrypted in a way that this page does not read.");
  const parts = new Der(scheme.take(TAGS.sequence));
  const derivation = new Der(parts.take(TAGS.sequence));
  const isPbkdf2 = hex(derivation.take(TAGS.object)) === PBKDF2;
  const described = new Der(derivation.take(TAGS.sequence));
  const salt = described.take(TAGS.octets);
  const iterations = described.take(TAGS.integer).reduce((sum, byte) => sum * 256 + byte, 0);
  let hash = "SHA-1";
  while (!described.isEmpty) {
    const [tag, value] = described.any();
    if (tag === TAGS.sequence) hash = HASHES[hex(new Der(value).take(TAGS.object))];
  }
  const cipher = new Der(parts.take(TAGS.sequence));
  const bits = CIPHERS[hex(cipher.take(TAGS.object))];
  const iv = cipher.take(TAGS.octets);
  if (!isPbkdf2 || !hash || !bits || iterations < 1 || iterations > MOST_ROUNDS) {
    throw refuse("This PEM file is encrypted in a way that this page does not read.");
  }
  const secret = await crypto.subtle.importKey("raw", passphrase, "PBKDF2", false, ["deriveKey"]);
  const name = { name: "AES-CBC", length: bits };
  const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash, salt, iterations }, secret, name, false, ["decrypt"]);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv }, key, whole.take(TAGS.octets)));
}

/** Values of DER, one after the other. */
class Der {
  constructor(bytes) {
    this.bytes = bytes;
    this.place = 0;
  }

  get isEmpty() {
    return this.place >= this.bytes.length;
  }

  take(tag) {
    const [found, value] = this.any();
    if (found !== tag) throw new TypeError("another value");
    return value;
  }

  any() {
    const tag = this.bytes[this.place];
    let length = this.bytes[this.place + 1];
    let start = this.place + 2;
    if (length >= 0x80) {
      const count = length - 0x80;
      if (count < 1 || count > 3) throw new TypeError("too long");
      length = this.bytes.slice(start, start + count).reduce((sum, byte) => sum * 256 + byte, 0);
      start += count;
    }
    if (!(start + length <= this.bytes.length)) throw new TypeError("cut off");
    this.place = start + length;
    return [tag, this.bytes.slice(start, start + length)];
  }
}

function inside(der, tag) {
  return new Der(der).take(tag);
}

function exactly(bytes, count) {
  if (bytes.length !== count) throw new TypeError("another length");
  return bytes;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
