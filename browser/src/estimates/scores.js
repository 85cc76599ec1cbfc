/**
 * Numbers that stand for reports, whose mean is an unbiased mean of what answers are worth, and intervals for shares and
 * means that are read so. The same rules as sfumato.inference.likelihood and sfumato.inference.estimates.
 */

import { bothTails, boundedEnds, outerEdge, rooms, skewedTails } from "./bounded.js";
import { likeliestShares } from "./likeliest.js";
import { dot, solver, times, timesRow } from "./matrices.js";
import { clip } from "./share_bounds.js";

const PASSES = 2;
const HALVINGS = 48;
const ALL_AT_THE_BOUND = 60;
const NO_DEVIATION = 1e-12;

/** Counts of reports, seen through the channel that made them. */
export class ReportedShares {
  constructor(rows, counts) {
    this.rows = rows;
    this.size = rows.length;
    this.total = counts.reduce((sum, count) => sum + count, 0);
    this.seen = Float64Array.from(counts, (count) => count / this.total);
    const law = timesRow(new Float64Array(this.size).fill(1 / this.size), rows);
    this.inverse = law.map((p) => (p > 0 ? 1 / p : 0));
    this.gram = rows.map((row) => {
      const scaled = this.inverse.map((weight, y) => weight * row[y]);
      return Float64Array.from(rows, (other) => dot(scaled, other));
    });
    this.solve = solver(this.gram);
    this.likeliest = likeliestShares(rows, this.seen);
  }

  /** A number for each report, whose mean given an answer is the value of that answer. */
  scores(values) {
    const weights = this.#solved(values);
    return timesRow(weights, this.rows).map((one, y) => one * this.inverse[y]);
  }

  #solved(right) {
    let found = this.solve(right);
    for (let pass = 0; pass < PASSES; pass += 1) {
      const back = times(this.gram, found);
      const more = this.solve(Float64Array.from(right, (value, x) => value - back[x]));
      found = found.map((value, x) => value + more[x]);
    }
    return found;
  }

  /** Every share with its interval. A tilt towards one answer leaves the others in proportion. */
  shares(confidence) {
    const base = this.likeliest.map((p) => (this.total * p + 1 / this.size) / (this.total + 1));
    return Array.from(this.likeliest, (share, answer) => {
      const unit = new Float64Array(this.size);
      unit[answer] = 1;
      const weights = this.scores(unit);
      const raw = dot(this.seen, weights);
      const moments = [2, 3].map((power) => {
        const column = times(this.rows, weights.map((weight) => weight ** power));
        const own = column[answer];
        return [own, (dot(base, column) - base[answer] * own) / (1 - base[answer])];
      });
      const moment = (place, p) => p * moments[place][0] + (1 - p) * moments[place][1];
      const deviation = (p) => Math.max(Math.sqrt(Math.max(moment(0, p) - p * p, 0) / this.total), NO_DEVIATION);
      const tails = (p) => {
        const spread = deviation(p);
        const third = moment(1, p) - 3 * p * moment(0, p) + 2 * p ** 3;
        return skewedTails((raw - p) / spread, third / this.total ** 2 / spread ** 3);
      };
      const ends = boundedEnds({ tails, deviation, inside: clip(raw, 0, 1), low: 0, high: 1, confidence });
      return {
        value: share,
        raw,
        standard_error: deviation(share),
        lower: Math.min(ends[0], share),
        upper: Math.max(ends[1], share),
      };
    });
  }

  /** Σ values·share, with its interval. */
  linear(values, confidence) {
    return this.#mean(values, values.map(() => true), confidence);
  }

  /** The mean of the values over the answers `among` which it is taken; null where perhaps nobody gives one of them. */
  ratio(values, among, confidence) {
    const found = this.#mean(values, among, confidence);
    const held = this.linear(among.map((one) => (one ? 1 : 0)), confidence);
    return found.estimable && held.lower > 0 ? found : null;
  }

  #mean(values, among, confidence) {
    const picked = values.filter((_, x) => among[x]);
    const low = Math.min(...picked);
    const high = Math.max(...picked);
    const isAll = among.every(Boolean);
    // In units of the range and about its middle before anything else, so that the origin of the values is lost first.
    const places = values.map((value, x) => (among[x] ? (value - low) / (high - low) - 0.5 : 0));
    const above = this.scores(places);
    const below = isAll ? above.map(() => 1) : this.scores(among.map((one) => (one ? 1 : 0)));
    const moments = new Moments(this.rows, above, below);
    const numerator = dot(this.seen, above);
    const divisor = dot(this.seen, below);
    const tilts = new Tilts(this.likeliest, this.total, places, among);
    const held = this.likeliest.reduce((sum, p, x) => sum + (among[x] ? p : 0), 0);
    const estimable = divisor > 0 && held > 0;
    const raw = estimable ? numerator / divisor : 0;
    const value = estimable ? dot(this.likeliest, places) / held : 0;
    const accepts = (upwards) => (tilt) => {
      const law = tilts.law(tilt);
      const mean = tilts.mean(law);
      const [second, third] = moments.at(law, mean);
      const deviation = Math.max(Math.sqrt(Math.max(second, 0) / this.total), NO_DEVIATION);
      const skewness = third / this.total ** 2 / deviation ** 3;
      const [over, under] = skewedTails((numerator - mean * divisor) / deviation, skewness);
      const [behind, ahead] = rooms(mean, deviation / tilts.share, -0.5, 0.5);
      return (upwards ? bothTails(under, ahead, behind) : bothTails(over, behind, ahead)) >= 1 - confidence;
    };
    const inside = tilts.to(clip(raw, -0.5, 0.5));
    const lower = tilts.mean(tilts.law(outerEdge(inside, tilts.lowest, accepts(false))));
    const upper = tilts.mean(tilts.law(outerEdge(inside, tilts.highest, accepts(true))));
    const [second] = moments.at(this.likeliest, value);
    const back = (place) => low + (high - low) * (place + 0.5);
    return {
      value: back(value),
      raw: back(raw),
      standard_error: (high - low) * (estimable ? Math.sqrt(Math.max(second, 0) / this.total) / held : Infinity),
      lower: back(Math.min(lower, value)),
      upper: Math.min(back(Math.max(upper, value)), high),
      estimable,
    };
  }
}

/** Second and third moments of n - m·d for each answer, n and d being the scores above and below the line. */
class Moments {
  constructor(rows, above, below) {
    const products = (power) =>
      Array.from({ length: power + 1 }, (_, i) =>
        times(rows, above.map((score, y) => score ** (power - i) * below[y] ** i)),
      );
    this.second = products(2);
    this.third = products(3);
  }

  at(law, mean) {
    const [a, b, c] = this.second.map((column) => dot(law, column));
    const [d, e, f, g] = this.third.map((column) => dot(law, column));
    return [a - 2 * mean * b + mean ** 2 * c, d - 3 * mean * e + 3 * mean ** 2 * f - mean ** 3 * g];
  }
}

/** Laws of answers with every mean between the bounds: the likeliest one, smoothed, times e^(tilt·place). */
class Tilts {
  constructor(shares, total, places, among) {
    const size = shares.length;
    this.base = shares.map((p) => (total * p + 1 / size) / (total + 1));
    this.picked = Array.from(shares.keys()).filter((x) => among[x]);
    this.places = this.picked.map((x) => places[x]);
    this.logs = this.picked.map((x) => Math.log(this.base[x]));
    this.share = this.picked.reduce((sum, x) => sum + this.base[x], 0);
    const reach = ALL_AT_THE_BOUND + Math.log(size * (total + 1));
    const distances = [...new Set(this.places)].sort((a, b) => a - b).map((place) => place + 0.5);
    this.lowest = -reach / distances[1];
    this.highest = reach / (1 - distances.at(-2));
  }

  law(tilt) {
    const exponents = this.logs.map((log, i) => log + tilt * this.places[i]);
    const most = Math.max(...exponents);
    const weights = exponents.map((one) => Math.exp(one - most));
    const scale = this.share / weights.reduce((sum, one) => sum + one, 0);
    const found = Float64Array.from(this.base);
    this.picked.forEach((x, i) => (found[x] = weights[i] * scale));
    return found;
  }

  mean(law) {
    return clip(this.picked.reduce((sum, x, i) => sum + law[x] * this.places[i], 0) / this.share, -0.5, 0.5);
  }

  to(mean) {
    if (mean <= -0.5) return this.lowest;
    if (mean >= 0.5) return this.highest;
    let low = this.lowest;
    let high = this.highest;
    for (let step = 0; step < HALVINGS; step += 1) {
      const middle = (low + high) / 2;
      if (this.mean(this.law(middle)) > mean) high = middle;
      else low = middle;
    }
    return (low + high) / 2;
  }
}
