/**
 * What the sliders hold: whole numbers of small units, so that 0.1 is one tenth and not nearly one.
 *
 * The analysts' levels fall, and the public's is below them all: whoever is moved pushes the others along.
 */

export const MOST_ANALYSTS = 4;

const range = (first, last, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);

/** 1, 1.5, 2, 3, 4, 5, 6, 8 times each power of ten: even steps to the eye. */
const decades = (first, last) =>
  range(1, 7)
    .flatMap((power) => [10, 15, 20, 30, 40, 50, 60, 80].map((digit) => digit * 10 ** (power - 1)))
    .filter((value) => first <= value && value <= last);

const EPSILON = { digits: 2, least: 5, most: 800, steps: range(5, 800, 5) };

/** By name: digits after the point, ends in units of the last digit, and where the slider stops. */
export const SCALES = {
  answers: { digits: 0, least: 2, most: 100, steps: [...range(2, 20), ...range(22, 40, 2), ...range(45, 100, 5)] },
  people: { digits: 0, least: 10, most: 10_000_000, steps: decades(10, 1_000_000) },
  public: EPSILON,
  analysts: { digits: 0, least: 0, most: MOST_ANALYSTS, steps: range(0, MOST_ANALYSTS) },
  share: { digits: 1, least: 1, most: 999, steps: [1, 2, 5, ...range(10, 990, 10), 999] },
  goal: { digits: 1, least: 1, most: 500, steps: [...range(1, 9), ...range(10, 95, 5), ...range(100, 200, 10)] },
  ...Object.fromEntries(range(1, MOST_ANALYSTS).map((i) => [`analyst-${i}`, EPSILON])),
};

/** Two levels are at least so far apart, in hundredths. */
const APART = 5;

export const START = {
  answers: 5,
  people: 2000,
  public: 50,
  analysts: 2,
  share: 100,
  goal: 50,
  epsilons: [200, 100, 0, 0],
};

/** Write whole units as decimal text: 5 with two digits is "0.05". */
export function decimalText(units, digits) {
  const text = String(units).padStart(digits + 1, "0");
  if (digits === 0) return text;
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, "");
}

/** Read what somebody typed; null where it is no number. */
export function unitsOf(text, digits) {
  const number = Number(text.trim().replace(",", "."));
  return text.trim() === "" || !Number.isFinite(number) ? null : Math.round(number * 10 ** digits);
}

export const within = (units, { least, most }) => Math.min(most, Math.max(least, units));

/** Where the slider stands: the nearest of its stops. */
export const placeOf = (units, { steps }) =>
  steps.reduce((best, step, i) => (Math.abs(step - units) < Math.abs(steps[best] - units) ? i : best), 0);

/** All levels, sharpest first, the public's last. */
const levelsOf = (state) => [...state.epsilons.slice(0, state.analysts), state.public];

/** Put levels back: what is fixed stays if the others leave room, those above are pushed up, those below down. */
function pushed(levels, fixed) {
  const last = levels.length - 1;
  const found = [...levels];
  const { least, most } = EPSILON;
  found[fixed] = Math.min(most - APART * fixed, Math.max(least + APART * (last - fixed), found[fixed]));
  for (let i = fixed - 1; i >= 0; i -= 1) found[i] = Math.max(found[i], found[i + 1] + APART);
  for (let i = fixed + 1; i <= last; i += 1) found[i] = Math.min(found[i], found[i - 1] - APART);
  // Whoever was pushed over an end is put back, one after the other.
  for (let i = 0; i <= last; i += 1) {
    found[i] = Math.min(most - APART * i, Math.max(least + APART * (last - i), found[i]));
  }
  return found;
}

const withLevels = (state, levels) => ({
  ...state,
  public: levels.at(-1),
  epsilons: [...levels.slice(0, -1), ...state.epsilons.slice(levels.length - 1)],
});

/** Return the state after one control was set. */
export function changed(state, name, units) {
  const value = within(units, SCALES[name]);
  if (name === "analysts") return withCount(state, value);
  if (name === "public") return withLevels(state, pushed([...levelsOf(state).slice(0, -1), value], state.analysts));
  const analyst = /^analyst-(\d)$/.exec(name);
  if (!analyst) return { ...state, [name]: value };
  const place = Number(analyst[1]) - 1;
  const levels = levelsOf(state);
  levels[place] = value;
  return withLevels(state, pushed(levels, place));
}

/** A new analyst stands half way between the last one and the public. */
function withCount(state, count) {
  let found = { ...state, analysts: Math.min(count, state.analysts) };
  while (found.analysts < count) {
    const above = found.analysts ? found.epsilons[found.analysts - 1] : Math.min(EPSILON.most, 2 * found.public);
    const middle = Math.round((above + found.public) / 2 / APART) * APART;
    const epsilons = [...found.epsilons];
    epsilons[found.analysts] = found.analysts ? middle : above;
    found = { ...found, epsilons, analysts: found.analysts + 1 };
    found = withLevels(found, pushed(levelsOf(found), found.analysts));
  }
  return found;
}

/** What a control shows, in units. */
export function unitsIn(state, name) {
  const analyst = /^analyst-(\d)$/.exec(name);
  return analyst ? state.epsilons[Number(analyst[1]) - 1] : state[name];
}

/** The setting as `readings` takes it. */
export const settingOf = (state) => ({
  answers: state.answers,
  people: state.people,
  publicEpsilon: decimalText(state.public, 2),
  analysts: state.epsilons.slice(0, state.analysts).map((units) => decimalText(units, 2)),
  share: decimalText(state.share, 3),
  goal: decimalText(state.goal, 3),
});
