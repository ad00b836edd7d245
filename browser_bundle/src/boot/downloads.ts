/** Downloads of a start: fetches files, follows their progress, and explains failures. */
import { RELOAD_HINT } from "../base/lazy_chunks.ts";
import type { EarlyRequests } from "./assets.ts";

/** Progress of a start, in bytes while downloading, otherwise in steps. */
export interface Progress {
  phase: "download" | "python" | "manifest";
  loaded: number;
  total: number;
}

/** After this long without a finished download, the missing files are checked. */
const STALLED_MS = 3000;

/** Turns finished downloads into progress in bytes; `failed` rejects when one does not come. */
export function watchDownloads(
  base: string,
  sizes: Record<string, number>,
  onProgress: (progress: Progress) => void,
): { failed: Promise<never>; done: () => void; stop: () => void } {
  const paths = Object.keys(sizes);
  const waiting = new Map(paths.map((path) => [new URL(path, base).href, path]));
  const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  let loaded = 0;
  let stalled: ReturnType<typeof setInterval> | undefined;
  let fail: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // The last failure may come when nothing waits for it any more.
  failed.catch(() => {});

  const findFault = async () => {
    const fault = await firstFault(base, [...waiting.values()]);
    if (fault) fail(new Error(fault));
  };
  const expectMore = () => {
    clearInterval(stalled);
    stalled = setInterval(() => void findFault(), STALLED_MS);
  };
  const observer = new PerformanceObserver((list) => {
    for (const { name, responseStatus } of list.getEntries() as PerformanceResourceTiming[]) {
      const path = waiting.get(name);
      if (path === undefined) continue;
      if (responseStatus >= 400) {
        void findFault();
        continue;
      }
      waiting.delete(name);
      loaded += sizes[path] ?? 0;
      onProgress({ phase: "download", loaded, total });
      expectMore();
    }
  });
  onProgress({ phase: "download", loaded, total });
  observer.observe({ type: "resource", buffered: true });
  expectMore();
  /** All files are there, even if the browser has not reported each. */
  const done = () => {
    if (loaded < total) onProgress({ phase: "download", loaded: (loaded = total), total });
  };
  const stop = () => {
    observer.disconnect();
    clearInterval(stalled);
  };
  return { failed, done, stop };
}

/** Why the first missing file is missing; undefined when all are there. */
export async function firstFault(base: string, paths: string[]): Promise<string | undefined> {
  const faults = await Promise.all(paths.map((path) => faultOf(base, path)));
  return faults.find((fault) => fault !== undefined);
}

/** Why a file of the bundle is missing; undefined when it is there. */
async function faultOf(base: string, path: string): Promise<string | undefined> {
  const url = new URL(path, base);
  try {
    const response = await fetch(url, { method: "HEAD", cache: "no-store" });
    if (response.ok) return undefined;
    return `\`${url.pathname}\` answered ${response.status}; ${RELOAD_HINT}, or build or install the bundle again`;
  } catch {
    return (
      `\`${url.pathname}\` could not be fetched; ` +
      "see that the server is up and that the page's policy allows it (connect-src)"
    );
  }
}

const early: EarlyRequests = new Map();

/** Use the answers to these requests where the same is requested. */
export function useEarly(requests: EarlyRequests): void {
  for (const [url, answer] of requests) early.set(url, answer);
}

/** The answer to an early request, once; undefined without one. */
export function earlyAnswer(url: string): Promise<Response> | undefined {
  const answer = early.get(url);
  early.delete(url);
  return answer;
}

/**
 * Fetch a file of the bundle.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that names the missing file.
 */
export async function fetchOk(base: string, path: string, options: RequestInit = {}): Promise<Response> {
  const url = new URL(path, base);
  const response = await (earlyAnswer(url.href) ?? fetch(url, options));
  if (!response.ok) throw new Error(`\`${url.pathname}\` answered ${response.status}; ${RELOAD_HINT}`);
  return response;
}
