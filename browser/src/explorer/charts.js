/** The pictures: what a report gives away, how well a share is known, how many people it takes. */

import { decades, label, picture, piece, ticks } from "./drawing.js";
import { goalWords, grouped, percent, points, readerWords, shareWords } from "./words.js";

const [ROW, TOP, BOTTOM, SIDE] = [46, 8, 30, 8];

/** Rows with a name and a number above a bar from one value to another. */
function rows(entries, width, scale, marks, axis, name) {
  const [left, right] = [SIDE, width - SIDE];
  const place = (value) => left + (right - left) * Math.min(1, Math.max(0, scale(value)));
  const bottom = TOP + ROW * entries.length;
  const parts = axis.flatMap(([value, text]) => [
    piece("line", { x1: place(value), x2: place(value), y1: TOP, y2: bottom, class: "grid" }),
    label(place(value), bottom + 18, text, { class: "soft", "text-anchor": anchor(scale(value)) }),
  ]);
  for (const { from, to, kind } of marks) {
    const shape = { x: place(from) - (from === to ? 1 : 0), y: TOP, height: bottom - TOP, class: kind };
    parts.push(piece("rect", { ...shape, width: Math.max(2, place(to) - place(from)) }));
  }
  entries.forEach(({ title, value, from, to, at, kind }, i) => {
    const y = TOP + ROW * i;
    const shape = { x: place(from), y: y + 24, width: Math.max(2, place(to) - place(from)), height: 10, rx: 3 };
    parts.push(
      label(left, y + 16, title, { class: "halo" }),
      label(right, y + 16, value, { class: "halo strong", "text-anchor": "end" }),
      piece("rect", { ...shape, class: `bar ${kind}` }),
    );
    if (at !== undefined) parts.push(piece("circle", { cx: place(at), cy: y + 29, r: 6, class: `dot ${kind}` }));
  });
  return picture(width, bottom + BOTTOM, name, parts);
}

/** Labels at the ends of an axis stay inside the picture. */
const anchor = (place) => (place < 0.04 ? "start" : place > 0.96 ? "end" : "middle");

const titleOf = (found, level) => `${readerWords(found, level)}, ε ${found.levels[level].promised}`;
const spoken = (entries) =>
  entries.map(({ title, value }) => `${title}: ${value.replace(" ✓", ", enough")}`).join("; ");

/** From the least to the most that a report makes of the share. */
export function riskChart(found, width) {
  const entries = found.levels.map((level, i) => ({
    title: titleOf(found, i),
    value: `${percent(level.lowered, false)} to ${percent(level.raised, true)}`,
    from: level.lowered.toNumber(),
    to: level.raised.toNumber(),
    kind: "bare",
  }));
  const held = found.share.toNumber();
  const top = [0.05, 0.1, 0.2, 0.4].find((end) => entries.every(({ to }) => to <= end)) ?? 1;
  const axis = [0, 0.25, 0.5, 0.75, 1].map((part) => [part * top, `${Number((100 * part * top).toPrecision(4))} %`]);
  const name = `If ${shareWords(found.share)} hold an answer, how likely it is after a report. ${spoken(entries)}`;
  return rows(entries, width, (value) => value / top, [{ from: held, to: held, kind: "now" }], axis, name);
}

/** The interval of each reader about the share, and the goal behind them. */
export function errorChart(found, width) {
  const held = found.share.toNumber();
  const most = 1.1 * Math.max(found.goal, ...found.levels.map((level) => level.halfWidth));
  const [low, high] = [Math.max(0, held - most), Math.min(1, held + most)];
  const entries = found.levels.map((level, i) => ({
    title: titleOf(found, i),
    value: `± ${points(level.halfWidth)} points`,
    from: held - level.halfWidth,
    to: held + level.halfWidth,
    at: held,
    kind: level.halfWidth <= found.goal ? "enough" : "few",
  }));
  const axis = ticks(low, high, Math.min(6, width / 90)).map((value) => [
    value,
    `${Number((100 * value).toPrecision(4))} %`,
  ]);
  const goal = { from: held - found.goal, to: held + found.goal, kind: "goal" };
  const name =
    `95 % intervals from ${grouped(found.people)} people if the share is ${shareWords(found.share)}. ` +
    spoken(entries);
  return rows(entries, width, (value) => (value - low) / (high - low), [goal], axis, name);
}

/** People for the goal, by reader, on a scale of tens; a line where the survey stands. */
export function neededChart(found, width) {
  const needs = [...found.levels, found.openly].map((one) => Math.max(1, one.respondents));
  const [low, high] = tens([found.people, ...needs]);
  const entries = needs.map((count, i) => ({
    title: i < found.levels.length ? titleOf(found, i) : "Asked openly, no privacy",
    value: `${grouped(count)}${count <= found.people ? " ✓" : ""}`,
    from: low,
    to: count,
    kind: i === found.levels.length ? "plain" : count <= found.people ? "enough" : "few",
  }));
  const span = Math.log10(high / low);
  const name =
    `People needed for ± ${goalWords(found)} points; ${grouped(found.people)} answer. ${spoken(entries)}`;
  const now = { from: found.people, to: found.people, kind: "now" };
  return rows(entries, width, (value) => Math.log10(value / low) / span, [now], powers(low, high, width), name);
}

/** Powers of ten around all values. */
function tens(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(Math.log10);
  return [10 ** Math.floor(low - 0.2), 10 ** Math.ceil(high + 0.05)];
}

function powers(low, high, room, each = 76) {
  const found = decades(low, high);
  const every = Math.ceil((found.length * each) / room);
  return found.filter((_, i) => i % every === 0).map((value) => [value, grouped(value)]);
}

const EPSILON_TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8];

/** People for the goal against ε, for one level alone; dots are the readers. */
export function priceChart(found, line, width) {
  const [height, right, top, bottom] = [252, width - 12, 26, 208];
  const [low, high] = tens([found.people, ...line.map(([, people]) => people)]);
  const left = 16 + 8 * grouped(high).length;
  const across = (epsilon) => left + ((right - left) * Math.log(epsilon / 0.05)) / Math.log(8 / 0.05);
  const up = (people) => bottom - ((bottom - top) * Math.log10(Math.max(people, low) / low)) / Math.log10(high / low);
  const parts = [label(4, 14, "people", { class: "soft" })];
  for (const [value, text] of powers(low, high, bottom - top, 26)) {
    parts.push(
      piece("line", { x1: left, x2: right, y1: up(value), y2: up(value), class: "grid" }),
      label(left - 8, up(value) + 4, text, { class: "soft", "text-anchor": "end" }),
    );
  }
  for (const value of EPSILON_TICKS) {
    parts.push(label(across(value), bottom + 20, String(value), { class: "soft", "text-anchor": "middle" }));
  }
  const corners = line.map(([epsilon, people]) => `${across(epsilon).toFixed(1)} ${up(people).toFixed(1)}`);
  // Where the curve has not come down to the line there is room below it, and afterwards above.
  const crossing = across(line.find(([, people]) => people <= found.people)?.[0] ?? 8);
  const besideLine = (text) =>
    crossing > (left + right) / 2
      ? label(left + 6, up(found.people) + 16, text, { class: "halo" })
      : label(right, up(found.people) - 6, text, { class: "halo", "text-anchor": "end" });
  parts.push(
    label(right, bottom + 38, "ε, from much privacy to little", { class: "soft", "text-anchor": "end" }),
    piece("rect", { x: left, y: up(found.people) - 1, width: right - left, height: 2, class: "now" }),
    besideLine(`your ${grouped(found.people)} people`),
    piece("path", { d: `M${corners.join(" L")}`, class: "curve" }),
  );
  found.levels.forEach((one, i) => {
    const kind = one.respondents <= found.people ? "enough" : "few";
    const shape = { cx: across(Number(one.promised)), cy: up(one.respondents), r: 7 };
    const mark = i === found.levels.length - 1 ? "P" : String(i + 1);
    parts.push(
      piece("circle", { ...shape, class: `dot ${kind}` }),
      label(shape.cx + 10, shape.cy - 8, mark, { class: "halo strong" }),
    );
  });
  const ends = `${grouped(line[0][1])} at ε 0.05 to ${grouped(line.at(-1)[1])} at ε 8`;
  const name = `People needed for ± ${goalWords(found)} points fall from ${ends}`;
  return picture(width, height, name, parts);
}
