// The worker of the dashboard: it works out what counts of reports say, so that the page stays quick.

import { estimateQuestion } from "../estimates/questions.js";

self.onmessage = ({ data: { readings, counts, told, reports } }) => {
  const estimates = Object.entries(readings).map(([id, reading]) => {
    if (reading === null) return told.find(({ question }) => question === id) ?? null;
    if (!counts[id]?.some((count) => count > 0)) return null;
    return estimateQuestion({ ...reading, id }, counts[id]);
  });
  self.postMessage({ reports, estimates: estimates.filter((one) => one !== null) });
};
