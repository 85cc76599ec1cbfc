/**
 * What holds although some reports may be fake: the hull of what an estimate says of the reports that are left, where the
 * fakes are those that moved a number most. The same removals as sfumato.study.ways.fakes.   Theory: docs/theory/collection.md
 */

import { dot, solver, times, timesRow } from "./matrices.js";
import { estimateQuestion, optionAnswers, rowsOf } from "./questions.js";

const MOST_REMOVED = 40;
const WITH_FAKES = "What holds although some reports may be fake:";

/** The estimate of a question with what holds although so many of its reports may be fake, or a note that says why not. */
export function robustEstimate(reading, counts, fakes, confidence = 0.95) {
  const found = estimateQuestion(reading, counts, confidence);
  if (fakes === 0) return found;
  const noted = (words) => ({ ...found, notes: [...found.notes, `${WITH_FAKES} ${words}`] });
  if (fakes >= found.total) return noted("nothing, since all reports here may be fake.");
  if (reading.read.type === "options") return { ...found, robust: hullOf(found, ofOptions(reading, counts, fakes, confidence), fakes) };
  const left = removals(reading, counts, found, fakes);
  if (left === null) return noted("it is not worked out for this question.");
  return { ...found, robust: hullOf(found, left.map((one) => estimateQuestion(reading, one, confidence)), fakes) };
}

/** Each option has a binomial count of its own, of which as many are fake as can be. */
function ofOptions(reading, counts, fakes, confidence) {
  const total = counts.reduce((sum, count) => sum + count, 0) - fakes;
  const yes = reading.labels.map((_, option) => counts.reduce((sum, count, report) => sum + ((report >> option) & 1 ? count : 0), 0));
  const removed = [yes.map((count) => Math.max(count - fakes, 0)), yes.map((count) => Math.min(count, total))];
  return removed.map((left) => ({ answers: optionAnswers(reading, left, total, confidence), quantities: [] }));
}

function hullOf(found, others, fakes) {
  const several = [found, ...others];
  const hull = (part, i) => ({
    lower: Math.min(...several.map((one) => one[part][i].lower)),
    upper: Math.max(...several.map((one) => one[part][i].upper)),
  });
  return {
    fakes,
    answers: found.answers.map(({ answer, raw }, i) => ({
      answer,
      raised: raw - Math.min(...several.map((one) => one.answers[i].raw)),
      lowered: Math.max(...several.map((one) => one.answers[i].raw)) - raw,
      ...hull("answers", i),
    })),
    quantities: found.quantities.map(({ quantity }, i) => ({ quantity, ...hull("quantities", i) })),
  };
}

/** The counts that are left; null where that is not worked out. */
function removals(reading, counts, found, fakes) {
  if (found.answers.length === 0 || found.answers.length > MOST_REMOVED) return null;
  const weights = weightsOf(reading.read);
  const size = reading.labels.length;
  const directions = Array.from({ length: size }, (_, x) => unit(size, x));
  if (found.quantities.length > 0) {
    for (let last = 0; last < size - 1; last += 1) directions.push(Float64Array.from({ length: size }, (_, x) => (x <= last ? 1 : 0)));
  }
  if (reading.values !== null) {
    const about = found.quantities.find(({ quantity }) => quantity === "mean")?.value ?? 0;
    directions.push(Float64Array.from({ length: size }, (_, x) => (x < reading.values.length ? reading.values[x] - about : 0)));
  }
  const left = new Map();
  for (const direction of directions) {
    const scores = weights.map((row) => dot(row, direction));
    for (const sign of [-1, 1]) {
      const one = without(counts, scores.map((score) => sign * score), fakes);
      left.set(one.join(), one);
    }
  }
  return [...left.values()];
}

/** What is left when so many reports are removed, those with the smallest `order` first. */
function without(counts, order, fakes) {
  const found = [...counts];
  let rest = fakes;
  for (const report of [...order.keys()].sort((a, b) => order[a] - order[b] || a - b)) {
    const taken = Math.min(rest, found[report]);
    found[report] -= taken;
    rest -= taken;
  }
  return found;
}

/** What a report counts towards each answer, a row a report. */
function weightsOf(read) {
  if (read.weights) return read.weights;
  const rows = rowsOf(read);
  const reports = rows[0].length;
  if (read.hits) {
    const { own, other, members } = read.hits;
    const isMember = new Set(members);
    const value = (shift) => ((isMember.has(shift) ? 1 : 0) - other) / (own - other);
    return Array.from({ length: reports }, (_, y) => Float64Array.from(rows, (_row, x) => value((y - x + reports) % reports)));
  }
  const law = timesRow(new Float64Array(rows.length).fill(1 / rows.length), rows);
  const scaled = rows.map((row) => row.map((p, y) => p / law[y]));
  const solve = solver(scaled.map((row) => times(rows, row)));
  return Array.from(law, (_, y) => solve(scaled.map((row) => row[y])));
}

function unit(size, place) {
  const found = new Float64Array(size);
  found[place] = 1;
  return found;
}
