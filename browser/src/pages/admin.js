// The desk of whoever runs a study: invitations, readers' links, closing, withdrawing, and the export.

import { Desk, Refused } from "../desk/asking.js";
import { byId, csv, download, element } from "../desk/elements.js";

const COUNT_EVERY = 5000;

const desk = new Desk();
let invitations = [];
let timer = 0;

function start() {
  byId("invite-link").value = location.origin;
  byId("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    desk.takeToken(byId("token").value);
    byId("token").value = "";
    enter();
  });
  onSubmit("invite", invite);
  onSubmit("withdraw", withdraw);
  onClick("close", close);
  onClick("export", exported);
  onClick("sign-out", () => location.reload());
  onClick("invited-csv", () => download("invitations.csv", "text/csv", invitedCsv()));
  onClick("print", () => window.print());
}

async function enter() {
  const counts = await tried("sign-in-said", () => desk.get("/counts"));
  if (counts === null) return;
  byId("sign-in").hidden = true;
  byId("desk").hidden = false;
  byId("desk-title").focus();
  show(counts);
}

function show(counts) {
  const shown = { reports: counts.reports, invited: counts.invited, spent: counts.spent, withdrawn: counts.withdrawn };
  for (const [name, value] of Object.entries(shown)) byId(`count-${name}`).textContent = value.toLocaleString("en");
  byId("state").textContent = counts.open ? "open: reports are taken" : "closed: nothing new is taken";
  byId("close").disabled = !counts.open;
  byId("withdraw-part").hidden = counts.mode !== "panel";
  byId("spent-part").hidden = counts.mode === "panel";
  const links = counts.readers.map(({ name, token }) =>
    element("li", {}, element("a", { href: `/dashboard#reader=${token}`, target: "_blank", rel: "noopener noreferrer" }, `Dashboard of ${name}`)),
  );
  if (byId("readers").childElementCount !== links.length) byId("readers").replaceChildren(...links);
  clearTimeout(timer);
  timer = setTimeout(again, COUNT_EVERY);
}

async function again() {
  try {
    show(await desk.get("/counts"));
  } catch (error) {
    byId("desk-said").textContent = error.message;
    timer = setTimeout(again, COUNT_EVERY);
  }
}

async function invite() {
  const document_ = { count: Number(byId("invite-count").value), link: byId("invite-link").value.trim(), codes: byId("invite-codes").checked };
  const found = await tried("invite-said", () => desk.post("/invitations", document_));
  if (found === null) return;
  invitations = found.invitations;
  byId("invite-said").textContent = `${invitations.length.toLocaleString("en")} people are invited. Their tokens are on this page and nowhere else: save them now.`;
  byId("invited").hidden = false;
  byId("sheet").replaceChildren(...invitations.filter(({ code }) => code).map(card));
  byId("print").hidden = byId("sheet").childElementCount === 0;
  again();
}

/** One invitation on the printed sheet. */
function card({ token, link, code }) {
  const picture = element("img", { src: `data:image/svg+xml;base64,${btoa(code)}`, alt: `QR code of the link ${link}`, width: "160", height: "160" });
  return element("li", {}, picture, element("p", {}, new URL(link).origin), element("p", { class: "token" }, token));
}

function invitedCsv() {
  const columns = ["token", "link", "panel"].filter((name) => invitations.some((one) => one[name] !== undefined));
  return csv(columns, invitations.map((one) => columns.map((name) => one[name])));
}

async function close() {
  if (!window.confirm("Close the study? No report is taken any more, also of those who are invited.")) return;
  const found = await tried("close-said", () => desk.post("/close", {}));
  if (found === null) return;
  byId("close-said").textContent = `Closed, with ${found.reports.toLocaleString("en")} reports. ${found.note ?? ""}`.trim();
  again();
}

async function withdraw() {
  const found = await tried("withdraw-said", () => desk.post("/withdrawals", { panel: byId("panel").value.trim() }));
  if (found === null) return;
  byId("panel").value = "";
  byId("withdraw-said").textContent = "The reports of this pseudonym are withdrawn. Those that readers see leave with the next batch.";
  again();
}

async function exported() {
  byId("export-said").textContent = "Making the export.";
  const data = await tried("export-said", () => desk.bytes("/export"));
  if (data === null) return;
  download("export.zip", "application/zip", data);
  byId("export-said").textContent = `The export has ${data.byteLength.toLocaleString("en")} bytes.`;
}

/** Ask for something; what is refused is said in its place, and null comes back. */
async function tried(place, ask) {
  byId(place).textContent = "";
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    byId(place).textContent = error.message;
    return null;
  }
}

function onSubmit(id, act) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

function onClick(id, act) {
  byId(id).addEventListener("click", act);
}

start();
