/** What a certificate of noise on several numbers claims. */
import { powerOfTen, Ratio, wholeSquareRoot } from "../rationals.js";
import { checkDigits, groupNotes, groupRules, MOST_PEOPLE, NO_ODDS_NOTE, toldAbout } from "./assumptions.js";
import { Ends, rule } from "./claims.js";
import { NOTES } from "./noise_rules.js";
import { damaged, Refused } from "./outcomes.js";
import { atMost, fractionWords, INFINITE } from "./phrases.js";
import { POWER, powerBound, USUAL_POWER, usualBound } from "./powers.js";
import { fractionOf, ONE_SPELLING, take, wholeNumber } from "./reading.js";

const MOST_DIMENSION = 10n ** 6n;
const MOST_VARIANCE = new Ratio(1n << 80n);
const ONE_STEP = new Ratio(1n);
const RADII = {
  histogram: "m²(1 - 1/k)",
  sum: "(m·ρ)² before rounding",
  change: "(m·Δ)²k/(2k+2) before rounding (Jung)",
};

/** r², in steps²: of counts exactly, else with the √k/2 that rounding may add to r, rounded up. */
function squaredRadius(what, dimension, people, size) {
  if (what === "histogram") return new Ratio(people ** 2n * (dimension - 1n), dimension);
  const reach = size.times(new Ratio(people));
  const jung = what === "change" ? new Ratio(dimension, 2n * dimension + 2n) : ONE_STEP;
  const exact = reach.times(reach).times(jung);
  const root = wholeSquareRoot(exact.times(new Ratio(dimension)).ceil() - 1n) + 1n;
  return exact.plus(new Ratio(dimension, 4n)).plus(new Ratio(root));
}

/** Return the rules and notes of a certificate of noise on several numbers. */
export function checkVectorNoise(subject) {
  const [what, dimension, records, people] = readCounts(subject);
  const exact = ["size", "grid", "squared_radius", "variance", "spread"];
  const [size, grid, radius, variance, spread] = exact.map((name) => fractionOf(subject.get(name)));
  const whole = what !== "histogram" || (size.equals(ONE_STEP) && grid.equals(ONE_STEP));
  if (size.above <= 0n || grid.above <= 0n || !whole) {
    throw damaged("what a record changes, or the grid, cannot be");
  }
  const noisy = variance.compare(powerOfTen(-3)) >= 0 && variance.compare(MOST_VARIANCE) <= 0;
  if (!noisy || spread.compare(variance) < 0 || spread.compare(powerOfTen(40)) > 0) {
    throw damaged("the noise, or what proves its bound, cannot be");
  }
  const each = size.over(grid);
  const moving = people === null || people > records ? records : people;
  if (!radius.equals(squaredRadius(what, dimension, moving, each))) {
    throw new Refused(`${ONE_SPELLING}: the radius does not fit the rest`);
  }
  const capacity = rule({
    measure: "vector_noise_bits",
    unit: "bits",
    because:
      `${POWER} with the S of the file and r² = ${RADII[what]} for m = ${moving} people, given all others ` +
      "[E, Thm 3]",
    sentence: (value) => `One release tells at most ${atMost(value)} bits about ${toldAbout(people)}`,
    find: () => Ends.around(powerBound(dimension, radius, variance, spread)),
    relation: "≤",
  });
  const others = otherRules(variance.times(grid).times(grid));
  if (people === null) return [[capacity, ...others], NOTES];
  const radii = [1n, records].map((many) => squaredRadius(what, dimension, many, each));
  const assumption = groupRules(people, (place) => usualBound(dimension, radii[place], variance), USUAL_POWER);
  return [[capacity, ...assumption, ...others], [...groupNotes(people), NO_ODDS_NOTE]];
}

function readCounts(subject) {
  take(subject, ["what", "dimension", "records", "people", "size", "grid", "squared_radius", "variance", "spread"]);
  checkDigits(subject, ["size", "grid", "variance", "spread"]);
  const what = subject.get("what");
  if (typeof what !== "string" || !Object.hasOwn(RADII, what)) throw damaged("what is counted cannot be");
  const people = subject.get("people");
  return [
    what,
    wholeNumber(subject.get("dimension"), what === "histogram" ? 2n : 1n, MOST_DIMENSION),
    wholeNumber(subject.get("records"), 1n, MOST_PEOPLE),
    people === null ? null : wholeNumber(people, 1n, MOST_PEOPLE),
  ];
}

function otherRules(variance) {
  return [
    rule({
      measure: "epsilon",
      unit: "nats",
      because: "ln P(y|x)/P(y|x') = (x-x')·(2y-x-x')/2N grows without limit in y",
      sentence: () =>
        "No factor bounds how much a release far out favours one value over another; it is a rare one.",
      find: () => INFINITE,
      exact: true,
    }),
    rule({
      measure: "noise_variance",
      unit: "square units of each released number",
      because: "the variance of a discrete Gaussian is at most its parameter",
      sentence: (value) => `The noise of each number has a variance of at most ${fractionWords(value)}.`,
      find: () => variance,
      exact: true,
      relation: "≤",
    }),
  ];
}
