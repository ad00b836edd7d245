/**
 * Builds everything the page downloads:
 *
 *   node build/bundle.mjs OUT [--python PYTHON]
 *
 * PYTHON is an interpreter with pip, hatchling and `webagent-dev`: it fetches the wheels, builds our
 * own, and compresses.
 * Pyodide runs in Node to compile Python's own files, and to make the image of Python's memory that pages
 * start from.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AssetFolder } from "./assets.mjs";
import { quicker } from "./pyodide_script.mjs";
import { suspendingNode } from "./node.mjs";
import { noticesText } from "./notices.mjs";
import { COMPILER, CompilingPython } from "./python.mjs";
import { buildScripts } from "./scripts.mjs";
import { sizeTable } from "./sizes.mjs";
import { snapshotImage } from "./snapshot.mjs";
import { touched } from "./touched.mjs";
import { Variants } from "./variants.mjs";
import { buildCoreWheel, fetchWheels } from "./wheels.mjs";

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const PYODIDE = path.join(HERE, "node_modules", "pyodide");
const CACHE = path.join(HERE, ".cache");

/** Files that pages fetch after their start, if at all. */
const AFTERWARDS = /\/([^/]*\.whl|python_rest\.zip|rest\.made)$/;

/**
 * What of the core comes first. The agent and the checks follow, since pages that only call tools
 * need neither. Of the parser all comes first: it loads some of its modules when a text needs them.
 */
const CORE = ["webagent.inpage", "webagent.parser.document", "webagent.parser.places"];

/** A zip of nothing. */
const NO_FILES = Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1");

/** Where the folder is made, next to its place. */
const makingOf = (out) => `${out}.making`;

const say = (text) => console.log(`bundle: ${text}`);

async function buildBundle(out, interpreter) {
  await mkdir(CACHE, { recursive: true });
  const node = suspendingNode(CACHE, say);
  say("fetching the wheels of wheels.txt");
  const fetched = await fetchWheels(interpreter, path.join(HERE, "wheels.txt"), path.join(CACHE, "wheels"));
  say("building the core wheel");
  const building = buildCoreWheel(interpreter, path.join(HERE, "..", "core"), path.join(CACHE, "core"));
  const [core, python] = await Promise.all([building, CompilingPython.start(PYODIDE, CACHE)]);

  say("compiling Python's standard library and the wheels");
  const stdlib = await python.compileStdlib();
  const compiled = [];
  for (const wheel of [...fetched, core]) compiled.push(await python.compileWheel(wheel));
  const { wheels, ...library } = python.part(compiled);
  const lock = await python.lock(wheels);

  // Pages are served from the folder while this runs, so it is replaced when all is done.
  const making = makingOf(out);
  await rm(making, { recursive: true, force: true });
  const folder = new AssetFolder(making);
  const pyodide = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"].map((name) => {
    const bytes = readFileSync(path.join(PYODIDE, name));
    return [name, name === "pyodide.asm.mjs" ? Buffer.from(quicker(bytes.toString())) : bytes];
  });
  const places = new Map(wheels.map(({ name, bytes }) => [name, folder.single(name, bytes)]));
  for (const entry of Object.values(lock.packages)) entry.file_name = places.get(entry.file_name);
  const lockText = `${JSON.stringify(lock, null, 1)}\n`;

  const variants = new Variants(interpreter, path.join(CACHE, "variants"));
  variants.begin(making, folder.sizes().keys());
  say("looking what imports of the core take");
  const whole = path.join(CACHE, "python_stdlib.zip");
  writeFileSync(whole, stdlib);
  const kept = path.join(CACHE, "touched");
  const found = await touched(PYODIDE, whole, lockText, making, library, CORE, kept);
  const { first, rest } = python.splitStdlib(stdlib, found.modules);
  const needed = Object.values(wheelsOfTheCore(lock));
  const ours = wheels.filter(({ name }) => name.startsWith("webagent_core-"));
  const theirs = wheels.filter((wheel) => !ours.includes(wheel) && needed.includes(places.get(wheel.name)));
  const files = {
    pyodide: folder.group(pyodide),
    stdlib: folder.single("python_stdlib.zip", first),
    rest: folder.single("python_rest.zip", rest),
    made: ["first.made", "rest.made"].map((name, at) => folder.single(name, Buffer.from(found.made[at], "base64"))),
    lock: folder.single("pyodide-lock.json", Buffer.from(lockText)),
    packages: [
      folder.single("core.zip", python.firstOf(ours, found.first)),
      folder.single("pydantic.zip", python.firstOf(theirs, found.first)),
    ],
    library: folder.single("library.wasm", library.bytes),
    library_path: library.path,
    wheels: wheelsOfTheCore(lock),
  };

  variants.begin(making, folder.sizes().keys());
  const sizes = Object.fromEntries([...folder.sizes()].filter(([file]) => !AFTERWARDS.test(file)));
  say("making the snapshot");
  const snapshot = await makeSnapshot(node, folder, making, files, lock.info);
  variants.begin(making, folder.sizes().keys());

  say("building the page's scripts");
  const assets = {
    version: core.name.split("-")[1],
    build: folder.digest(),
    ...files,
    sizes,
    snapshot,
  };
  const licences = fetched.map((wheel) => python.licences(wheel));
  const compiledWheel = fetched.find(({ name }) => name.endsWith("_wasm32.whl"));
  const notices = noticesText(path.join(HERE, "licenses"), python.version, licences, {
    ...python.linked(compiledWheel),
    wheel: licences[fetched.indexOf(compiledWheel)][0],
    library: library.bytes,
  });
  // `webagent-dev bundle` compiles packages of a site with it.
  folder.plain("compiler.txt", COMPILER);
  await buildScripts(path.join(HERE, "src"), making, assets, path.join(CACHE, "scripts"));

  say("compressing");
  variants.begin(making, filesBelow(making));
  const index = await variants.place(making);
  // As text, for people who look into the package.
  folder.plain("THIRD_PARTY_NOTICES.txt", notices);
  folder.plain("bundle.json", `${JSON.stringify({ ...assets, variants: index }, null, 1)}\n`);
  await rm(out, { recursive: true, force: true });
  await rename(making, out);
  console.log(sizeTable(out, folder.sizes(), assets, index));
}

/** Paths of all files below a folder, as the bundle names them. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"));
}

/** The core's wheel and those of what it needs, by the names of the packages. */
function wheelsOfTheCore({ packages }) {
  const wanted = ["webagent-core"];
  for (const name of wanted) wanted.push(...packages[name].depends.filter((other) => !wanted.includes(other)));
  // As Pyodide asks whether a package is loaded, which is not how the lock calls it.
  return Object.fromEntries(wanted.map((name) => [packages[name].name, packages[name].file_name]));
}

/**
 * The image, and the other files for a start from it.
 *
 * Only modules that the image holds are in what it is made of, so that others change without it.
 *
 * @param info The part of Pyodide's lock file that is about Pyodide.
 */
async function makeSnapshot(node, folder, making, files, info) {
  const no_stdlib = folder.single("no_stdlib.zip", NO_FILES);
  const image = await snapshotImage(node, path.join(HERE, "src"), making, path.join(CACHE, "snapshots"), {
    pyodide: files.pyodide,
    info,
    stdlib: files.stdlib,
    no_stdlib,
    packages: files.packages,
    library: files.library,
    library_path: files.library_path,
    modules: CORE,
  });
  const head = JSON.parse(image.subarray(4, 4 + image.readUInt32LE(0)).toString()).head;
  const place = folder.single("python.image", image);
  const needed = [place, no_stdlib, files.lock, files.library];
  const early = [...folder.sizes()].filter(([file]) => needed.includes(file) || file.startsWith(files.pyodide));
  return { image: place, head, no_stdlib, sizes: Object.fromEntries(early) };
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
