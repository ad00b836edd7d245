/** Lets a headless Chromium make the image of Python's memory that pages start from. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";

const MOST_MS = 300_000;
const ARGUMENTS = [
  "--headless",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

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

prepare(MODULES)
del prepare
`;

/** Path of a Chromium, or undefined. */
export function findChromium(python) {
  const code =
    "import os\nfrom playwright.sync_api import sync_playwright\nfrom webagent_dev.browser.chromium import find_browser\n" +
    "path = find_browser()\nif path is None:\n with sync_playwright() as p: path = p.chromium.executable_path\n" +
    "print(path if os.path.exists(path) else '')";
  try {
    return execFileSync(python, ["-c", code], { stdio: ["ignore", "pipe", "ignore"] }).toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Make the image, or take the one that was made of the same before.
 *
 * @param chromium Path of the browser.
 * @param source The page's TypeScript.
 * @param bundle Folder of the files that `order` names by path.
 * @param order See `snapshot_builder.ts`; without `program`, with `modules` to import.
 */
export async function snapshotImage(chromium, source, bundle, cache, { modules, ...order }) {
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
  const version = execFileSync(chromium, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }).toString();
  // The paths in the order change with what the files hold.
  const text = JSON.stringify({ ...order, program });
  const digest = createHash("sha256").update(version).update(script).update(text).digest("hex");
  mkdirSync(cache, { recursive: true });
  const made = path.join(cache, digest);
  if (!existsSync(made)) writeFileSync(made, await inBrowser(chromium, bundle, script, text));
  return readFileSync(made);
}

async function inBrowser(chromium, bundle, script, order) {
  const page =
    '<!doctype html><link rel="icon" href="data:,"><script type="module">import { makeSnapshot } from "/make.js";' +
    `try { const made = await makeSnapshot(document.URL, ${order.replaceAll("<", "\\u003c")});` +
    'await fetch("/made", { method: "POST", body: made }); }' +
    'catch (error) { await fetch("/failed", { method: "POST", body: String(error?.stack ?? error) }); }</script>';
  const profile = mkdtempSync(path.join(tmpdir(), "webagent-snapshot-"));
  let browser;
  const server = createServer();
  try {
    return await new Promise((resolve, reject) => {
      const answer = (response, name, body) => {
        response.writeHead(200, { "content-type": TYPES[path.extname(name)] ?? "application/octet-stream" });
        response.end(body);
      };
      server.on("request", (request, response) => {
        const name = new URL(request.url, "http://127.0.0.1").pathname;
        if (request.method === "POST") {
          const parts = [];
          request.on("data", (part) => parts.push(part));
          request.on("end", () => {
            const body = Buffer.concat(parts);
            answer(response, name, "");
            if (name === "/made") resolve(body);
            else reject(new Error(body.toString().slice(0, 2000)));
          });
        } else if (name === "/") answer(response, "index.html", page);
        else if (name === "/make.js") answer(response, name, script);
        else if (existsSync(path.join(bundle, name))) answer(response, name, readFileSync(path.join(bundle, name)));
        else response.writeHead(404).end();
      });
      server.listen(0, "127.0.0.1", () => {
        const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
        const url = `http://127.0.0.1:${server.address().port}/`;
        // A group of its own, so that its helpers end with it and write nothing any more.
        const options = { stdio: "ignore", detached: true };
        browser = spawn(chromium, [...ARGUMENTS, ...root, `--user-data-dir=${profile}`, url], options);
        browser.on("error", reject);
        browser.on("exit", (code) => reject(new Error(`\`${chromium}\` ended with ${code}`)));
        setTimeout(() => reject(new Error(`\`${chromium}\` took too long`)), MOST_MS).unref();
      });
    });
  } finally {
    server.close();
    server.closeAllConnections();
    if (browser?.exitCode === null) {
      const ended = new Promise((resolve) => browser.once("exit", resolve));
      process.kill(-browser.pid, "SIGKILL");
      await ended;
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
