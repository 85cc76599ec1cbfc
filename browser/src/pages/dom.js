// Making the parts of a page. Texts are always text nodes: nothing that a study says is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

// Forms here have `method: "dialog"`: if ever nobody heard one, it would go nowhere, and no answer into an address.

/** Make an element: attributes by name (a function is a listener, true is there, false and null are not), then children. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Put an element in the place of all that another held. */
export function replaceAll(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined));
}

/** Move the focus to a heading, from where readers aloud go on, and show the page from its top. */
export function focusOn(heading) {
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** A line that readers aloud say when it changes. */
export function statusLine(kind = "") {
  return h("p", { role: "status", class: kind });
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) element.append(child);
  return element;
}
