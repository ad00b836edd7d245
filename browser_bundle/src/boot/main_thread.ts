/** `boot.js`: Python on the page's own thread. */
import type { EarlyRequests } from "./assets.ts";
import { useEarly } from "./downloads.ts";
import { startPython, type Python } from "./python.ts";
import type { Start } from "./runtime.ts";

/** The Python of this page; it stays when the page needs another runtime. */
let python: Promise<Python> | undefined;

/** @param base URL of the bundle, ending in a slash. */
export function mainThread(base: string, requests: EarlyRequests): Start {
  useEarly(requests);
  return async (bridge, development, onProgress, _onLost, withAgent) => {
    const [here, ours] = await Promise.all([(python ??= startPython(base, onProgress, () => withAgent)), bridge]);
    const runtime = here.open(ours, development);
    const end = () => {
      void runtime.cancel(0);
      runtime.abandon_run();
      runtime.destroy();
    };
    return { ...here, runtime, way: { ...here.way, runtime: "page" }, end };
  };
}
