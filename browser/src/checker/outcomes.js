/** What a check can end with, and what is too large to begin with. */

export const CHECKED = "checked";
export const NOT_MINE = "not checked by me";
export const TOO_LARGE = "too large for me";
export const STATED = "stated";
export const EXIT = { checked: 0, refused: 1, unreadable: 2, open: 3 };

/** Sizes, the same as those of the command's checker; each is refused before anything is computed. */
export const MOST = {
  bytes: 8 << 20,
  depth: 900, // lists within lists
  digits: 4300, // of a whole number
  denominatorBits: 1 << 14, // of the one denominator that all probabilities of a file are brought to
  entries: 250_000, // of a dense channel, at small denominators
  pairSteps: 50_000_000, // of comparing every pair of its rows
  reports: 1 << 19, // of a structured channel
  structuredSteps: 2_000_000, // of going through its entries after all
  noiseSteps: 40_000_000, // inputs times outputs of noise
  mappingSteps: 10_000_000, // cells times symbols times groups of a disclosure
  sumBits: 1 << 17, // of a sum of fractions that need not have a common denominator
};

/** This is no certificate that I know. */
export class Unreadable extends Error {}

/** Something in the certificate is not what it has to be. */
export class Refused extends Error {}

/** I could check this, and it would take too long. */
export class TooLarge extends Error {}

/** Infinity has no digits. */
export class NoDigits extends Error {}

export const damaged = (what) => new Unreadable(`the certificate is damaged: ${what}`);

/** Text of a file, short and without anything that could move what stands around it. */
export const shown = (text) => printable([...text].slice(0, 80).join(""));

const printable = (text) => text.replace(/[\p{C}\p{Z}]/gu, (letter) => (letter === " " ? " " : "?"));
