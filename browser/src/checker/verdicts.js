/** What a page says about its certificates, in sentences. */
import { CHECKED, EXIT, NOT_MINE, STATED, TOO_LARGE } from "./outcomes.js";

export const MARKS = { checked: "✓", open: "!", refused: "✗" };
const BROWSER_LIMIT = "too large to be checked in a browser; run sfumato verify";

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const ended = (text) => (text.endsWith(".") ? text : `${text}.`);

/** One certificate: how it ended, how many of its claims were checked, and a sentence. */
export function verdictOf(found, differences = []) {
  const checked = found.claims.filter(({ answer }) => answer === CHECKED).length;
  const counts = { checked, claims: found.claims.length };
  if (found.exit_code === EXIT.refused) {
    return { outcome: "refused", ...counts, words: `Refused in this browser: ${ended(found.because)}` };
  }
  if (found.exit_code === EXIT.unreadable) {
    return { outcome: "refused", ...counts, words: `Not readable in this browser: ${ended(found.because)}` };
  }
  if (differences.length) {
    return { outcome: "refused", ...counts, words: `This page shows something else: ${ended(differences[0])}` };
  }
  if (found.answer === TOO_LARGE) {
    return { outcome: "open", ...counts, words: `Not checked: ${BROWSER_LIMIT} (${found.because}).` };
  }
  const said = `Checked in this browser: ${checked} of ${counted(found.claims.length, "claim")}.`;
  const outcome = found.exit_code === EXIT.checked ? "checked" : "open";
  return { outcome, ...counts, words: [said, ...openWords(found.claims)].join(" ") };
}

function openWords(claims) {
  const named = (answer) => claims.filter((claim) => claim.answer === answer);
  const list = (some) => some.map(({ measure }) => measure).join(", ");
  const [stated, mine, large] = [STATED, NOT_MINE, TOO_LARGE].map(named);
  return [
    ...(stated.length ? [`Stated, and what would prove it is private: ${list(stated)}.`] : []),
    ...mine.map(({ measure, because }) => `Not checked here: ${measure} (${because}; run sfumato verify).`),
    ...(large.length ? [`${list(large)}: ${BROWSER_LIMIT}.`] : []),
  ];
}

/** All certificates of a page together; `absent` of them are not in it. */
export function summaryOf(verdicts, absent) {
  const outcome = ["refused", "open"].find((one) => verdicts.some((verdict) => verdict.outcome === one)) ?? "checked";
  const elsewhere = absent
    ? [`${counted(absent, "certificate")} ${absent === 1 ? "is" : "are"} not in this page; run sfumato verify.`]
    : [];
  const state = outcome === "checked" && absent ? "open" : outcome;
  if (verdicts.length === 1) return { outcome: state, words: [verdicts[0].words, ...elsewhere].join(" ") };
  const [checked, claims] = ["checked", "claims"].map((name) => verdicts.reduce((all, one) => all + one[name], 0));
  const all = `${counted(claims, "claim")} in ${counted(verdicts.length, "certificate")}`;
  const said = `Checked in this browser: ${checked} of ${all}.`;
  const bad = verdicts.filter((verdict) => verdict.outcome === "refused");
  const details = (bad.length ? bad : verdicts.filter((verdict) => verdict.outcome === "open")).map(
    ({ name, words }) => `${name}: ${words}`,
  );
  if (!verdicts.length) return { outcome: "open", words: ["Nothing was checked.", ...elsewhere].join(" ") };
  return { outcome: state, words: [...(bad.length ? [] : [said]), ...details, ...elsewhere].join(" ") };
}
