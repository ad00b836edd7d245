/** The parts of the bundle that a page downloads when it first needs them. */

/** @param base URL of the bundle, ending in a slash. */
export async function part<Module>(base: string, name: string): Promise<Module> {
  return (await import(new URL(`${name}.js`, base).href)) as Module;
}
