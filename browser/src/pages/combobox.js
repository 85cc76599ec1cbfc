// A long list that is searched by typing: a combobox with a list below it, as the ARIA Authoring Practices describe it.
// The focus stays in the input; arrow keys move through the list, Enter chooses, Escape closes, touch works as well.

import { h, replaceAll, statusLine } from "./dom.js";
import { say } from "./say.js";

const SHOWN = 40;

/** Make one. `texts` are the entries, `others` what stands for all that is not among them, or null. */
export function comboBox({ id, describedBy, texts, others, chosen }) {
  const known = new Set(texts);
  const folded = texts.map(fold);
  let answer = chosen;
  let at = -1;
  let options = [];

  const list = h("ul", { role: "listbox", id: `${id}-list`, "aria-labelledby": `${id}-name`, hidden: true });
  const status = statusLine("help");
  const told = h("p", { class: "chosen" }, chosen === null ? "" : say("ask.list_chosen", { text: chosen }));
  const input = h("input", {
    type: "text", id, role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: chosen ?? "",
    "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list", "aria-describedby": describedBy,
    input: search, keydown: pressed, blur: () => close(), emptied: () => { choose(null); close(); },
  });
  list.setAttribute("aria-labelledby", id);

  function search() {
    const wanted = fold(input.value.trim());
    const exact = known.has(input.value.trim()) ? input.value.trim() : null;
    settle(exact);
    if (wanted === "") return close();
    const starting = [];
    const inside = [];
    folded.forEach((text, i) => {
      if (text.startsWith(wanted)) starting.push(i);
      else if (text.includes(wanted)) inside.push(i);
    });
    const found = [...starting, ...inside];
    const rest = others === null ? [] : [{ text: others, label: say("ask.list_others", { text: others }) }];
    options = [...found.slice(0, SHOWN).map((i) => ({ text: texts[i], label: texts[i] })), ...rest];
    const count = found.length.toLocaleString(document.documentElement.lang);
    status.textContent =
      found.length === 0 ? say("ask.list_found_none")
      : found.length === 1 ? say("ask.list_found_one")
      : found.length > SHOWN ? say("ask.list_found_more", { shown: SHOWN, count })
      : say("ask.list_found", { count });
    at = -1;
    replaceAll(list, options.map((one, i) => item(one, i)));
    list.hidden = options.length === 0;
    input.setAttribute("aria-expanded", String(options.length > 0));
    input.removeAttribute("aria-activedescendant");
  }

  function item(one, i) {
    // The focus must stay in the input, or it would close the list before the choice is made.
    return h("li", { role: "option", id: `${id}-${i}`, "aria-selected": "false", mousedown: (event) => event.preventDefault(), click: () => take(i) }, one.label);
  }

  function pressed(event) {
    const isOpen = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) return search();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      if (at >= 0) take(at);
      else if (options.length === 1) take(0);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      close();
    }
  }

  function move(by) {
    at = at < 0 && by < 0 ? options.length - 1 : (at + by + options.length) % options.length;
    for (const [i, one] of [...list.children].entries()) one.setAttribute("aria-selected", String(i === at));
    list.children[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `${id}-${at}`);
  }

  function take(i) {
    choose(options[i].text);
    close();
    input.focus();
  }

  function choose(text) {
    input.value = text ?? "";
    settle(text);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function settle(text) {
    answer = text;
    told.textContent = text === null ? "" : say("ask.list_chosen", { text });
  }

  function close() {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    status.textContent = "";
  }

  return {
    element: h("div", { class: "combo" }, input, status, list, told),
    input,
    // What was typed and is no entry is no answer, and not nothing either: the page says so.
    read: () => answer ?? (input.value.trim() === "" ? undefined : input.value.trim()),
  };
}

/** Letters without case and accents, so that Muller finds Müller. */
function fold(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}
