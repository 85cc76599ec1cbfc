/** Small pieces of SVG, drawn at the size they are shown at, so that letters keep their size on a phone. */

const SPACE = "http://www.w3.org/2000/svg";

/** Make an element of a picture, with attributes and what is inside. */
export function piece(name, attributes = {}, ...inside) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, typeof value === "number" ? String(Math.round(100 * value) / 100) : value);
  }
  element.append(...inside);
  return element;
}

/** A picture with a name that is read out. */
export const picture = (width, height, name, parts, kind = "") =>
  piece(
    "svg",
    { class: `chart ${kind}`, role: "img", "aria-label": name, viewBox: `0 0 ${width} ${height}`, width, height },
    ...parts,
  );

export const label = (x, y, text, attributes = {}) => piece("text", { x, y, ...attributes }, text);

/** Round ends for an axis: about so many ticks at 1, 2 or 5 times a power of ten. */
export function ticks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough * (1 - 1e-9));
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) found.push(i * step);
  return found;
}

/** Ticks at powers of ten. */
export function decades(low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high * (1 + 1e-9); power += 1) found.push(10 ** power);
  return found;
}
