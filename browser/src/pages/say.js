// What the page says: messages that the server put into it, in the reader's language, and numbers as they are shown.

import { ceilDiv } from "../rationals.js";

const DATA = JSON.parse(document.getElementById("page-data")?.textContent ?? "{}");

/** What the server says about this page: language, messages, how long to wait. */
export const page = DATA;

/** Return a message with its names filled in. */
export function say(key, names = {}) {
  const text = DATA.messages[key];
  if (text === undefined) throw new RangeError(`no message ${key}`);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in names ? String(names[name]) : whole));
}

/** Show odds, an exact fraction, with about three digits, rounded up: towards less privacy claimed. */
export function oddsText({ above, below }) {
  const digits = above < 10n * below ? 2 : above < 100n * below ? 1 : 0;
  const tens = 10n ** BigInt(digits);
  const scaled = ceilDiv(above * tens, below);
  const behind = digits === 0 ? "" : String(scaled % tens).padStart(digits, "0").replace(/0+$/, "");
  return behind === "" ? String(scaled / tens) : `${scaled / tens}${say("page.decimal")}${behind}`;
}

/** Show a decimal of the study, such as 0.5, as the language writes it. */
export function numberText(text) {
  return text.replace(".", say("page.decimal"));
}

/** Read a number as people type it: blanks do not matter, and a comma is a point where the language writes one. */
export function typedNumber(text) {
  const plain = text.replace(/[\s\u00a0\u202f]/g, "").replace("\u2212", "-");
  return say("page.decimal") === "," ? plain.replace(",", ".") : plain;
}

/** Put a text into the quotes of the language. */
export function quoted(text) {
  return say("page.quoted", { text });
}

/** Join names: a, b and c. */
export function listed(names) {
  if (names.length < 2) return names.join("");
  return say("page.list_end", { first: names.slice(0, -1).join(", "), last: names.at(-1) });
}

/** Return what readers can do with a report on a question, in sentences: the messages are those of a table. */
export function protectionOf(question, table, { isPublic = "public", analyst = "analyst" } = {}) {
  const told = (key, odds, names) =>
    odds === null ? say(`${table}.${key}_all`, names) : say(`${table}.${key}`, { ...names, odds: oddsText(odds) });
  // The sharpest comes last; who sees answers as they are is sharper than everybody.
  const sharper = (one, other) => (one.odds === null ? 1 : other.odds === null ? -1 : one.odds.compare(other.odds));
  const seen = [...question.sees].sort(sharper).map(({ name, odds }) =>
    name === "registrar" ? say(`${table}.${analyst.replace("analyst", "registrar")}`) : told(analyst, odds, { name }),
  );
  return [told(isPublic, question.odds, {}), ...seen];
}
