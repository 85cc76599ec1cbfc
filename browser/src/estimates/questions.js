/**
 * What counts of reports say of a question, as the document that `sfumato estimate --json` writes of it.
 *
 * `reading` is how a question is read at a level, from the server: the channel in numbers, and what is estimated. It is made
 * by study/reading_documents.py, which also says of which questions nothing is worked out here.
 */

import { nearestLaw, solver, times, timesRow } from "./matrices.js";
import { cumulativeQuantities, cumulativeShares, medianAnswer, quantiles } from "./orders.js";
import { ReportedShares } from "./scores.js";
import { clip, shareInterval } from "./share_bounds.js";
import { binomialAbove } from "./special.js";

const LIKELIEST = "maximum likelihood";
const NEAR = 1e-9;
const NOT_ESTIMABLE = "not estimable: perhaps nobody answers, the interval of the share that does reaches 0";
const MOST_RATIOS = 30;

/** The estimate of one question; `counts` is how often each report was seen. */
export function estimateQuestion(reading, counts, confidence = 0.95) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const found = READERS[reading.read.type](reading, counts, total, confidence);
  return {
    question: reading.id,
    group: null,
    level: reading.level,
    epsilon: reading.epsilon,
    total,
    confidence,
    method: found.method,
    answers: reading.only_mean ? [] : found.answers,
    quantities: found.quantities ?? [],
    picture: reading.picture,
    shares_of: reading.shares_of || "answers",
    notes: [...(found.notes ?? []), ...reading.notes],
  };
}

const READERS = { two: readTwo, channel: readChannel, options: readOptions };

/** The share of the second of two answers, whose reports are of two kinds. */
function readTwo(reading, counts, total, confidence) {
  const { first, second, classes, weights } = reading.read;
  const seen = [0, 0];
  counts.forEach((count, report) => (seen[classes[report]] += count));
  const slope = second[1] - first[1];
  const free = (seen[1] / total - first[1]) / slope;
  const share = clip(free, 0, 1);
  const [low, high] = shareInterval(seen[1], total, first[1], second[1], confidence);
  const lower = Math.min(low, share);
  const upper = Math.max(high, share);
  const law = first.map((p, i) => (1 - share) * p + share * second[i]);
  const information = law.reduce((sum, p, i) => sum + (second[i] - first[i]) ** 2 / p, 0);
  const error = 1 / Math.sqrt(information * total);
  const raw = [0, 1].map((place) => counts.reduce((sum, count, y) => sum + count * weights[y][place], 0) / total);
  const [no, yes] = reading.labels;
  const quantities = [];
  if (reading.values !== null) {
    const [from, to] = [reading.values[0], reading.values.at(-1)];
    const at = (part) => from + (to - from) * part;
    quantities.push(mean({ value: at(share), raw: at(raw[1]), standard_error: (to - from) * error, lower: at(lower), upper: at(upper) }));
  }
  return {
    method: `${LIKELIEST}, exact interval`,
    answers: [
      { answer: no, share: 1 - share, raw: raw[0], standard_error: error, lower: 1 - upper, upper: 1 - lower },
      { answer: yes, share, raw: raw[1], standard_error: error, lower, upper },
    ],
    quantities: [...quantities, ...orderQuantities(reading, () => new ReportedShares(rowsOf(reading.read), counts), counts, confidence)],
    notes: boundaryNotes(free, seen, total, [first[1], second[1]], confidence),
  };
}

function boundaryNotes(free, seen, total, chances, confidence) {
  if (free >= -NEAR && free <= 1 + NEAR) return [];
  const end = free < 0 ? 0 : 1;
  const beyond = end ? binomialAbove(seen[1], total, chances[1]) : binomialAbove(total - seen[1], total, 1 - chances[0]);
  return [
    beyond > (1 - confidence) / 2
      ? `The reports lean further than any share can explain, as chance does when the share is near ${end}; the estimate is put at ${end}.`
      : "No share explains these reports at the stated confidence. Check that they were made with this design and that respondents followed it.",
  ];
}

/** Shares of several answers, the likeliest ones; intervals from counts of hits where these are binomial. */
function readChannel(reading, counts, total, confidence) {
  const rows = rowsOf(reading.read);
  const reported = new ReportedShares(rows, counts);
  const plain = reading.read.hits
    ? byHits(reading.read.hits, counts, total, rows.length, confidence)
    : byScores(reported, rows, counts, total, confidence);
  const answers = reading.labels.map((answer, x) => {
    const share = reported.likeliest[x];
    const { raw, standard_error, lower, upper } = plain[x];
    return { answer, share, raw, standard_error, lower: Math.min(lower, share), upper: Math.max(upper, share) };
  });
  const quantities = reading.hides ? amongAnswering(reading, reported, confidence) : meanOf(reading, reported, confidence);
  return {
    method: LIKELIEST,
    answers,
    quantities: [...quantities, ...orderQuantities(reading, () => reported, counts, confidence)],
  };
}

/** Each share from the reports in x + D, of which there are `own` of those who hold x and `other` of the others. */
function byHits({ own, other, members }, counts, total, size, confidence) {
  const gap = own - other;
  const found = Array.from({ length: size }, (_, x) => {
    const hits = members.reduce((sum, d) => sum + counts[(x + d) % counts.length], 0);
    const chance = hits / total;
    const [lower, upper] = shareInterval(hits, total, other, other + gap, confidence);
    return { raw: (chance - other) / gap, standard_error: Math.sqrt((chance * (1 - chance)) / total) / gap, lower, upper };
  });
  const projected = nearestLaw(found.map((one) => one.raw));
  return found.map((one, x) => ({
    ...one,
    lower: Math.min(one.lower, projected[x]),
    upper: Math.max(one.upper, projected[x]),
  }));
}

/** Unbiased shares with the least variance where answers are spread evenly, and intervals from scores. */
function byScores(reported, rows, counts, total, confidence) {
  const size = rows.length;
  const law = timesRow(new Float64Array(size).fill(1 / size), rows);
  const scaled = rows.map((row) => row.map((p, y) => p / law[y]));
  const solve = solver(scaled.map((row) => times(rows, row)));
  const seen = counts.map((count) => count / total);
  const columns = law.map((_, y) => y);
  const weights = Array.from(columns, (y) => solve(scaled.map((row) => row[y])));
  return reported.shares(confidence).map(({ lower, upper }, x) => {
    const raw = seen.reduce((sum, p, y) => sum + p * weights[y][x], 0);
    const second = seen.reduce((sum, p, y) => sum + p * weights[y][x] ** 2, 0);
    return { raw, standard_error: Math.sqrt(Math.max((second - raw * raw) / total, 0)), lower, upper };
  });
}

/** The share of those who chose each option, each from its own binomial; they need not sum to one. */
function readOptions(reading, counts, total, confidence) {
  const { own, other } = reading.read;
  const answers = reading.labels.map((answer, option) => {
    const yes = counts.reduce((sum, count, report) => sum + ((report >> option) & 1 ? count : 0), 0);
    const chance = yes / total;
    const raw = (chance - other) / (own - other);
    const [lower, upper] = shareInterval(yes, total, other, own, confidence);
    const error = Math.sqrt((chance * (1 - chance)) / total) / (own - other);
    return { answer, share: clip(raw, 0, 1), raw, standard_error: error, lower, upper };
  });
  return { method: "each option from those who were asked about it, exact interval", answers };
}

function meanOf(reading, reported, confidence) {
  return reading.values === null ? [] : [mean(reported.linear(reading.values, confidence))];
}

function mean({ value, raw, standard_error, lower, upper }, words = "") {
  return { quantity: "mean", unit: "number", value, raw, standard_error, lower, upper, words };
}

/** The mean of numbers, or the shares of the answers, among those who answer. */
function amongAnswering(reading, reported, confidence) {
  const { choices, values, who } = reading;
  const among = [...choices.map(() => true), false];
  const ratio = (quantity, unit, worth, words) => {
    const found = reported.ratio([...worth, 0], among, confidence);
    const ends = { lower: Math.min(...worth), upper: Math.max(...worth) };
    if (found === null) return { quantity, unit, value: null, raw: null, standard_error: null, ...ends, words: NOT_ESTIMABLE };
    const { value, raw, standard_error, lower, upper } = found;
    return { quantity, unit, value, raw, standard_error, lower, upper, words };
  };
  if (values !== null) return [ratio("mean", "number", values, who)];
  if (choices.length > MOST_RATIOS) return [];
  const places = choices.length === 2 ? [1] : choices.keys();
  return Array.from(places, (x) =>
    ratio(`${choices[x]}, ${who}`, "share", choices.map((_, place) => (place === x ? 1 : 0)), ""),
  );
}

function orderQuantities(reading, reported, counts, confidence) {
  const { order, choices, hides } = reading;
  if (order === null) return [];
  const sums = cumulativeShares(reported(), choices.length, hides, confidence, order.told, counts);
  if (order.type === "answers") return [medianAnswer(sums, choices), ...cumulativeQuantities(sums, choices)];
  return quantiles(sums, order.points, order.in_bins);
}

/** The channel, row by row: written out, or a law that moves with the answer. */
function rowsOf(read) {
  if (read.rows) return read.rows.map((row) => Float64Array.from(row));
  const { law, inputs } = read;
  return Array.from({ length: inputs }, (_, x) =>
    Float64Array.from(law, (_p, y) => law[(y - x + law.length) % law.length]),
  );
}
