/** The parts of the bundle that a page downloads when it first needs them. */
import { describeThrown } from "./errors.ts";

/** What a page can do that has outlived the bundle it was opened with. */
export const RELOAD_HINT = "reload the page, in case its site was updated";

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says what can be done.
 */
export async function loadChunk<Module>(base: string, name: string): Promise<Module> {
  try {
    return (await import(new URL(`${name}.js`, base).href)) as Module;
  } catch (thrown) {
    throw new Error(`${describeThrown(thrown)}; ${RELOAD_HINT}`, { cause: thrown });
  }
}
