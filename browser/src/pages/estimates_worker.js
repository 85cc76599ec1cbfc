// The worker of the dashboard: it works out what counts of reports say, so that the page stays quick.

import { robustEstimate } from "../estimates/robust.js";

self.onmessage = ({ data: { readings, counts, fakes, told, reports } }) => {
  const estimates = Object.entries(readings).map(([id, reading]) => {
    if (reading === null) return told.find(({ question }) => question === id) ?? null;
    if (!counts[id]?.some((count) => count > 0)) return null;
    return robustEstimate({ ...reading, id }, counts[id], fakes);
  });
  self.postMessage({ reports, estimates: estimates.filter((one) => one !== null) });
};
