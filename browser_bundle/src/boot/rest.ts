/** What follows after the start: the rest of Python's standard library, and of a snapshot's core. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { fetchOk } from "./fetching.ts";
import { filesOf, put } from "./stored.ts";

/** Where Python looks for each archive of the standard library; see `build/late.py`. */
const FIRST = ["/lib/python314.zip", ASSETS.stdlib] as const;
const REST = ["/lib/python314-rest.zip", ASSETS.rest] as const;

const PACKAGES = "/lib/python3.14/site-packages";

/** `webagent_late.LateFinder` as JavaScript sees it. */
interface Finder {
  arrive(): void;
}

/** Brings something once; the promise rejects when it does not come, and asking again tries again. */
export type Bring = () => Promise<void>;

/**
 * Let imports find the rest of the standard library.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param core The wheel of the core where Python has only what it had imported; its files come too then.
 */
export function expectRest(pyodide: PyodideAPI, base: string, core?: string): Bring {
  const fetchBytes = async (path: string) =>
    new Uint8Array(await (await fetchOk(base, path, { priority: "low" })).arrayBuffer());
  const archives = core === undefined ? [REST] : [FIRST, REST];
  const bring = once(async () => {
    const [wheel, ...bodies] = await Promise.all([
      core === undefined ? undefined : fetchBytes(core),
      ...archives.map(([, path]) => fetchBytes(path)),
    ]);
    archives.forEach(([place], index) => pyodide.FS.writeFile(place, bodies[index] as Uint8Array));
    // Without Python, whose own way would hold up the page ten times as long.
    if (wheel) for (const [name, bytes] of filesOf(wheel)) put(pyodide.FS, `${PACKAGES}/${name}`, bytes);
    finder.arrive();
  });
  const { expect } = pyodide.pyimport("webagent_late") as { expect: (bring: Bring, bare: boolean) => Finder };
  const finder = expect(bring, core !== undefined);
  return bring;
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
