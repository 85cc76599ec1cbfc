/** Every number in a table: a row a number with what it means, a column a reader. */

import * as words from "./words.js";

const upper = (value) => words.percent(value, true);
const lower = (value) => words.percent(value, false);

/** A name, what it means, and how it is written for a reader. */
export const ROWS = [
  ["ε", "what was promised; the smaller, the less a report tells", (one) => one.promised],
  [
    "odds",
    "the most by which a report can raise the odds of one answer against another: e^ε, rounded up",
    (one) => `${words.oddsWords(one.odds)} ×`,
  ],
  [
    "a favoured report",
    "how likely each report is that the respondent’s answer favours",
    (one) => words.chance(one.high),
  ],
  ["any other report", "how likely each of the others is", (one) => words.chance(one.low)],
  [
    "share after a report, at most",
    "how likely an answer is after the report that speaks most for it, whatever the others hold",
    (one) => upper(one.raised),
  ],
  [
    "the same, others even",
    "if those who do not hold it are spread evenly over the other answers",
    (one) => upper(one.even),
  ],
  ["share after a report, at least", "after the report that speaks most against it", (one) => lower(one.lowered)],
  [
    "best guess wrong",
    "how often the best guess from a report misses the answer; the others spread evenly",
    (one) => lower(one.guessError),
  ],
  [
    "standard error, points",
    "how far the estimated share strays, typically",
    (one) => words.points(one.standardError),
  ],
  [
    "95 % interval, points",
    "the estimate is no further off than this in 95 of 100 surveys",
    (one) => `± ${words.points(one.halfWidth)}`,
  ],
  [
    "people for the goal",
    "how many must answer for an interval as narrow as the goal",
    (one) => words.grouped(one.respondents),
  ],
];
