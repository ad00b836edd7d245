/** The part of Python's standard library that follows after the start; see `build/late.py`. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";

const ARCHIVE = "/lib/python314-rest.zip";

/** `webagent_late.LateFinder` as JavaScript sees it. */
interface Finder {
  arrived: boolean;
}

/**
 * Let imports find the rest of the standard library.
 *
 * @param base URL of the bundle, ending in a slash.
 * @returns What brings it, once; the promise rejects when it does not come, and asking again tries again.
 */
export function expectRest(pyodide: PyodideAPI, base: string): () => Promise<void> {
  let coming: Promise<void> | undefined;
  const bring = () =>
    (coming ??= fetchRest(base)
      .then((bytes) => {
        pyodide.FS.writeFile(ARCHIVE, bytes);
        finder.arrived = true;
      })
      .catch((error: unknown) => {
        // Also when it came, and there was no room for it.
        coming = undefined;
        throw error;
      }));
  const { expect } = pyodide.pyimport("webagent_late") as {
    expect: (bring: () => Promise<void>) => Finder;
  };
  const finder = expect(bring);
  return bring;
}

async function fetchRest(base: string): Promise<Uint8Array> {
  const url = new URL(ASSETS.rest, base);
  const response = await fetch(url, { priority: "low" });
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
