/** The explorer's page: sliders, fields and pictures. Everything is worked out here, and nothing is sent anywhere. */

import { channelChart, isSmall } from "../explorer/channel_chart.js";
import { errorChart, neededChart, priceChart, riskChart } from "../explorer/charts.js";
import { ROWS } from "../explorer/number_table.js";
import { curve, document as plain, readings } from "../explorer/readings.js";
import { readSets } from "../explorer/sets.js";
import * as settings from "../explorer/settings.js";
import { studyFile } from "../explorer/study_file.js";
import * as words from "../explorer/words.js";

const PATIENCE = 700;
const find = (selector, within = document) => within.querySelector(selector);

/** Make an element with text or elements inside. */
function element(name, attributes, ...inside) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...inside);
  return made;
}

function readTable() {
  const table = JSON.parse(find("#table").textContent);
  return { ...table, sets: readSets(table.sets) };
}

const table = readTable();
let state = structuredClone(settings.START);
let seen = Infinity;
let waiting = 0;
let telling = 0;

/** Show a state in every slider and field but the one that somebody is typing in. */
function showControls(typing) {
  for (const [name, scale] of Object.entries(settings.SCALES)) {
    const units = settings.unitsIn(state, name);
    const place = /^analyst-(\d)$/.exec(name);
    find(`#${name}`).hidden = place !== null && Number(place[1]) > state.analysts;
    const text = settings.decimalText(units, scale.digits);
    const [field, slider] = [find(`#${name}-field`), find(`#${name}-slider`)];
    if (field !== typing) {
      field.value = text;
      field.removeAttribute("aria-invalid");
    }
    slider.max = String(scale.steps.length - 1);
    slider.value = String(settings.placeOf(units, scale));
    slider.setAttribute("aria-valuetext", scale.digits ? text : words.grouped(units));
  }
}

function set(name, units, typing = null) {
  state = settings.changed(state, name, units);
  showControls(typing);
  if (!waiting) waiting = requestAnimationFrame(draw);
}

/** Let a control be moved and typed in. A field that says nothing usable keeps what was there until it is left. */
function listen(name, scale) {
  const [field, slider] = [find(`#${name}-field`), find(`#${name}-slider`)];
  slider.min = "0";
  slider.addEventListener("input", () => set(name, scale.steps[Number(slider.value)]));
  field.addEventListener("input", () => {
    const units = settings.unitsOf(field.value, scale.digits);
    const isGood = units !== null && units === settings.within(units, scale);
    if (isGood) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    if (isGood) set(name, units, field);
  });
  field.addEventListener("change", () => {
    const units = settings.unitsOf(field.value, scale.digits);
    set(name, units === null ? settings.unitsIn(state, name) : units);
  });
}

function draw() {
  waiting = 0;
  const setting = settings.settingOf(state);
  const found = readings(setting, table);
  const level = Math.min(seen, found.levels.length - 1);
  showReaders(found, level);
  showTiles(words.tiles(found, level));
  say("#channel", words.mechanismSentences(found, level));
  show("#channel", (width) => channelChart(found, level, width));
  caption("#channel", channelWords(found, level));
  say("#risk", [words.guessSentence(found, level)]);
  show("#risk", (width) => riskChart(found, width));
  caption(
    "#risk",
    "How likely an answer is after a report: from the report that speaks most against it to the one that speaks most " +
      `for it, if ${words.shareWords(found.share)} hold it (the line).`,
  );
  say("#error", [words.enoughSentence(found)]);
  show("#error", (width) => errorChart(found, width));
  caption(
    "#error",
    `In 95 of 100 surveys the estimate lies within the bar. Shaded: the goal, ± ${words.goalWords(found)} points.`,
  );
  say("#needed", [words.priceSentence(found, level)]);
  show("#needed", (width) => neededChart(found, width));
  caption(
    "#needed",
    `People needed for ± ${words.goalWords(found)} points, on a scale of tens. The line is your survey, ` +
      `${words.grouped(found.people)} people; ✓ is enough.`,
  );
  const price = curve(setting, table).map((one) => [Number(one.epsilon), one.respondents]);
  show("#price", (width) => priceChart(found, price, width));
  caption(
    "#price",
    "The curve is what one level alone takes. P is the public, numbers are analysts; one set of reports serves all " +
      "of them, which can put some above the curve.",
  );
  showNumbers(found);
  const file = studyFile(setting);
  find("#file").textContent = file.text;
  find("#file-words").textContent = file.words;
}

const fill = (selector, ...inside) => find(selector).replaceChildren(...inside);
const say = (section, sentences) =>
  fill(`${section} .words`, ...sentences.map((sentence) => element("p", {}, sentence)));

function show(section, make) {
  const place = find(`${section} .picture`);
  place.replaceChildren(make(Math.max(260, Math.floor(place.clientWidth))));
}

const caption = (section, text) => {
  find(`${section} figcaption`).textContent = text;
};

/** The four numbers that matter, on tiles, and in one line under the sliders of a phone. */
function showTiles(tiles) {
  fill("#short ul", ...tiles.map(({ number, text }) => element("li", {}, element("strong", {}, number), ` ${text}`)));
  fill("#glance", ...tiles.map(({ name, brief }) => element("span", {}, element("small", {}, name), brief)));
  tell(tiles.map(({ number, text }) => `${number} ${text}`).join(" "));
}

/** Say it aloud when the sliders rest. */
function tell(text) {
  clearTimeout(telling);
  telling = setTimeout(() => {
    find("#told").textContent = text;
  }, PATIENCE);
}

function channelWords(found, level) {
  const { odds } = found.levels[level];
  const how = isSmall(found) ? "The stronger the colour, the likelier" : "The taller, the likelier";
  return (
    `${how}. No report is more than ${words.oddsWords(odds)} times as likely under one answer as under another: that ` +
    "is the promise."
  );
}

/** Choose whose view of the reports is drawn. */
function showReaders(found, level) {
  const group = find("#short .seen");
  group.hidden = found.levels.length === 1;
  if (group.childElementCount !== found.levels.length) {
    group.replaceChildren(
      ...found.levels.map((_, i) => {
        const input = element("input", { type: "radio", name: "seen", value: String(i) });
        input.addEventListener("change", () => {
          seen = i === state.analysts ? Infinity : i;
          if (!waiting) waiting = requestAnimationFrame(draw);
        });
        return element("label", {}, input, ` ${words.readerWords(found, i)}`);
      }),
    );
  }
  group.querySelectorAll("input").forEach((input, i) => {
    input.checked = i === level;
  });
}

/** Roles are spelled out: on a phone the rows are no rows of a table to the eye. */
function showNumbers(found) {
  const names = found.levels.map((_, i) => words.readerWords(found, i));
  const heads = names.map((text) => element("th", { scope: "col", role: "columnheader", className: "number" }, text));
  const corner = element("th", { scope: "col", role: "columnheader" }, "number");
  fill("#numbers thead", element("tr", { role: "row" }, corner, ...heads));
  fill(
    "#numbers tbody",
    ...ROWS.map(([name, meaning, write]) =>
      element(
        "tr",
        { role: "row" },
        element("th", { scope: "row", role: "rowheader" }, name, element("small", {}, meaning)),
        ...found.levels.map((one) => element("td", { role: "cell", className: "number" }, write(one))),
      ),
    ),
  );
}

for (const [name, scale] of Object.entries(settings.SCALES)) listen(name, scale);
find(".controls").addEventListener("submit", (event) => event.preventDefault());
find("#again").addEventListener("click", () => {
  state = structuredClone(settings.START);
  seen = Infinity;
  showControls(null);
  draw();
});
new ResizeObserver(() => {
  if (!waiting) waiting = requestAnimationFrame(draw);
}).observe(find(".results"));
showControls(null);
draw();

/** For whoever wants the numbers themselves: what a setting reads, fractions as text. */
globalThis.sfumatoExplorer = {
  readings: (setting) => plain(readings(setting, table)),
  curve: (setting) => curve(setting, table),
  shown: () => settings.settingOf(state),
};
