/**
 * Tails of the normal and the binomial law, to about fourteen digits: what the estimates of the command take from SciPy.
 *
 * The binomial tail is a continued fraction (Lentz), before which stands a density that is worked out by its saddle point,
 * so that nothing is lost where there are many reports.
 */

const SMALLEST = 1e-300;
const ROUNDING = 2e-16;
const MOST_TERMS = 100_000;

/** The complementary error function. */
export function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  if (x > 27.3) return 0;
  if (x < 2) {
    // 1 - 2/√π·e^(-x²)·Σ 2^k·x^(2k+1)/(2k+1)!!
    let term = x;
    let sum = x;
    for (let k = 1; term > ROUNDING * sum / 8; k += 1) {
      term *= (2 * x * x) / (2 * k + 1);
      sum += term;
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  // e^(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …
  let fraction = x;
  for (let k = 120; k > 0; k -= 1) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
}

/** Pr[Z ≤ z] of a standard normal Z. */
export function normalBelow(z) {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The z below which a standard normal number lies with this probability. */
export function normalQuantile(probability) {
  if (!(probability > 0)) return -Infinity;
  if (!(probability < 1)) return Infinity;
  if (probability > 0.5) return -normalQuantile(1 - probability);
  // Abramowitz and Stegun 26.2.23 to begin with; each of Halley's steps triples the digits.
  const t = Math.sqrt(-2 * Math.log(probability));
  let z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (let step = 0; step < 4; step += 1) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    if (!(density > SMALLEST)) break;
    const miss = (normalBelow(z) - probability) / density;
    z -= miss / (1 + (miss * z) / 2);
  }
  return z;
}

/** x·ln(y), 0 where x is 0. */
export function xlogy(x, y) {
  return x === 0 ? 0 : x * Math.log(y);
}

/** x·ln(1+y), 0 where x is 0. */
export function xlog1py(x, y) {
  return x === 0 ? 0 : x * Math.log1p(y);
}

/** Pr[Bin(total, chance) ≥ count]. */
export function binomialAbove(count, total, chance) {
  if (count <= 0) return 1;
  if (count > total) return 0;
  return incompleteBeta(count, total - count + 1, chance);
}

/** The regularised incomplete beta function I_x(a, b). */
export function incompleteBeta(a, b, x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  return (betaFront(a, b, x) * betaFraction(a, b, x)) / a;
}

/** x^a·(1-x)^b/B(a, b) = √(ab/(2πn))·e^(δ(n)-δ(a)-δ(b)-n·KL), n = a+b, KL from a/n to x. */
function betaFront(a, b, x) {
  const n = a + b;
  const exponent = stirlingRest(n) - stirlingRest(a) - stirlingRest(b) - deviance(a, n * x) - deviance(b, n * (1 - x));
  return Math.sqrt((a * b) / (2 * Math.PI * n)) * Math.exp(exponent);
}

/** k·ln(k/m) + m - k, without loss where the two are near. */
function deviance(k, m) {
  const gap = (k - m) / (k + m);
  if (Math.abs(gap) > 0.1) return k * Math.log(k / m) + m - k;
  // ln(k/m) = 2·artanh(gap)
  let power = 2 * k * gap;
  let sum = (k - m) * gap;
  for (let j = 3; ; j += 2) {
    power *= gap * gap;
    const next = sum + power / j;
    if (next === sum) return sum;
    sum = next;
  }
}

/** ln Γ(z) - ((z-½)·ln z - z + ½·ln 2π). */
function stirlingRest(z) {
  if (z < 16) return stirlingRest(z + 1) + (z + 0.5) * Math.log1p(1 / z) - 1;
  const s = 1 / (z * z);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / z;
}

function betaFraction(a, b, x) {
  let c = 1;
  let d = notZero(1 - ((a + b) * x) / (a + 1));
  d = 1 / d;
  let found = d;
  for (let m = 1; m < MOST_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / notZero(1 + even * d);
    c = notZero(1 + even / c);
    found *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / notZero(1 + odd * d);
    c = notZero(1 + odd / c);
    found *= d * c;
    if (Math.abs(d * c - 1) < ROUNDING) break;
  }
  return found;
}

function notZero(x) {
  return Math.abs(x) < SMALLEST ? SMALLEST : x;
}
