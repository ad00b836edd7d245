/** What follows after the start: the rest of Python's standard library, and the files of what an image holds. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { fetchOk } from "./fetching.ts";
import { fetchWheel, tellLoaded, unpack } from "./packages.ts";

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
 * @param bare Whether Python has only what it had imported; then files of what it started with come too:
 *   those of the standard library and of the core with the rest, those of other packages with all.
 */
export function expectRest(pyodide: PyodideAPI, base: string, bare: boolean): { bringRest: Bring; bringAll: Bring } {
  const low = { priority: "low" } as const;
  const fetchBytes = async (path: string) =>
    new Uint8Array(await (await fetchOk(base, path, low)).arrayBuffer());
  const fetchWheels = (paths: string[]) => Promise.all(paths.map((path) => fetchWheel(base, path, low)));
  const { "webagent-core": core, ...others } = ASSETS.wheels;
  const archives = bare ? [FIRST, REST] : [REST];
  const bringRest = once(async () => {
    const [wheels, ...bodies] = await Promise.all([
      fetchWheels(bare && core !== undefined ? [core] : []),
      ...archives.map(([, path]) => fetchBytes(path)),
    ]);
    archives.forEach(([place], index) => pyodide.FS.writeFile(place, bodies[index] as Uint8Array));
    unpack(pyodide.FS, wheels);
    finder.arrive();
  });
  const bringAll = once(async () => {
    await bringRest();
    if (!bare) return;
    unpack(pyodide.FS, await fetchWheels(Object.values(others)));
    tellLoaded(pyodide, Object.keys(ASSETS.wheels));
    finder.arrive();
  });
  const { expect } = pyodide.pyimport("webagent_late") as { expect: (bring: Bring, bare: boolean) => Finder };
  const finder = expect(bringRest, bare);
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
