// Estimates on a page: a section for each question, whose parts change while its place, focus and open details stay.

import { estimateChart } from "../charts.js";
import { csv, element } from "./elements.js";

/** A list of questions with what is estimated of each; `name` makes ids that are its own. */
export class EstimatesView {
  #sections = new Map();

  constructor(place, name) {
    this.place = place;
    this.name = name;
  }

  /** Show estimates; `texts` are the questions by id, `beside` other estimates of the same that are drawn as thin bands. */
  show(estimates, texts, beside = []) {
    const shown = new Set();
    estimates.forEach((estimate) => {
      const key = `${estimate.question} ${estimate.group ?? ""}`;
      shown.add(key);
      const other = beside.find(({ question, group }) => question === estimate.question && group === estimate.group);
      this.#section(key, estimate, texts).fill(estimate, other ?? null);
    });
    for (const [key, section] of this.#sections) {
      if (shown.has(key)) continue;
      section.root.remove();
      this.#sections.delete(key);
    }
  }

  #section(key, estimate, texts) {
    if (!this.#sections.has(key)) {
      const made = new QuestionSection(`${this.name}-${this.#sections.size + 1}`, estimate, texts[estimate.question]);
      this.#sections.set(key, made);
      this.place.append(made.root);
    }
    return this.#sections.get(key);
  }
}

class QuestionSection {
  constructor(id, estimate, text) {
    this.told = element("p", { class: "told" });
    this.chart = element("div", {});
    const title = estimate.group === null ? text : `${text} – ${estimate.group}`;
    this.root = element(
      "section",
      { class: "question", "aria-labelledby": id },
      element("h3", { id }, title ?? estimate.question),
      this.told,
      this.chart,
    );
  }

  fill(estimate, other) {
    const count = estimate.total.toLocaleString("en");
    const epsilon = estimate.epsilon === "inf" ? "no bound on ε" : `ε = ${Number(estimate.epsilon.toPrecision(3))}`;
    this.told.textContent = `${count} reports, ${epsilon}, ${estimate.method}`;
    const wasOpen = Array.from(this.chart.querySelectorAll("details"), (one) => one.open);
    const scrolled = Array.from(this.chart.querySelectorAll(".scroll"), (one) => one.scrollLeft);
    const focused = Array.from(this.chart.querySelectorAll("summary, .scroll")).indexOf(document.activeElement);
    this.chart.replaceChildren(estimateChart(estimate, other));
    this.chart.querySelectorAll("details").forEach((one, i) => (one.open = wasOpen[i] ?? false));
    this.chart.querySelectorAll(".scroll").forEach((one, i) => (one.scrollLeft = scrolled[i] ?? 0));
    if (focused >= 0) this.chart.querySelectorAll("summary, .scroll")[focused]?.focus({ preventScroll: true });
  }
}

const COLUMNS = [
  "question", "group", "quantity", "answer", "value", "raw", "standard_error", "lower", "upper", "confidence", "reports", "epsilon",
];

/** Estimates as a table, with the columns of `sfumato estimate`. */
export function estimatesCsv(estimates) {
  const rows = estimates.flatMap((found) => {
    const whole = (one, quantity, answer, value) => [
      found.question, found.group, quantity, answer, value, one.raw, one.standard_error, one.lower, one.upper, found.confidence, found.total,
      found.epsilon,
    ];
    return [
      ...found.answers.map((one) => whole(one, "share", one.answer, one.share)),
      ...found.quantities.map((one) =>
        whole(one, one.quantity, one.unit === "answer" && one.value !== null ? one.answers[Math.round(one.value)] : null, one.value),
      ),
    ];
  });
  return csv(COLUMNS, rows);
}
