/** Makes the image of Python's memory that pages start from, in Node. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Kept } from "./kept.mjs";

const WORKER = fileURLToPath(new URL("./snapshot_worker.mjs", import.meta.url));
const MOST_MS = 300_000;

/** Imports what the image is to hold; leaves nothing behind that a page would not have. */
const PROGRAM = `
def prepare(modules):
    import gc, importlib, pkgutil, sys, zipimport

    importlib.invalidate_caches()
    import webagent_late

    for module in modules:
        importlib.import_module(module)
    # The files are not in the image: what is found there later is not what was there now, and what
    # is open (\`importlib.metadata\` keeps archives open) would later close a file of somebody else.
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    zipimport._zip_directory_cache.clear()
    for _ in range(3):
        gc.collect()
    gc.freeze()
    return id(sys.modules)

prepare(MODULES)
`;

/**
 * Make the image, or take the one that was made of the same before.
 *
 * @param node Path of a Node that can suspend WebAssembly.
 * @param source The page's TypeScript.
 * @param bundle Folder of the files that `order` names by path.
 * @param cache Folder for what was made before.
 * @param order See `snapshot_builder.ts`; without `program`, with `modules` to import.
 */
export async function snapshotImage(node, source, bundle, cache, { modules, ...order }) {
  const { outputFiles } = await build({
    entryPoints: [path.join(source, "boot", "snapshot_builder.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
  const script = outputFiles[0].text;
  const program = PROGRAM.replace("MODULES", JSON.stringify(modules));
  const version = execFileSync(node, ["--version"]);
  // The paths in the order change with what the files hold.
  const text = JSON.stringify({ ...order, program });
  const kept = new Kept(cache, version, readFileSync(WORKER), script);
  return kept.bytes([text], async () => {
    const folder = mkdtempSync(path.join(cache, "making-"));
    const [file, image] = ["snapshot.mjs", "python.image"].map((name) => path.join(folder, name));
    try {
      writeFileSync(file, script);
      await runWorker(node, [file, bundle, image], text);
      return readFileSync(image);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** Run `snapshot_worker.mjs` with an order. */
function runWorker(node, args, order) {
  // The time zone of this machine would be that of all pages.
  const options = { env: { ...process.env, TZ: "UTC" }, timeout: MOST_MS };
  return new Promise((resolve, reject) => {
    const child = execFile(node, [WORKER, ...args], options, (error, _, said) => {
      if (error) reject(new Error(`no snapshot could be made - ${said.trim().slice(-2000) || error.message}`));
      else resolve();
    });
    // A process that ends before it has read the order has printed why.
    child.stdin.on("error", () => {});
    child.stdin.end(order);
  });
}
