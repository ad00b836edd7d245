/** Makes the image of Python's memory that pages start from, in Node. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Kept } from "./kept.mjs";

const WORKER = fileURLToPath(new URL("./snapshot_worker.mjs", import.meta.url));
const MOST_MS = 300_000;

/**
 * Modules whose content is not in the image: others import them at their top, and no start uses them. Nothing
 * else may hold a class or function of theirs, which would be there twice, and none may be changed by another
 * module, as `shutil` is by Pyodide.
 */
const LATE = [
  "_opcode_metadata",
  "_sysconfigdata__emscripten_wasm32-emscripten",
  "asyncio.sslproto",
  "bz2",
  "codeop",
  "difflib",
  "dis",
  "lzma",
  "opcode",
  "selectors",
  "socket",
  "ssl",
  "subprocess",
  "sysconfig",
];

/** Imports what the image is to hold; leaves nothing behind that a page would not have. */
const PROGRAM = `
def prepare(modules, late):
    import gc, importlib, re, sys, types, typing, weakref, zipimport

    importlib.invalidate_caches()
    import webagent_late

    for module in modules:
        importlib.import_module(module)
    left = {}
    for module in map(sys.modules.get, late):
        content = vars(module)
        for name, value in content.items():
            # Classes that are not written in Python stay where they are.
            known = isinstance(value, type) and "__firstlineno__" in vars(value)
            if (known or isinstance(value, types.FunctionType)) and value.__module__ == module.__name__:
                left[f"{module.__name__}.{name}"] = weakref.ref(value)
        kept = "__name__", "__loader__", "__package__", "__spec__", "__path__", "__file__"
        kept = {name: content[name] for name in kept if name in content}
        content.clear()
        content.update(kept)
        module.__class__ = webagent_late.LateModule
    content = value = None
    # The files are not in the image: what is found there later is not what was there now, and what
    # is open (\`importlib.metadata\` keeps archives open) would later close a file of somebody else.
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    zipimport._zip_directory_cache.clear()
    # Each of these is computed again when it is asked for.
    for forget in (*typing._cleanups, re.purge, sys._clear_internal_caches):
        forget()
    for _ in range(3):
        gc.collect()
    if held := [name for name, value in left.items() if value() is not None]:
        raise RuntimeError(f"modules cannot come late while something else holds {held}")
    gc.freeze()
    return id(sys.modules)

prepare(MODULES, LATE)
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
  const program = PROGRAM.replace("MODULES", JSON.stringify(modules)).replace("LATE", JSON.stringify(LATE));
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
