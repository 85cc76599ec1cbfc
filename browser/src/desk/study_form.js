// A study made on a page: questions of each kind, who sees how much, and whose public key their shares are sealed for.
// What is typed becomes the tables of a study file; whether it is one is judged by the server, by the code that reads files.

import { byId, element } from "./elements.js";

const KINDS = [
  ["yes-no", "Yes or no", []],
  ["one-of-many", "One of a list", ["answers"]],
  ["ordered", "One of a list in order", ["answers"]],
  ["several", "Several of a list", ["options"]],
  ["count", "A whole number", ["lowest", "highest"]],
  ["number", "A number, for its mean", ["lowest", "highest", "step"]],
  ["distribution", "A number, for its distribution", ["lowest", "highest", "step"]],
];
const FIELDS = {
  answers: { label: "Answers, one a line, lowest first where they have an order", rows: 4 },
  options: { label: "Options, one a line; people may choose any number of them", rows: 4 },
  lowest: { label: "Lowest number", value: "0" },
  highest: { label: "Highest number", value: "10" },
  step: { label: "Steps of", value: "1" },
};

let made = 0;

/** A form of rows that can be added and taken away. */
export class StudyForm {
  constructor() {
    byId("add-question").addEventListener("click", () => this.#add("questions", questionRow(), "question"));
    byId("add-reader").addEventListener("click", () => this.#add("readers-rows", readerRow(), "reader"));
    byId("public-epsilon").addEventListener("input", () => tellOdds(byId("public-epsilon"), byId("public-odds")));
    this.#add("questions", questionRow(), "question", false);
    tellOdds(byId("public-epsilon"), byId("public-odds"));
  }

  #add(place, row, noun, isFocused = true) {
    const remove = element("button", { type: "button", class: "quiet", onclick: () => this.#remove(place, row, noun) }, `Remove this ${noun}`);
    row.append(remove);
    byId(place).append(row);
    renumber(byId(place), noun);
    if (isFocused) row.querySelector("input, select").focus();
  }

  #remove(place, row, noun) {
    row.remove();
    renumber(byId(place), noun);
    byId(place === "questions" ? "add-question" : "add-reader").focus();
  }

  /** The study as nested tables, and the public keys by reader. */
  document() {
    const keys = {};
    const analysts = rowsOf("readers-rows").map((row) => {
      const name = typed(row, "name");
      const key = typed(row, "key");
      if (key !== "") keys[name] = `${key}\n`;
      return { name, epsilon: typed(row, "epsilon") };
    });
    const study = {
      name: byId("study-name").value.trim(),
      public: { epsilon: byId("public-epsilon").value.trim() },
      collect: { mode: byId("mode").value },
      questions: rowsOf("questions").map(questionTable),
    };
    const population = Number(byId("population").value);
    if (population > 0) study.population = population;
    if (analysts.length > 0) study.analysts = analysts;
    return { study, keys };
  }
}

function rowsOf(place) {
  return [...byId(place).querySelectorAll("fieldset")];
}

function renumber(place, noun) {
  [...place.querySelectorAll("legend")].forEach((legend, i) => (legend.textContent = `${noun[0].toUpperCase()}${noun.slice(1)} ${i + 1}`));
}

function questionRow() {
  const details = element("div", { class: "fields" });
  const kind = element("select", {}, ...KINDS.map(([value, words]) => element("option", { value }, words)));
  const row = element(
    "fieldset",
    { class: "row" },
    element("legend", {}, "Question"),
    field("Question", element("input", { type: "text", required: true, maxlength: "300" }), "text"),
    field("Name of its column, letters and digits", element("input", { type: "text", required: true, maxlength: "50", pattern: "[A-Za-z][A-Za-z0-9_\\-]*" }), "id"),
    field("How it is answered", kind, "kind"),
    details,
  );
  const redraw = () => {
    const [, , names] = KINDS.find(([value]) => value === kind.value);
    details.replaceChildren(...names.map((name) => field(FIELDS[name].label, control(FIELDS[name]), name)));
  };
  kind.addEventListener("change", redraw);
  redraw();
  return row;
}

function control({ rows, value }) {
  return rows ? element("textarea", { rows, required: true }) : element("input", { type: "text", inputmode: "decimal", value, required: true });
}

function readerRow() {
  const odds = element("p", { class: "help" });
  const epsilon = element("input", { type: "number", min: "0.01", max: "20", step: "any", value: "2", required: true });
  epsilon.addEventListener("input", () => tellOdds(epsilon, odds));
  tellOdds(epsilon, odds);
  return element(
    "fieldset",
    { class: "row" },
    element("legend", {}, "Reader"),
    field("Name, letters and digits", element("input", { type: "text", required: true, maxlength: "50", pattern: "[A-Za-z0-9_\\-]+" }), "name"),
    field("ε of what their key shows", epsilon, "epsilon"),
    odds,
    field("Public key (PEM), from sfumato keys pair", element("textarea", { rows: 4, spellcheck: "false", required: true }), "key"),
  );
}

function field(words, input, name) {
  made += 1;
  input.id = `field-${made}`;
  input.dataset.name = name;
  return element("div", { class: "field" }, element("label", { for: input.id }, words), input);
}

function typed(row, name) {
  return row.querySelector(`[data-name="${name}"]`)?.value.trim() ?? "";
}

function questionTable(row) {
  const kind = typed(row, "kind");
  const table = { id: typed(row, "id"), text: typed(row, "text"), kind: kind === "distribution" ? "number" : kind };
  if (kind === "distribution") table.goal = "distribution";
  if (kind === "one-of-many" || kind === "ordered") table.answers = lines(typed(row, "answers"));
  if (kind === "several") {
    table.options = lines(typed(row, "options"));
    // Over the web everybody is asked about all of them.
    table.ask = table.options.length;
  }
  for (const name of ["lowest", "highest", "step"]) {
    const value = typed(row, name);
    if (value !== "") table[name] = kind === "count" ? Number(value) : value;
  }
  return table;
}

function lines(text) {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** Say what an ε lets a reader do, rounded up. */
function tellOdds(input, place) {
  const epsilon = Number(input.value);
  if (!(epsilon > 0)) {
    place.textContent = "";
    return;
  }
  const odds = Math.exp(epsilon);
  const shown = odds < 100 ? (Math.ceil(odds * 10) / 10).toFixed(1) : Math.ceil(odds).toLocaleString("en");
  const half = Math.ceil((1000 * odds) / (1 + odds)) / 10;
  place.textContent = `Whoever sees a report can raise the odds of any answer against any other at most ${shown}-fold: a guess of 50 % can become at most ${half} %.`;
}
