/** Finds out which files the imports of the core use. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Kept } from "./kept.mjs";

const LOOK = readFileSync(new URL("./look.py", import.meta.url), "utf8");

/**
 * Import the whole core in a Pyodide of its own.
 *
 * @param pyodide Pyodide's npm folder.
 * @param stdlib File with the whole standard library.
 * @param lock Pyodide's lock file, as text.
 * @param bundle Folder that its paths begin in.
 * @param library {path, bytes} of the library that is not in the wheels.
 * @param core Names of the modules that every page needs.
 * @param cache Folder for what was found before, by digest of what was looked at.
 * @returns See `look.py`.
 */
export async function touched(pyodide, stdlib, lock, bundle, library, core, cache) {
  const kept = new Kept(cache, LOOK);
  const parts = [readFileSync(stdlib), lock, JSON.stringify(core)];
  return JSON.parse(await kept.bytes(parts, () => look(pyodide, stdlib, lock, bundle, library, core)));
}

async function look(pyodide, stdlib, lock, bundle, library, core) {
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
  python.runPython(LOOK);
  return python.globals.get("look")(JSON.stringify(core));
}
