/** Products and systems of equations of a few hundred unknowns; a matrix is a list of rows. */

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

/** A·x, a number a row. */
export function times(matrix, column) {
  return matrix.map((row) => dot(row, column));
}

/** x·A, a number a column. */
export function timesRow(row, matrix) {
  const found = new Float64Array(matrix[0].length);
  row.forEach((weight, i) => {
    if (weight !== 0) matrix[i].forEach((entry, j) => (found[j] += weight * entry));
  });
  return found;
}

/** A function that solves A·x = b for any b, by elimination with the largest pivot; null where A has no inverse. */
export function solver(matrix) {
  const n = matrix.length;
  const rows = matrix.map((row) => Float64Array.from(row));
  const order = rows.map((_, i) => i);
  for (let k = 0; k < n; k += 1) {
    let best = k;
    for (let i = k + 1; i < n; i += 1) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    [order[k], order[best]] = [order[best], order[k]];
    if (rows[k][k] === 0) return null;
    for (let i = k + 1; i < n; i += 1) {
      const part = (rows[i][k] /= rows[k][k]);
      if (part !== 0) for (let j = k + 1; j < n; j += 1) rows[i][j] -= part * rows[k][j];
    }
  }
  return (right) => {
    const found = Float64Array.from(order, (place) => right[place]);
    for (let i = 0; i < n; i += 1) for (let j = 0; j < i; j += 1) found[i] -= rows[i][j] * found[j];
    for (let i = n - 1; i >= 0; i -= 1) {
      for (let j = i + 1; j < n; j += 1) found[i] -= rows[i][j] * found[j];
      found[i] /= rows[i][i];
    }
    return found;
  };
}

/** The nearest law to a list of numbers: one threshold is subtracted from all, and what is negative is 0. */
export function nearestLaw(point) {
  const descending = Array.from(point).sort((a, b) => b - a);
  let sum = 0;
  let threshold = 0;
  descending.forEach((value, i) => {
    sum += value;
    const excess = (sum - 1) / (i + 1);
    if (value > excess) threshold = excess;
  });
  return Float64Array.from(point, (value) => Math.max(value - threshold, 0));
}
