/**
 * Builds the JavaScript that core brings into pages from outside, as data of its package:
 *
 *   node build/core.mjs            writes it
 *   node build/core.mjs --check    fails when the scripts were built from another source
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";
import { sandboxHtml } from "./sandbox.mjs";

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SOURCE = path.join(HERE, "src");
const OUT = path.join(HERE, "..", "core", "webagent", "page", "js");

/** Scripts by their file, each with where it begins and the name that it defines. */
const SCRIPTS = {
  "marks.js": ["dom/screenshot/marks.ts", "webagentMarks"],
  "outside.js": ["driver_bridge.ts", "webagentOutside"],
  "program.js": ["sandbox/driver_page.ts", "webagentProgram"],
  "sandbox.js": ["sandbox/driver_sandbox.ts", "webagentProgram"],
};

/** Makes the scripts, a sixth of the wheel, a few per cent smaller still. */
const SQUEEZED = { ecma: 2020, compress: { passes: 3 }, format: { comments: false } };
const squeezed = async (script) => (await minify(script, SQUEEZED)).code;

async function script(entry, globalName) {
  const { outputFiles } = await build({
    entryPoints: [path.join(SOURCE, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    globalName,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return `${await squeezed(outputFiles[0].text)}\n`;
}

const files = { "sandbox.html": await sandboxHtml(SOURCE, squeezed) };
for (const [file, [entry, name]] of Object.entries(SCRIPTS)) files[file] = await script(entry, name);
const licence = readFileSync(path.join(HERE, "licenses", "babel-parser.txt"), "utf8").trim();
files["THIRD_PARTY_NOTICES.txt"] =
  `\`program.js\` and \`sandbox.html\` hold @babel/parser, under its own licence.\n\n${licence}\n`;

if (process.argv.includes("--check")) {
  const there = (file) =>
    existsSync(path.join(OUT, file)) && readFileSync(path.join(OUT, file), "utf8");
  const stale = Object.keys(files).filter((file) => there(file) !== files[file]);
  if (stale.length) {
    console.error(
      `core: ${stale.join(", ")} in core/webagent/page/js is not what browser_bundle/src gives; ` +
        "write `npm run core` in browser_bundle",
    );
    process.exit(1);
  }
} else {
  mkdirSync(OUT, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(OUT, file), text);
}
