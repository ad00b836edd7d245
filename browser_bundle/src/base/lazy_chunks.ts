/** Loads the scripts of the bundle that a page needs late or never. */
import { describeThrown } from "./errors.ts";

/** The remedy for a page that is older than the bundle on the server. */
export const RELOAD_HINT = "reload the page, in case its site was updated";

/**
 * Load a script of the bundle.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param name File name without `.js`.
 * @throws Error that says what can be done.
 */
export async function loadChunk<Module>(base: string, name: string): Promise<Module> {
  try {
    return (await import(new URL(`${name}.js`, base).href)) as Module;
  } catch (thrown) {
    throw new Error(`${describeThrown(thrown)}; ${RELOAD_HINT}`, { cause: thrown });
  }
}
