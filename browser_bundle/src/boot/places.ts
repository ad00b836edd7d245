/** Starts Python where it should be, or on the page's thread if that cannot be. */
import { describeThrown } from "../base/errors.ts";
import { part } from "../base/lazy_chunks.ts";
import type * as Far from "./worker_client.ts";
import type * as Near from "./main_thread.ts";
import type { Place, Start } from "./runtime.ts";

/**
 * Fetch what starts Python at a place.
 *
 * @param base URL of the bundle, ending in a slash.
 */
export function startingAt(base: string, place: Place): Start {
  const boot = () => part<typeof Near>(base, "boot");
  const here: Start = async (...given) => (await boot()).near(base)(...given);
  if (place === "page") {
    // What is wrong with it is told when it is used.
    boot().catch(() => {});
    return here;
  }
  const script = part<typeof Far>(base, "far");
  script.catch(() => {});
  return async (...given) => {
    try {
      return await (await script).far(base, place)(...given);
    } catch (thrown) {
      const why = describeThrown(thrown);
      console.warn(`webagent: Python runs on the page's own thread, where it can hold up the page - ${why}`);
      const started = await here(...given);
      const reason = [why, started.way.reason].filter((one) => one !== undefined).join("; ");
      return { ...started, way: { ...started.way, reason } };
    }
  };
}
