// Builds what runs in browsers: one classic script for each entry, written into the package, where it is committed.
// The same sources and the same versions (package-lock.json) give the same bytes on every machine.
//
//   node build.mjs [--to ROOT]     writes under ROOT, which is the repository unless it is said otherwise

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));

// What is built: the entry here, and the file in the package. A new page adds a line.
const BUNDLES = [
  ["src/pages/admin.js", "src/sfumato/server/static/admin.js"],
  ["src/pages/dashboard.js", "src/sfumato/server/static/dashboard.js"],
  ["src/pages/estimates_worker.js", "src/sfumato/server/static/estimates_worker.js"],
  ["src/pages/reader_worker.js", "src/sfumato/server/static/reader_worker.js"],
  ["src/pages/respond.js", "src/sfumato/server/static/respond.js"],
];

// Nobody guesses a charset: whatever is not ASCII is escaped. No source map: it would hold paths of this machine.
const SETTINGS = {
  absWorkingDir: HERE,
  bundle: true,
  charset: "ascii",
  format: "iife",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  minify: true,
  platform: "browser",
  preserveSymlinks: true,
  target: "es2022",
  write: false,
};

/** Return the packages whose code is in a bundle, with their versions and licences. */
async function packagesIn(metafile) {
  const names = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs)
      .filter(([, part]) => part.bytesInOutput > 0)
      .map(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
      .filter((name) => name !== undefined),
  );
  return Promise.all(
    [...new Set(names)].sort().map(async (name) => {
      const folder = join(HERE, "node_modules", name);
      const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      return { name, version, license, text: plain((await readFile(join(folder, "LICENSE"), "utf8")).trim()) };
    }),
  );
}

/** Quotation marks of a licence in ASCII. */
function plain(text) {
  return text.replace(/[\u201c\u201d]/g, '"').replace(/[\u2018\u2019]/g, "'");
}

/** Say what is not ours, as its licences ask: whose it is, and under which terms. */
function notice(packages) {
  if (packages.length === 0) return "";
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), `${one.name} ${one.version}`]);
  const parts = [...byText].map(([text, names]) => `${names.join(", ")}:\n\n${text}`);
  return `/*!\nThis file contains parts of\n\n${parts.join("\n\n")}\n*/\n`;
}

/** Build one bundle, and return its bytes. */
export async function bundled(entry, settings = {}) {
  const made = await build({ ...SETTINGS, ...settings, entryPoints: [entry] });
  return `${made.outputFiles[0].text.trimEnd()}\n${notice(await packagesIn(made.metafile))}`;
}

async function main(given) {
  const root = given[0] === "--to" ? resolve(given[1]) : dirname(HERE);
  for (const [entry, file] of BUNDLES) {
    const path = join(root, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await bundled(entry));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
