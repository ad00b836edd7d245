/**
 * Builds everything the page downloads:
 *
 *   node build/bundle.mjs OUT [--python PYTHON]
 *
 * PYTHON is an interpreter with pip and hatchling: it fetches the wheels and builds our own.
 * Nothing here needs a browser; Python's own files are compiled by Pyodide in Node.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AssetFolder } from "./assets.mjs";
import { noticesText } from "./notices.mjs";
import { CompilingPython } from "./python.mjs";
import { buildScripts } from "./scripts.mjs";
import { sizeTable } from "./sizes.mjs";
import { touchedModules } from "./touched.mjs";
import { buildCoreWheel, fetchWheels } from "./wheels.mjs";

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const PYODIDE = path.join(HERE, "node_modules", "pyodide");
const CACHE = path.join(HERE, ".cache");

/** What pages fetch after their start, if at all. */
const LATER = /\/(micropip-[^/]*|python_rest\.zip)$/;

/** Where the folder is made, next to its place. */
const makingOf = (out) => `${out}.making`;

const say = (text) => console.log(`bundle: ${text}`);

async function buildBundle(out, interpreter) {
  await mkdir(CACHE, { recursive: true });
  say("fetching the wheels of wheels.txt");
  const fetched = fetchWheels(interpreter, path.join(HERE, "wheels.txt"), path.join(CACHE, "wheels"));
  say("building the core wheel");
  const core = buildCoreWheel(interpreter, path.join(HERE, "..", "core"), path.join(CACHE, "core"));

  say("compiling Python's standard library and the wheels");
  const python = await CompilingPython.start(PYODIDE, CACHE);
  const stdlib = await python.compileStdlib();
  const wheels = [];
  for (const wheel of [...fetched, core]) wheels.push(await python.compileWheel(wheel));
  const lock = JSON.parse(await python.lock(wheels));

  // Pages are served from the folder while this runs, so it is replaced when all is done.
  const making = makingOf(out);
  await rm(making, { recursive: true, force: true });
  const folder = new AssetFolder(making);
  const pyodide = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"];
  const places = new Map(wheels.map(({ name, bytes }) => [name, folder.single(name, bytes)]));
  for (const entry of Object.values(lock.packages)) entry.file_name = places.get(entry.file_name);
  const lockText = `${JSON.stringify(lock, null, 1)}\n`;

  say("looking what of the standard library the core can touch");
  const whole = path.join(CACHE, "python_stdlib.zip");
  writeFileSync(whole, stdlib);
  const touched = await touchedModules(PYODIDE, whole, lockText, making);
  const { first, rest } = python.splitStdlib(stdlib, touched);
  const files = {
    pyodide: folder.group(pyodide.map((name) => [name, readFileSync(path.join(PYODIDE, name))])),
    stdlib: folder.single("python_stdlib.zip", first),
    rest: folder.single("python_rest.zip", rest),
    lock: folder.single("pyodide-lock.json", Buffer.from(lockText)),
  };

  say("building the page's scripts");
  const assets = {
    version: core.name.split("-")[1],
    build: folder.digest(),
    ...files,
    sizes: Object.fromEntries([...folder.sizes()].filter(([file]) => !LATER.test(file))),
  };
  const licences = fetched.map((wheel) => python.licences(wheel));
  const notices = noticesText(path.join(HERE, "licenses"), python.version, licences);
  folder.plain("THIRD_PARTY_NOTICES.txt", notices);
  folder.plain("bundle.json", `${JSON.stringify(assets, null, 1)}\n`);
  await buildScripts(path.join(HERE, "src"), making, assets);
  await rm(out, { recursive: true, force: true });
  await rename(making, out);
  console.log(sizeTable(out, [...folder.sizes().keys()], assets.sizes));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { python: { type: "string", default: "python3" } },
});
if (positionals.length !== 1) {
  console.error("usage: node build/bundle.mjs OUT [--python PYTHON]");
  process.exit(2);
}
// A path is meant from here; the wheel is built from another folder.
const interpreter = values.python.includes("/") ? path.resolve(values.python) : values.python;
const out = path.resolve(positionals[0]);
const started = performance.now();
try {
  await buildBundle(out, interpreter);
  say(`done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
} catch (error) {
  await rm(makingOf(out), { recursive: true, force: true });
  // Pyodide's errors quote its whole source; the message says what happened.
  console.error(`bundle: ${error.message}`);
  process.exit(1);
}
