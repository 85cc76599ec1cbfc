/** Reading: bytes, seal, one spelling, and the parts that subjects are made of. */
import { bitLength, lcm, Ratio } from "../rationals.js";
import { damaged, MOST, Refused, shown, TooLarge, Unreadable } from "./outcomes.js";
import { sha256 } from "./sha256.js";
import { isSpelled, parseJson } from "./strict_json.js";

const SEAL = /"digest": "sha256:([0-9a-f]{64})"/g;
const SCHEMA = /^sfumato\/certificate\/[a-z-]{1,40}\/[0-9]{1,9}$/;
const ENTRIES = ["schema", "digest", "subject", "claims", "notes", "sources"];
export const CLAIM_TEXTS = ["measure", "relation", "unit", "status", "because", "sentence"];
const NO_DOCUMENT = "this is no Sfumato certificate";
export const ONE_SPELLING = "the file is not in the one spelling of certificates";

/** Return the document of a sealed file: its seal intact, its spelling the only one, its entries complete. */
export function readCertificate(bytes, isKnown) {
  if (bytes.length > MOST.bytes) throw new TooLarge(`the file has more than ${MOST.bytes >> 20} MiB`);
  const digest = checkedSeal(bytes);
  const text = decoded(bytes);
  const document = parseJson(text);
  const schema = document instanceof Map ? document.get("schema") : undefined;
  if (typeof schema !== "string" || !SCHEMA.test(schema)) {
    throw new Unreadable(`${NO_DOCUMENT}: it has no schema of one`);
  }
  if (!isKnown(schema)) throw new Unreadable(`I do not know certificates of the schema ${shown(schema)}`);
  if (!isSpelled(document, text) || document.get("digest") !== `sha256:${digest}`) throw new Refused(ONE_SPELLING);
  return checkedEntries(document);
}

/** The digest that a file carries, once, if it is that of the file with zeros in its place. */
function checkedSeal(bytes) {
  // One letter a byte: what is looked for is ASCII.
  const letters = new TextDecoder("latin1").decode(bytes);
  const seals = [...letters.matchAll(SEAL)];
  if (seals.length !== 1) throw new Unreadable(`${NO_DOCUMENT}: it carries no digest`);
  const [whole, digest] = seals[0];
  const blank = Uint8Array.from(bytes);
  const start = seals[0].index + whole.length - 65;
  blank.fill(0x30, start, start + 64);
  if (sha256(blank) !== digest) {
    throw new Refused("the digest does not match: at least one byte was changed after the file was sealed");
  }
  return digest;
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable(`${NO_DOCUMENT}: it is not JSON that I can read`);
  }
}

function checkedEntries(document) {
  const [claims, notes, sources] = ["claims", "notes", "sources"].map((name) => document.get(name));
  const complete = document.size === ENTRIES.length && ENTRIES.every((name) => document.has(name));
  if (!complete || !Array.isArray(claims) || !Array.isArray(notes) || !(sources instanceof Map)) {
    throw damaged("its entries are not those of one");
  }
  for (const claim of claims) {
    if (!(claim instanceof Map) || !CLAIM_TEXTS.every((name) => typeof claim.get(name) === "string")) {
      throw damaged("a claim lacks one of its texts");
    }
  }
  return document;
}

/** Raise unless a record of the subject has the entries that it needs, and no others. */
export function take(record, needed, allowed = []) {
  const fits =
    record instanceof Map &&
    needed.every((name) => record.has(name)) &&
    [...record.keys()].every((name) => needed.includes(name) || allowed.includes(name));
  if (!fits) throw damaged("the entries of its subject are not those of its kind");
}

/** Return a whole number of the subject, within its limits. */
export function wholeNumber(value, least, most) {
  if (typeof value !== "bigint" || value < least || value > most) {
    throw damaged("a number of its subject cannot be");
  }
  return value;
}

const FRACTION = /^(-?)([0-9]{1,4300})(?:\/([0-9]{1,4300}))?$/;

/** Read an exact number in its one spelling: lowest terms, no denominator 1, no leading zero. */
export function fractionOf(text) {
  const found = typeof text === "string" ? FRACTION.exec(text) : null;
  if (found) {
    const [, sign, above, below] = found;
    const number = below === undefined ? new Ratio(BigInt(above)) : nonZero(BigInt(above), BigInt(below));
    const signed = sign && number ? number.negated() : number;
    if (signed && String(signed) === text) return signed;
  }
  throw damaged("an exact number is not written as one");
}

const nonZero = (above, below) => (below ? new Ratio(above, below) : null);

/** Read a law: exact numbers, none of them negative, with the sum 1. */
export function lawOf(given) {
  const texts = typeof given === "string" ? given.split(" ") : given;
  if (!Array.isArray(texts) || !texts.length) throw damaged("a law is missing");
  const law = texts.map(fractionOf);
  if (law.some((part) => part.above < 0n)) throw damaged("a probability is negative");
  const [numerators, denominator] = overOneDenominator(law);
  if (sum(numerators) !== denominator) throw damaged("the probabilities of a law do not sum to 1");
  return law;
}

/** Write fractions as whole numbers over one denominator; refuse a denominator that would be too long. */
export function overOneDenominator(law) {
  let whole = 1n;
  for (const part of new Set(law.map((number) => number.below))) {
    whole = lcm(whole, part);
    if (bitLength(whole) > MOST.denominatorBits) {
      throw new TooLarge(`the probabilities have no common denominator of at most ${MOST.denominatorBits} bits`);
    }
  }
  return [law.map((number) => number.above * (whole / number.below)), whole];
}

export const sum = (numbers) => numbers.reduce((one, other) => one + other, 0n);

export const product = (numbers) => numbers.reduce((one, other) => one * other, 1n);

/** How much slower numbers of so many bits are to count with. */
export const slowness = (whole, bits = 512) => 1 + Math.floor(bitLength(whole) / bits);

/** A double in a file, zero only without a sign. */
export const isPlain = (number) => typeof number === "number" && !Object.is(number, -0);
