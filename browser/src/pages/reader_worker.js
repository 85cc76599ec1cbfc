// The worker in which a reader's private key is used: it fetches rows and shares, opens and counts them, and hands back
// estimates. The key comes in by a message and goes nowhere: no request, no storage and no log has it.

import { estimateQuestion } from "../estimates/questions.js";
import { checkKey, countOpened, rowsIn } from "../analyst/opening.js";
import { KeyRefused, protectionOf, readPrivateKey } from "../analyst/key_files.js";

const TOLD_EVERY = 100;

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ type: "result", ...(await opened(data)) });
  } catch (error) {
    const sentence = error instanceof KeyRefused ? error.message : "Something went wrong while the reports were opened. Try again, or use the command.";
    self.postMessage({ type: "refused", sentence });
  } finally {
    self.close();
  }
};

async function opened({ key, passphrase, token, receiver }) {
  if (protectionOf(key) === "passphrase" && passphrase !== "") tell("unlocking");
  const raw = await readPrivateKey(key, passphrase);
  key.fill(0);
  tell("fetching");
  const rows = rowsIn(await fetched(token, receiver));
  await checkKey(rows.reading, raw);
  let last = 0;
  const { counts, dropped } = await countOpened(rows, raw, (done, total) => {
    const now = performance.now();
    if (done < total && now - last < TOLD_EVERY) return;
    last = now;
    tell("opening", done, total);
  });
  raw.fill(0);
  const { reading } = rows;
  const estimates = reading.questions
    .filter(({ id, reckoning }) => reckoning !== null && counts.get(id).some((count) => count > 0))
    .map(({ id, reckoning }) => estimateQuestion({ ...reckoning, id }, counts.get(id)));
  return {
    receiver: reading.receiver,
    study: reading.study,
    wave: reading.wave,
    rows: reading.rows,
    dropped: dropped.length,
    estimates,
    counts: Object.fromEntries(counts),
    texts: Object.fromEntries(reading.questions.map(({ id, text }) => [id, text])),
    unread: reading.questions.filter(({ reckoning }) => reckoning === null).map(({ id, text, is_opened }) => ({ id, text, is_opened })),
  };
}

async function fetched(token, receiver) {
  const address = receiver ? `/shares?receiver=${encodeURIComponent(receiver)}` : "/shares";
  let answer;
  try {
    answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store", referrerPolicy: "no-referrer" });
  } catch {
    throw new KeyRefused("The server does not answer. Try again in a while.");
  }
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  if (answer.status === 401) throw new KeyRefused("The server does not know this token: shares are for the reader whose they are. Ask whoever runs the study for your link.");
  const { error } = await answer.json();
  throw new KeyRefused(`${sentence(error.rule)} ${error.way_out}`);
}

function sentence(rule) {
  return `${rule[0].toUpperCase()}${rule.slice(1)}.`;
}

function tell(stage, done = 0, total = 0) {
  self.postMessage({ type: "progress", stage, done, total });
}
