/**
 * Which set of shifts a study favours, among those that Python has put into the page.
 *
 * The table holds every set that up to `most` answers can be given: its family, q and t, and its members mod K.
 */

/** V0: n times the variance of the share of an answer that nobody holds. */
function noise({ modulus, count, repeats }, odds) {
  const inside = count + repeats * (odds - 1);
  const outside = modulus - count + (count - repeats) * (odds - 1);
  const gap = (count - repeats) * (odds - 1);
  return (inside * outside) / (gap * gap);
}

/** V* = 4o/(o-1)², what the best set comes close to on many answers. */
const leastNoise = (odds) => (4 * odds) / ((odds - 1) * (odds - 1));

export const noiseRatio = (set, odds) => noise(set, odds) / leastNoise(odds);

/** Read the table: a row is family, q, t, K, how often a difference occurs, and the members. */
export function readSets(rows) {
  return rows.map(([family, q, t, modulus, repeats, members]) => ({
    family,
    q,
    t,
    modulus,
    count: members.length,
    repeats,
    members,
  }));
}

/** The sets that so many answers choose from: of each kind the smallest that holds them. */
function candidates(sets, answers) {
  const found = new Map();
  for (const set of sets) {
    if (set.modulus < answers) continue;
    const kind = set.family === "Paley" ? "Paley" : set.q;
    if (!found.has(kind) || set.modulus < found.get(kind).modulus) found.set(kind, set);
  }
  return [...found.values()];
}

/** The set with the fewest reports among those within a hundredth of the least noise, at the worst level. */
export function bestSet(sets, answers, odds, worth) {
  const judged = candidates(sets, answers).map((set) => [Math.max(...odds.map((o) => noiseRatio(set, o))), set]);
  const most = worth * Math.min(...judged.map(([value]) => value));
  const good = judged.filter(([value]) => value <= most).map(([, set]) => set);
  return good.sort((a, b) => a.modulus - b.modulus || a.q - b.q || a.t - b.t)[0];
}

/** Flips, which two answers are asked by: a set of two shifts of which none is favoured but not to move. */
export const FLIPS = { family: "flips", q: 2, t: 1, modulus: 2, count: 1, repeats: 0, members: [0] };

/**
 * How the favoured reports of so many answers lie: how many reports are favoured by the first answer alone, by it and
 * others, by others alone, by none; and the least number of answers that a favoured report favours.
 */
export function overlaps({ modulus, members }, answers) {
  const others = new Uint32Array(modulus);
  for (let x = 1; x < answers; x += 1) for (const member of members) others[(x + member) % modulus] += 1;
  const own = new Set(members);
  const found = { alone: 0, shared: 0, foreign: 0, none: 0, least: answers };
  others.forEach((count, y) => {
    const all = count + own.has(y);
    if (own.has(y)) found[count ? "shared" : "alone"] += 1;
    else found[count ? "foreign" : "none"] += 1;
    if (all) found.least = Math.min(found.least, all);
  });
  return found;
}
