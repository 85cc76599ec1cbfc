// Pictures of estimates that suit their kind. Every number of a picture also stands beside it as text, in a table.

import { drawn, element } from "./desk/elements.js";

const MOST_ROWS = 60;

/** A share in per cent, with one decimal. */
export function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** A number with about four digits. */
export function shortNumber(value) {
  if (value === null) return "–";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** What an estimate says: a table with bars where there are shares, and its quantities; `beside` is another reading. */
export function estimateChart(estimate, beside = null) {
  const parts = [];
  if (estimate.picture === "numbers" && estimate.answers.length > 2) parts.push(distribution(estimate));
  if (estimate.answers.length > 0) parts.push(shareTable(estimate, beside));
  const means = estimate.quantities.filter(({ unit }) => unit === "number");
  if (means.length > 0) parts.push(numberTable(estimate, means));
  const others = estimate.quantities.filter(({ unit }) => unit !== "number");
  if (others.length > 0) parts.push(otherTable(others));
  return element("div", { class: "estimate" }, parts, estimate.notes.map((note) => element("p", { class: "note" }, note)));
}

/** A bar for each answer with its interval, and the numbers in words. */
function shareTable(estimate, beside) {
  const rows = estimate.answers.slice(0, MOST_ROWS).map((one, i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, one.answer),
      element("td", { class: "bar" }, shareBar(one, beside?.answers[i])),
      element("td", { class: "number" }, percent(one.share)),
      element("td", { class: "number ends" }, ends(one, percent)),
    ),
  );
  const left = estimate.answers.length - rows.length;
  return scrolled(
    `Shares of ${estimate.answers.length} answers`,
    element(
      "table",
      { class: "shares" },
      element("thead", {}, heads("answer", "share")),
      element("tbody", {}, rows),
    ),
    left > 0 ? element("p", { class: "note" }, `and ${left} more answers, which the download has`) : null,
  );
}

function heads(first, second) {
  return element(
    "tr",
    {},
    element("th", { scope: "col" }, first),
    element("th", { scope: "col", class: "bar" }, element("span", { class: "unseen" }, "picture")),
    element("th", { scope: "col", class: "number" }, second),
    element("th", { scope: "col", class: "number" }, "95 % interval"),
  );
}

/** The share as a bar, its interval as a line with ends, another reading as a thin band below. */
function shareBar(one, beside) {
  return drawn(
    "svg",
    { class: "plot", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    drawn("rect", { class: "room", x: 0, y: 0, width: 100, height: 16 }),
    beside && band("beside", beside, 12.5, 3),
    drawn("rect", { class: "share", x: 0, y: 4, width: 100 * one.share, height: 8 }),
    band("interval", one, 7, 2),
    tick(100 * one.lower),
    tick(100 * one.upper),
  );
}

function band(kind, { lower, upper }, y, height) {
  return drawn("rect", { class: kind, x: 100 * lower, y, width: Math.max(100 * (upper - lower), 0.3), height });
}

function tick(x) {
  return drawn("line", { class: "tick", x1: x, x2: x, y1: 4, y2: 12 });
}

/** Columns over the values of a number, with a line from end to end of each interval. */
function distribution(estimate) {
  const { answers } = estimate;
  const highest = Math.max(...answers.map(({ upper }) => upper), 0.01);
  const wide = 100 / answers.length;
  const at = (share) => 60 - (56 * share) / highest;
  const columns = answers.map(({ share, lower, upper }, i) => [
    drawn("rect", { class: "share", x: (i + 0.12) * wide, y: at(share), width: 0.76 * wide, height: 60 - at(share) }),
    drawn("line", { class: "whisker", x1: (i + 0.5) * wide, x2: (i + 0.5) * wide, y1: at(lower), y2: at(upper) }),
  ]);
  const top = answers.reduce((best, one) => (one.share > best.share ? one : best));
  const words = `Columns over ${answers.length} values from ${answers[0].answer} to ${answers.at(-1).answer}; the largest share, ${percent(top.share)}, has ${top.answer}.`;
  return element(
    "figure",
    { class: "columns" },
    drawn(
      "svg",
      { viewBox: "0 0 100 61", preserveAspectRatio: "none", role: "img", "aria-label": words },
      columns.flat(),
      drawn("line", { class: "axis", x1: 0, x2: 100, y1: 60, y2: 60 }),
    ),
    element("figcaption", {}, element("span", {}, answers[0].answer), element("span", {}, answers.at(-1).answer)),
  );
}

/** Means and quartiles: a mark with its interval on the range of what can be answered. */
function numberTable(estimate, quantities) {
  const [low, high] = range(estimate, quantities);
  const place = (value) => (100 * (value - low)) / (high - low || 1);
  const rows = quantities.map((one) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, one.quantity, one.words ? element("span", { class: "words" }, ` ${one.words}`) : null),
      element("td", { class: "bar" }, markOf(one, place)),
      element("td", { class: "number" }, shortNumber(one.value)),
      element("td", { class: "number ends" }, ends(one, shortNumber)),
    ),
  );
  return scrolled(
    "Means and quartiles",
    element("table", { class: "shares" }, element("thead", {}, heads("number", "value")), element("tbody", {}, rows)),
  );
}

function range(estimate, quantities) {
  const named = estimate.answers.map(({ answer }) => Number(answer)).filter(Number.isFinite);
  const known = [...named, ...quantities.flatMap(({ lower, upper }) => [lower, upper])];
  return [Math.min(...known), Math.max(...known)];
}

function markOf(one, place) {
  const [from, to] = [place(one.lower), place(one.upper)];
  return drawn(
    "svg",
    { class: "plot", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    drawn("rect", { class: "room", x: 0, y: 0, width: 100, height: 16 }),
    drawn("rect", { class: "interval", y: 7, height: 2, x: from, width: Math.max(to - from, 0.3) }),
    tick(from),
    tick(to),
    one.value === null ? null : drawn("rect", { class: "mark", x: place(one.value) - 0.6, y: 2, width: 1.2, height: 12 }),
  );
}

/** The middle answer, and cumulative shares, in words. */
function otherTable(quantities) {
  const rows = quantities.map((one) => {
    const shown = one.unit === "answer" ? (value) => (value === null ? "–" : one.answers[Math.round(value)]) : (value) => (value === null ? "–" : percent(value));
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, one.quantity),
      element("td", { class: "number" }, shown(one.value)),
      element("td", { class: "number ends" }, ends(one, shown)),
    );
  });
  return element(
    "details",
    {},
    element("summary", {}, `${quantities.length} more ${quantities.length === 1 ? "number" : "numbers"}`),
    scrolled(
      "More numbers",
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...["quantity", "value", "95 % interval"].map((text) => element("th", { scope: "col" }, text)))),
        element("tbody", {}, rows),
      ),
    ),
  );
}

function ends({ lower, upper }, shown) {
  return `${shown(lower)} to ${shown(upper)}`;
}

/** Wide things scroll in a box of their own, which the keyboard reaches. */
function scrolled(label, ...children) {
  return element("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, children);
}
