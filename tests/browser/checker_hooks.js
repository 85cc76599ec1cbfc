// What tests ask of the checker's modules in a page. Nothing of it is shipped. Numbers travel as text.

import { answerTo } from "../../browser/src/checker/certificates.js";
import { atanhBelow, ATANH_SHORT, exactly, expOfMinus } from "../../browser/src/checker/enclosures.js";
import { ln, lnOfInteger, log2 } from "../../browser/src/checker/enclosures.js";
import { atLeast, atMost, fractionWords, general, oneDigit, percent } from "../../browser/src/checker/phrases.js";
import { fractionOf } from "../../browser/src/checker/reading.js";
import { sha256 } from "../../browser/src/checker/sha256.js";
import { isSpelled, parseJson, spellDouble } from "../../browser/src/checker/strict_json.js";
import { Ratio } from "../../browser/src/rationals.js";

const ends = (near) => [String(near.low), String(near.high)];
const unbase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const fraction = (text) => fractionOf(text);

const FUNCTIONS = {
  ln_of_integer: (text) => ends(lnOfInteger(BigInt(text))),
  ln: (text) => ends(ln(fraction(text))),
  log2: (text) => ends(log2(fraction(text))),
  exp_of_minus: (text) => ends(expOfMinus(exactly(fraction(text)))),
  atanh_below: (text) => [String(atanhBelow(BigInt(text))), String(ATANH_SHORT)],
};

globalThis.checker = {
  answers: (files) =>
    files.map((file) => {
      const { document, ...found } = answerTo(unbase64(file));
      return found;
    }),
  digests: (files) => files.map((file) => sha256(unbase64(file))),
  enclosures: (name, given) => given.map((text) => FUNCTIONS[name](text)),
  words: (given) =>
    given.map((text) => {
      const number = fraction(text);
      const plain = Ratio.ofDouble(number.toNumber());
      const exact = [atMost, atLeast, percent, fractionWords].map((words) => words(number));
      return [...exact, general(plain, 6), general(plain, 13), oneDigit(plain)];
    }),
  // The bits of doubles, so that nothing is lost on the way.
  doubles: (given) =>
    given.map((text) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, fraction(text).toNumber());
      return String(view.getBigUint64(0));
    }),
  spelled: (given) =>
    given.map((bits) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, BigInt(bits));
      return spellDouble(view.getFloat64(0));
    }),
  isSpelled: (texts) => texts.map((text) => isSpelled(parseJson(text), text)),
  isRead: (texts) =>
    texts.map((text) => {
      try {
        parseJson(text);
        return true;
      } catch {
        return false;
      }
    }),
};
