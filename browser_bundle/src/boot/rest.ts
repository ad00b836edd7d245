/** What follows after the start: the rest of Python's standard library and of the packages. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { fetchArchive, tellLoaded, unpack, type Archive } from "./packages.ts";
import type { Bringing } from "./runtime.ts";

/** Where Python looks for each archive of the standard library; see `build/late.py`. */
const FIRST = ["/lib/python314.zip", ASSETS.stdlib] as const;
const REST = ["/lib/python314-rest.zip", ASSETS.rest] as const;

/** `webagent_late.LateFinder` as JavaScript sees it. */
interface Finder {
  arrive(): void;
}

/** Brings something once; the promise rejects when it does not come, and asking again tries again. */
export type Bring = () => Promise<void>;

/**
 * Let imports find what comes later.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param fromImage Whether Python has no files at all; then those of the standard library that it started with
 *   come too.
 */
export function expectRest(
  pyodide: PyodideAPI,
  base: string,
  fromImage: boolean,
): Bringing {
  const archive = (path: string) => fetchArchive(base, path, { priority: "low" });
  const { "webagent-core": core, ...others } = ASSETS.wheels;
  const stdlib = fromImage ? [FIRST, REST] : [REST];
  const bringRest = once(async () => {
    const [wheel, ...zips] = await Promise.all([archive(core), ...stdlib.map(([, path]) => archive(path))]);
    stdlib.forEach(([place], index) => pyodide.FS.writeFile(place, (zips[index] as Archive).bytes));
    unpack(pyodide.FS, [wheel]);
    finder.arrive();
  });
  const bringAll = once(async () => {
    await bringRest();
    unpack(pyodide.FS, await Promise.all(Object.values(others).map(archive)));
    tellLoaded(pyodide, Object.keys(ASSETS.wheels));
    finder.arrive();
  });
  const { expect } = pyodide.pyimport("webagent_late") as { expect: (bring: Bring) => Finder };
  const finder = expect(bringRest);
  return { bringRest, bringAll };
}

/** Bring something when it is first asked for, and again after it did not come. */
export function once(bring: Bring): Bring {
  let coming: Promise<void> | undefined;
  return () =>
    (coming ??= bring().catch((error: unknown) => {
      coming = undefined;
      throw error;
    }));
}
