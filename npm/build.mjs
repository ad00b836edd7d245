/**
 * Builds the packages:
 *
 *   node build.mjs [--code] [--python PYTHON]
 *
 * The types of the page are those of its own sources in `browser_bundle/src`, and the names that are
 * promised to sites those of docs/design/contracts.md. With `--code` the files of the bundle are left out;
 * else PYTHON is an interpreter with `webagent-site`, which has them from `make bundle`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(HERE);
const PAGE = path.join(HERE, "webagent-page");
const SOURCES = path.join(ROOT, "browser_bundle", "src");

/** Modules whose types sites see; what they import follows. */
const ENTRIES = ["page/webagent", "tools/webmcp_api"];

/** In the order in which one needs the other. */
const PACKAGES = ["webagent-page", "vite-plugin-webagent", "webagent-react", "webagent-vue", "webagent-playwright"];

const { values } = parseArgs({
  options: { code: { type: "boolean", default: false }, python: { type: "string", default: "python3" } },
});

try {
  pageTypes(path.join(PAGE, "types"));
  for (const name of PACKAGES) {
    const folder = path.join(HERE, name);
    rmSync(path.join(folder, "dist"), { recursive: true, force: true });
    tsc("--project", folder);
  }
  if (!values.code) {
    const script = path.join(ROOT, "scripts", "npm_bundle.py");
    execFileSync(values.python, [script, path.join(PAGE, "bundle")], { stdio: "inherit" });
  }
} catch (error) {
  // What it says is on the terminal already.
  process.exit(error.status || 1);
}

function tsc(...options) {
  const script = path.join(HERE, "node_modules", "typescript", "lib", "tsc.js");
  execFileSync(process.execPath, [script, "--pretty", "false", ...options], { stdio: "inherit" });
}

/** Write the declarations of the page's own sources, and the promised names. */
function pageTypes(out) {
  const made = mkdtempSync(path.join(tmpdir(), "webagent-types-"));
  try {
    const project = path.join(made, "tsconfig.json");
    const options = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: SOURCES,
      outDir: made,
      typeRoots: [path.join(HERE, "node_modules", "@types")],
      paths: { pyodide: [path.join(ROOT, "browser_bundle", "node_modules", "pyodide")] },
    };
    const files = ENTRIES.map((entry) => path.join(SOURCES, `${entry}.ts`));
    const base = path.join(ROOT, "browser_bundle", "tsconfig.json");
    writeFileSync(project, JSON.stringify({ extends: base, compilerOptions: options, include: [], files }));
    tsc("--project", project);
    rmSync(out, { recursive: true, force: true });
    const wanted = [...ENTRIES];
    // It grows meanwhile.
    for (const name of wanted) {
      const text = readFileSync(path.join(made, `${name}.d.ts`), "utf8").replace(
        /(["'])(\.{1,2}\/[^"']+)\.ts\1/g,
        (_, quote, specifier) => {
          const found = path.posix.join(path.posix.dirname(name), specifier);
          if (!wanted.includes(found)) wanted.push(found);
          return `${quote}${specifier}.js${quote}`;
        },
      );
      const file = path.join(out, `${name}.d.ts`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    writeFileSync(path.join(out, "contracts.d.ts"), contracts());
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The promised names of the page as types. */
function contracts() {
  const text = readFileSync(path.join(ROOT, "docs", "design", "contracts.md"), "utf8");
  const column = (title, at = 0) => rows(text, title).map((cells) => cells[at]);
  const union = (names) => names.map((name) => `"${name}"`).join(" | ");
  const members = column("### Members").map(code);
  const events = column("### Events").map(code);
  const attributes = rows(text, "### Script attributes").map(([name, choices]) => {
    // A few words to choose from, or any text.
    const words = /^(`\w+`)(, `\w+`)*$/.test(choices) ? union(choices.split(", ").map(code)) : "string";
    return `  "${code(name).replace(/^data-/, "")}"?: ${words};\n`;
  });
  return [
    "/** Members of `window.webagent` that are promised to sites. */",
    `export type Member = ${union(members)};`,
    "/** The events of `window.webagent`. */",
    `export type EventName = ${union(events)};`,
    "/** Attributes of the script tag of `webagent.js`, without `data-`. */",
    `export interface ScriptAttributes {\n${attributes.join("")}}\n`,
  ].join("\n");
}

/** The cells of the first table below a heading. */
function rows(text, title) {
  const section = text.slice(text.indexOf(`\n${title}\n`));
  const table = /\n\|[^\n]*\|\n\|[-| ]+\|\n((?:\|[^\n]*\|\n)+)/.exec(section);
  if (!table) throw new Error(`docs/design/contracts.md has no table under "${title}"`);
  return table[1].trim().split("\n").map((line) => line.slice(2, -2).split(/ \| /));
}

function code(cell) {
  return cell.replaceAll("`", "");
}
