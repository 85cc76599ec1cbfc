/** P(report | answer) of a level: cell by cell for few answers, else its two heights. */

import { label, picture, piece } from "./drawing.js";
import { saysAnswers } from "./readings.js";
import { chance, grouped, PERCENT } from "./words.js";

// A table of no more rows and columns is drawn cell by cell.
const MOST_ROWS = 24;
const MOST_COLUMNS = 64;

export const isSmall = ({ set, answers }) => answers <= MOST_ROWS && set.modulus <= MOST_COLUMNS;

export const channelChart = (found, level, width) =>
  isSmall(found) ? heatMap(found, level, width) : twoHeights(found, level, width);

/** The names of answers, and of reports where these are answers. */
function namesOf(found) {
  if (found.answers === 2) return [["no", "yes"], ["no", "yes"]];
  const answers = Array.from({ length: found.answers }, (_, i) => `answer ${i + 1}`);
  const first = saysAnswers(found) ? 1 : 0;
  return [answers, Array.from({ length: found.set.modulus }, (_, i) => String(i + first))];
}

function heatMap(found, level, width) {
  const { set, answers, levels } = found;
  const { high, low } = levels[level];
  const [left, top] = [78, 42];
  const cell = Math.min(64, (width - left - 2) / set.modulus);
  const tall = Math.max(13, Math.min(cell, answers > 8 ? 26 : 40));
  const shade = 0.05 + 0.95 * (low.toNumber() / high.toNumber()) ** 1.6;
  const [rows, columns] = namesOf(found);
  const favoured = new Set(set.members);
  const every = Math.ceil(22 / cell);
  const parts = [label(left, 14, saysAnswers(found) ? "reported answer" : "reported number", { class: "soft" })];
  for (let y = 0; y < set.modulus; y += every) {
    parts.push(label(left + cell * (y + 0.5), top - 8, columns[y], { "text-anchor": "middle" }));
  }
  for (let x = 0; x < answers; x += 1) {
    const middle = top + tall * (x + 0.5);
    if (tall >= 16 || x % 2 === 0) parts.push(label(left - 8, middle + 4, rows[x], { "text-anchor": "end" }));
    for (let y = 0; y < set.modulus; y += 1) {
      const isHigh = favoured.has((y - x + set.modulus) % set.modulus);
      const shape = { x: left + cell * y, y: top + tall * x, width: cell - 1, height: tall - 1 };
      parts.push(piece("rect", { ...shape, class: "cell", "fill-opacity": isHigh ? 1 : shade }));
      if (cell >= 38 && tall >= 20) {
        const words = chance(isHigh ? high : low).replace(cell >= 54 ? "" : PERCENT, "");
        const at = { x: left + cell * (y + 0.5), y: middle + 4 };
        // Neither ink nor paper reads well on the shades between: a slip of paper goes under the number.
        if (!isHigh && shade > 0.5 && shade <= 0.74) {
          const slip = { x: at.x - cell / 2 + 3, y: middle - 9, width: cell - 7, height: 18, rx: 3, class: "slip" };
          parts.push(piece("rect", slip));
        }
        const kind = isHigh || shade > 0.74 ? "on" : "off";
        parts.push(label(at.x, at.y, words, { "text-anchor": "middle", class: kind }));
      }
    }
  }
  const size = [left + cell * set.modulus + 2, top + tall * answers + 2];
  const name =
    `How likely each of ${set.modulus} reports is under each of ${answers} answers: ` +
    `${chance(high)} where it is favoured, ${chance(low)} elsewhere`;
  return picture(...size, name, parts);
}

/** All reports side by side, the favoured ones first: how tall is how likely one of them is. */
function twoHeights({ set, levels }, level, width) {
  const { high, low, own } = levels[level];
  const [left, top, tall, wide] = [1, 50, 150, width - 2];
  const split = Math.max(3, (wide * set.count) / set.modulus);
  const small = Math.max(1, (tall * low.toNumber()) / high.toNumber());
  const others = set.modulus - set.count;
  const parts = [
    piece("rect", { x: left, y: top, width: split, height: tall, class: "cell" }),
    piece("rect", { x: left + split, y: top + tall - small, width: wide - split, height: small, class: "cell pale" }),
    piece("line", { x1: left, x2: left + wide, y1: top + tall, y2: top + tall, class: "axis" }),
    label(left, 14, `${grouped(set.count)} favoured: ${chance(high)} each, ${chance(own)} together`),
    label(left, 36, `${grouped(others)} others: ${chance(low)} each`, { class: "soft" }),
    label(left + wide, top + tall + 18, `${grouped(set.modulus)} possible reports, favoured first`, {
      "text-anchor": "end",
      class: "soft",
    }),
  ];
  const name =
    `A respondent’s report is one of ${set.count} favoured ones with a chance of ${chance(high)} each, and one of ` +
    `${others} others with ${chance(low)} each`;
  return picture(width, top + tall + 26, name, parts);
}
