/**
 * Makes the image of Python's memory that pages start from. `snapshot.mjs` runs it as a process of its own:
 *
 *   node snapshot_worker.mjs SCRIPT BUNDLE OUT < order.json
 *
 * Python keeps in its memory what it found out about its surroundings, and an image is only good in a page
 * that has the same. So this process looks like a worker of a page in Chromium before Pyodide is loaded.
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

const [script, bundle, out] = process.argv.slice(2);
const order = JSON.parse(await text(process.stdin));
const base = pathToFileURL(`${bundle}/`).href;
becomeWorker(base);
const { makeSnapshot } = await import(pathToFileURL(script).href);
await writeFile(out, await makeSnapshot(base, order));
// Pyodide keeps a port open, for which Node would wait.
process.exit();

function becomeWorker(location) {
  class WorkerGlobalScope {
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  }
  const globals = {
    // Pyodide and Emscripten recognize Node by it. Node itself does without the name.
    process: undefined,
    self: globalThis,
    WorkerGlobalScope,
    location: new URL(location),
    // Pages read it as `sys._emscripten_info.runtime`; their version of Chromium is not known here.
    navigator: { userAgent: "Chrome", language: "en-US" },
    fetch: fetchFile,
    // The number of a window's frames. Python's `js` has a `len` if there is one now.
    length: 0,
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

/** `fetch` of a file; Node's own knows no such URL. */
async function fetchFile(url) {
  const type = String(url).endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(await readFile(fileURLToPath(url)), { headers: { "content-type": type } });
}
