/**
 * JSON, read strictly and spelled in one way.
 *
 * `JSON.parse` forgets what certificates rest on: that each key stands once, and whether a number was written 1 or 1.0.
 * Here an object is a Map in the order of the file, a whole number a BigInt, and any other number a double.
 */
import { MOST, Unreadable } from "./outcomes.js";

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class NotJson extends Error {}

/** Read a text, or raise Unreadable. */
export function parseJson(text) {
  try {
    const reader = new Reader(text);
    const value = reader.value(0);
    reader.blanks();
    if (reader.place !== text.length) throw new NotJson();
    return value;
  } catch (error) {
    if (!(error instanceof NotJson || error instanceof RangeError)) throw error;
    throw new Unreadable("this is no Sfumato certificate: it is not JSON that I can read");
  }
}

class Reader {
  constructor(text) {
    this.text = text;
    this.place = 0;
  }

  blanks() {
    while (" \t\n\r".includes(this.text[this.place] ?? "x")) this.place += 1;
  }

  take(letter) {
    this.blanks();
    if (this.text[this.place] !== letter) return false;
    this.place += 1;
    return true;
  }

  need(letter) {
    if (!this.take(letter)) throw new NotJson();
  }

  match(pattern) {
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.text);
    if (found) this.place = pattern.lastIndex;
    return found;
  }

  value(depth) {
    if (depth > MOST.depth) throw new NotJson();
    if (this.take("{")) return this.object(depth);
    if (this.take("[")) return this.list(depth);
    if (this.take('"')) return this.string();
    for (const [word, meaning] of WORDS) {
      if (this.text.startsWith(word, this.place)) {
        this.place += word.length;
        return meaning;
      }
    }
    return this.number();
  }

  object(depth) {
    const found = new Map();
    if (this.take("}")) return found;
    do {
      this.need('"');
      const key = this.string();
      if (found.has(key)) throw new NotJson();
      this.need(":");
      found.set(key, this.value(depth + 1));
    } while (this.take(","));
    this.need("}");
    return found;
  }

  list(depth) {
    const found = [];
    if (this.take("]")) return found;
    do found.push(this.value(depth + 1));
    while (this.take(","));
    this.need("]");
    return found;
  }

  string() {
    let found = "";
    for (;;) {
      found += this.match(PLAIN)[0];
      const letter = this.text[this.place];
      this.place += 1;
      if (letter === '"') return found;
      if (letter !== "\\") throw new NotJson();
      found += this.escaped();
    }
  }

  escaped() {
    const letter = this.text[this.place];
    this.place += 1;
    if (letter !== "u") {
      if (!Object.hasOwn(ESCAPES, letter ?? "")) throw new NotJson();
      return ESCAPES[letter];
    }
    const digits = this.text.slice(this.place, this.place + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new NotJson();
    this.place += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  number() {
    const found = this.match(NUMBER);
    if (!found) throw new NotJson();
    const [text, fraction, exponent] = found;
    if (fraction === undefined && exponent === undefined) {
      if (text.length > MOST.digits) throw new NotJson();
      return BigInt(text);
    }
    const number = Number(text);
    if (!Number.isFinite(number)) throw new NotJson();
    return number;
  }
}

/** The pieces of the one spelling of a value: keys sorted, two blanks of indent. */
export function* pieces(value, margin = "\n") {
  const inner = `${margin}  `;
  if (value instanceof Map && value.size) {
    let before = "{";
    for (const key of [...value.keys()].sort(byCodePoint)) {
      yield `${before}${inner}${spellText(key)}: `;
      yield* pieces(value.get(key), inner);
      before = ",";
    }
    yield `${margin}}`;
  } else if (Array.isArray(value) && value.length) {
    let before = "[";
    for (const entry of value) {
      yield before + inner;
      yield* pieces(entry, inner);
      before = ",";
    }
    yield `${margin}]`;
  } else yield spellLeaf(value);
}

/** Whether a text is the one spelling of a document, compared piece by piece: a short file makes no long spelling. */
export function isSpelled(document, text) {
  let place = 0;
  for (const piece of pieces(document)) {
    if (!text.startsWith(piece, place)) return false;
    place += piece.length;
  }
  return text.slice(place) === "\n";
}

/** A value on one line, without blanks. */
export function compactJson(value) {
  if (value instanceof Map) return `{${[...value].map(([key, one]) => `${ascii(key)}:${compactJson(one)}`).join()}}`;
  if (Array.isArray(value)) return `[${value.map(compactJson).join()}]`;
  return typeof value === "string" ? ascii(value) : spellLeaf(value);
}

const ascii = (text) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) =>
    unit === "\u007f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function spellLeaf(value) {
  if (typeof value === "string") return spellText(value);
  if (typeof value === "number") return spellDouble(value);
  if (value instanceof Map) return "{}";
  if (Array.isArray(value)) return "[]";
  return String(value);
}

function spellText(text) {
  if (!text.isWellFormed()) {
    throw new Unreadable("this is no Sfumato certificate: it holds text or lists that none has");
  }
  return JSON.stringify(text);
}

/** The shortest digits that are this double: written out from 1e-5 to below 1e16, else as 1.5e-7 or 1e16. */
export function spellDouble(number) {
  if (number === 0) return Object.is(number, -0) ? "-0.0" : "0.0";
  const [mantissa, exponent] = Math.abs(number).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  let text;
  if (point > 0 && point <= 16) text = `${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point) || "0"}`;
  else if (point > -5 && point <= 0) text = `0.${"0".repeat(-point)}${digits}`;
  else text = `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${point - 1}`;
  return number < 0 ? `-${text}` : text;
}

/** The order of Unicode, which is that of UTF-8 and not that of UTF-16. */
function byCodePoint(one, other) {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [one.codePointAt(i), other.codePointAt(i)];
    if (a !== b) return a - b;
  }
  return one.length - other.length;
}
