/** Finds out which modules of the standard library the core can touch. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Modules that are first imported by something that happens in a page, not by an import of the core:
 * dates that are read, texts in other encodings, names of hosts beyond ASCII, resources of packages.
 */
const LATER = [
  "_strptime",
  "_threading_local",
  "calendar",
  "encodings.ascii",
  "encodings.idna",
  "encodings.latin_1",
  "encodings.unicode_escape",
  "encodings.utf_16",
  "encodings.utf_8_sig",
  "importlib.readers",
  "pkgutil",
  "platform",
  "stringprep",
];

/** Modules that need threads, of which a page has none: for programs that drive pages. */
const OUTSIDE = ["webagent.sync_client"];

const PROGRAM = `
import importlib, json, pkgutil, sys

import webagent

for module in pkgutil.walk_packages(webagent.__path__, "webagent."):
    if module.name not in OUTSIDE:
        importlib.import_module(module.name)
for name in LATER:
    importlib.import_module(name)
json.dumps(sorted(name for name, module in sys.modules.items() if module is not None))
`;

/**
 * Import the whole core in a Pyodide of its own; return the names of all modules that are there then.
 *
 * @param pyodide Pyodide's npm folder.
 * @param stdlib File with the whole standard library.
 * @param lock Pyodide's lock file, as text.
 * @param bundle Folder that its paths begin in.
 * @param library {path, bytes} of the library that is not in the wheels.
 * @param cache Folder for what was found before, by digest of what was looked at.
 */
export async function touchedModules(pyodide, stdlib, lock, bundle, library, cache) {
  const program = PROGRAM.replace("LATER", JSON.stringify(LATER)).replace("OUTSIDE", JSON.stringify(OUTSIDE));
  const hash = createHash("sha256").update(readFileSync(stdlib)).update(lock).update(program);
  mkdirSync(cache, { recursive: true });
  const known = path.join(cache, hash.digest("hex"));
  if (!existsSync(known)) writeFileSync(known, await look(pyodide, stdlib, lock, bundle, library, program));
  return JSON.parse(readFileSync(known, "utf8"));
}

async function look(pyodide, stdlib, lock, bundle, library, program) {
  const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")).href);
  const python = await loadPyodide({
    indexURL: pyodide,
    stdLibURL: stdlib,
    lockFileContents: lock,
    packageBaseUrl: `${bundle}/`,
    packages: ["webagent-core"],
    stdout: () => {},
  });
  python.FS.writeFile(library.path, library.bytes);
  return python.runPython(program);
}
