/**
 * The shares of answers under which the counts of reports are likeliest: minimise Σp - Σf·ln(pA) over p ≥ 0 by a
 * primal-dual interior-point method, until Frank and Wolfe's gap is below 1e-10. The same steps as
 * sfumato.inference.likelihood.
 */

import { solver, times, timesRow } from "./matrices.js";

const GAP = 1e-10;
const STEPS = 100;
const TO_THE_WALL = 0.995;
const NOTHING = 1e-10;

/** `rows` is the channel, `seen` the shares of the reports. */
export function likeliestShares(rows, seen) {
  const size = rows.length;
  let shares = new Float64Array(size).fill(1 / size);
  let slack = new Float64Array(size).fill(1);
  for (let count = 0; count < STEPS; count += 1) {
    const law = timesRow(shares, rows);
    const ratio = seen.map((f, y) => (f > 0 ? f / law[y] : 0));
    const gradient = times(rows, ratio);
    // Scaled to a law, the shares have the gradient g·Σp.
    if (Math.max(...gradient) * sum(shares) - 1 <= GAP) break;
    const curvature = seen.map((f, y) => (f > 0 ? ratio[y] / (law[y] > 0 ? law[y] : 1) : 0));
    const hessian = hessianOf(rows, curvature);
    const centre = (0.1 * shares.reduce((total, p, x) => total + p * slack[x], 0)) / size;
    for (let x = 0; x < size; x += 1) hessian[x][x] += slack[x] / shares[x];
    const step = solver(hessian)(gradient.map((g, x) => g - 1 + centre / shares[x]));
    const turn = slack.map((z, x) => centre / shares[x] - z - (z / shares[x]) * step[x]);
    shares = moved(shares, step);
    slack = moved(slack, turn);
  }
  const whole = sum(shares);
  const kept = shares.map((p) => (p / whole < NOTHING ? 0 : p / whole));
  const rest = sum(kept);
  return kept.map((p) => p / rest);
}

function hessianOf(rows, curvature) {
  const seen = Array.from(curvature.keys()).filter((y) => curvature[y] !== 0);
  const scaled = rows.map((row) => Float64Array.from(seen, (y) => row[y] * curvature[y]));
  const plain = rows.map((row) => Float64Array.from(seen, (y) => row[y]));
  return scaled.map((left) => plain.map((right) => left.reduce((total, entry, i) => total + entry * right[i], 0)));
}

/** As far along a step as everything stays positive. */
function moved(point, step) {
  let room = Infinity;
  for (let x = 0; x < point.length; x += 1) if (step[x] < 0) room = Math.min(room, -point[x] / step[x]);
  const stride = Math.min(1, TO_THE_WALL * room);
  return point.map((p, x) => p + stride * step[x]);
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
