/** Starts Python in the page and hands out the object that `webagent.inpage` makes. */
import type { PyodideAPI } from "pyodide";
import type { Bridge } from "../bridge.ts";
import { describeThrown } from "../errors.ts";
import { ASSETS } from "./assets.ts";

/** `webagent.inpage.InPage` as JavaScript sees it. All texts are JSON unless named otherwise. */
export interface Runtime {
  load_manifest(text: string, path: string): string;
  manifest(): string;
  /** TypeScript, not JSON. */
  typescript(): string;
  /** Markdown, not JSON. */
  to_markdown(): string;
  names(): string;
  tools(): Promise<string>;
  call(name: string, args: string): Promise<string>;
  invoke(name: string, args: string): Promise<string>;
  python(code: string): Promise<string>;
}

/** How far the start has come; bytes while downloading, otherwise steps. */
export interface Progress {
  phase: "download" | "python" | "manifest";
  loaded: number;
  total: number;
}

/**
 * Download Python, start it, import the core.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that names what is missing.
 */
export async function startRuntime(
  base: string,
  bridge: Bridge,
  onProgress: (progress: Progress) => void,
): Promise<Runtime> {
  const stopWatching = watchDownloads(base, onProgress);
  try {
    const pyodide = await loadPyodide(base);
    onProgress({ phase: "python", loaded: 0, total: 1 });
    const inpage = pyodide.pyimport("webagent.inpage") as {
      InPage: (bridge: Bridge) => Runtime;
    };
    const runtime = inpage.InPage(bridge);
    onProgress({ phase: "python", loaded: 1, total: 1 });
    return runtime;
  } catch (thrown) {
    throw new Error(await explain(base, thrown), { cause: thrown });
  } finally {
    stopWatching();
  }
}

async function loadPyodide(base: string): Promise<PyodideAPI> {
  const pyodideUrl = new URL(ASSETS.pyodide, base).href;
  const [module, lock] = await Promise.all([
    import(`${pyodideUrl}pyodide.mjs`) as Promise<typeof import("pyodide")>,
    fetchText(new URL(ASSETS.lock, base)),
  ]);
  return module.loadPyodide({
    indexURL: pyodideUrl,
    stdLibURL: new URL(ASSETS.stdlib, base).href,
    lockFileContents: lock,
    packageBaseUrl: base,
    packages: ["webagent-core"],
  });
}

async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return response.text();
}

/** Turn finished downloads into progress in bytes. */
function watchDownloads(base: string, onProgress: (progress: Progress) => void): () => void {
  const waiting = new Map(
    Object.entries(ASSETS.sizes).map(([path, bytes]) => [new URL(path, base).href, bytes]),
  );
  const total = [...waiting.values()].reduce((sum, bytes) => sum + bytes, 0);
  let loaded = 0;
  onProgress({ phase: "download", loaded, total });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const bytes = waiting.get(entry.name);
      if (bytes === undefined) continue;
      waiting.delete(entry.name);
      loaded += bytes;
      onProgress({ phase: "download", loaded, total });
    }
  });
  observer.observe({ type: "resource", buffered: true });
  return () => observer.disconnect();
}

/**
 * Say why a start failed. Pyodide's own error seldom names the file, so ask for each file again.
 */
async function explain(base: string, thrown: unknown): Promise<string> {
  const faults = await Promise.all(
    Object.keys(ASSETS.sizes).map(async (path) => {
      const url = new URL(path, base);
      try {
        const response = await fetch(url, { method: "HEAD", cache: "no-store" });
        return response.ok ? "" : `\`${url.pathname}\` answered ${response.status}`;
      } catch {
        return `\`${url.pathname}\` could not be fetched`;
      }
    }),
  );
  const missing = faults.filter(Boolean);
  if (missing.length === 0) return `python did not start: ${lastLine(describeThrown(thrown))}`;
  return `python did not start: ${missing.join(", ")}; build the bundle again and reload`;
}

/** A Python traceback says what happened in its last line. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? text;
}
