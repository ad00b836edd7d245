/** Starts Python from the files of the bundle. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { fetchWheel, tellLoaded, unpack } from "./packages.ts";
import { startPyodide } from "./pyodide.ts";

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says what did not come, or what is wrong with it.
 */
export async function startFromFiles(base: string): Promise<PyodideAPI> {
  const wheels = Promise.all(Object.values(ASSETS.wheels).map((path) => fetchWheel(base, path)));
  const pyodide = await startPyodide(base, {
    stdlib: ASSETS.stdlib,
    content: wheels.then((all) => ({ FS }) => {
      unpack(FS, all);
      // It is laid out already, and only has to be there by name.
      FS.writeFile(ASSETS.library_path, new Uint8Array());
    }),
  });
  tellLoaded(pyodide, Object.keys(ASSETS.wheels));
  pyodide.runPython("import importlib, webagent_ready; importlib.invalidate_caches(); webagent_ready.use()");
  return pyodide;
}
