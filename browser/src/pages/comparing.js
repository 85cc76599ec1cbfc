/**
 * What a page shows of a certificate, compared with what it has to show.
 *
 * A block with `data-whole` shows all of it: every part of every claim once, every note, every source. Others show some
 * sentences (`said`), which must be the certificate's own. In both, a digest that is shown is the certificate's.
 */

const CLAIM_PARTS = ["sentence", "name", "value", "status", "because"];
// Every item of a list and every row of a table is of the certificate; others have no place among them.
const UNMARKED = "li:not([data-part]), tbody tr:not([data-claim]), tbody td:not([data-part])";

/** Each difference, in words; none if the page shows what the certificate says, and saves that certificate. */
export function differencesIn(block, shown, text) {
  const parts = partsIn(block);
  const lists = { digest: [shown.digest] };
  if ("whole" in block.dataset) Object.assign(lists, { note: shown.notes, source: shown.sources });
  return [
    ...("whole" in block.dataset ? claimDifferences(parts, shown.claims) : []),
    ...strangers(parts, shown.claims),
    ...[...block.querySelectorAll(UNMARKED)].map((element) => `“${element.textContent}” belongs to no claim`),
    ...Object.entries(lists).flatMap(([part, texts]) => listDifferences(parts, part, texts)),
    ...[...block.querySelectorAll("a")].filter((link) => !saves(link, text)).map(() => "its link saves something else"),
  ];
}

/** Whether a link saves this text: its address is the one that the text has. */
const saves = (link, text) =>
  link.hasAttribute("download") && link.getAttribute("href") === `data:application/json;base64,${encoded(text)}`;

const encoded = (text) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));

/** Every part that is shown: which, of which claim, and its text. */
const partsIn = (block) =>
  [...block.querySelectorAll("[data-part]")].map((element) => ({
    part: element.dataset.part,
    measure: element.closest("[data-claim]")?.dataset.claim,
    text: element.textContent,
  }));

function claimDifferences(parts, claims) {
  return claims.flatMap((claim) =>
    CLAIM_PARTS.flatMap((part) => {
      const here = parts.filter((one) => one.measure === claim.measure && one.part === part);
      if (here.length !== 1) return [`${claim.measure}: its ${part} is shown ${here.length} times`];
      if (here[0].text === claim[part]) return [];
      return [`${claim.measure}: its ${part} is “${here[0].text}” here and “${claim[part]}” in the certificate`];
    }),
  );
}

/** What is shown and belongs to no claim. */
function strangers(parts, claims) {
  const measures = new Set(claims.map((claim) => claim.measure));
  const sentences = new Set(claims.map((claim) => claim.sentence));
  const unknown = parts.filter(({ measure }) => measure !== undefined && !measures.has(measure));
  const unsaid = parts.filter(({ part, text }) => part === "said" && !sentences.has(text));
  return [
    ...unknown.map(({ measure }) => `${measure}: the certificate has no such claim`),
    ...unsaid.map(({ text }) => `“${text}” is no sentence of the certificate`),
  ];
}

function listDifferences(parts, part, texts) {
  const here = parts.filter((one) => one.part === part).map(({ text }) => text);
  const fits = here.length === texts.length && here.every((text) => texts.includes(text));
  return fits ? [] : [`each ${part} has to be the certificate's, and one is not`];
}
