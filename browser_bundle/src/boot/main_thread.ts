/** `boot.js`: Python on the page's own thread. */
import { startPython } from "./python.ts";
import type { Start } from "./runtime.ts";

/** @param base URL of the bundle, ending in a slash. */
export function mainThread(base: string): Start {
  return async (bridge, development, onProgress) => {
    const [python, ours] = await Promise.all([startPython(base, onProgress), bridge]);
    return { ...python, runtime: python.open(ours, development), way: { ...python.way, runtime: "page" } };
  };
}
