/** Short searches for somebody who learns more than is claimed. Nothing rests on them: who is found is proved after. */

export const MOST_SEARCHED = 3_000_000;
export const SEARCH_ROUNDS = 40;

const dot = (one, other) => one.reduce((sum, number, i) => sum + number * other[i], 0);

/**
 * Weights of few inputs that tell much, by Blahut's and Arimoto's iteration in doubles, and how many bits, roughly.
 *
 * The weights are whole numbers in proportion.
 */
export function tellingWeights(rows) {
  let weights = rows.map(() => 1 / rows.length);
  let told = 0;
  const own = rows.map((row) => row.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0));
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const logs = rows[0].map((_, y) => {
      const output = rows.reduce((sum, row, x) => sum + weights[x] * row[y], 0);
      return output > 0 ? Math.log(output) : 0;
    });
    const found = own.map((base, x) => base - dot(rows[x], logs));
    told = dot(weights, found) / Math.LN2;
    const top = Math.max(...found);
    const raised = weights.map((weight, x) => weight * Math.exp(found[x] - top));
    const mass = raised.reduce((one, other) => one + other, 0);
    weights = raised.map((weight) => weight / mass);
  }
  return [weights.map((weight) => BigInt(Math.max(1, Math.trunc(weight * 2 ** 53)))), told];
}

/** Every way to choose one of each list, the last running fastest. */
export function* selections(lists) {
  if (lists.some((list) => !list.length)) return;
  const places = lists.map(() => 0);
  for (;;) {
    yield places.map((place, i) => lists[i][place]);
    let turn = lists.length - 1;
    while (turn >= 0 && places[turn] === lists[turn].length - 1) {
      places[turn] = 0;
      turn -= 1;
    }
    if (turn < 0) return;
    places[turn] += 1;
  }
}

/** Every choice of so many among some, in order. */
export function* combinations(among, count) {
  const places = Array.from({ length: count }, (_, i) => i);
  if (count > among.length) return;
  for (;;) {
    yield places.map((place) => among[place]);
    let turn = count - 1;
    while (turn >= 0 && places[turn] === among.length - count + turn) turn -= 1;
    if (turn < 0) return;
    places[turn] += 1;
    for (let i = turn + 1; i < count; i += 1) places[i] = places[i - 1] + 1;
  }
}
