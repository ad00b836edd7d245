/** Starts Python from the files of the bundle. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { fetchArchive, unpack } from "./packages.ts";
import { startPyodide } from "./pyodide.ts";

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says what did not come, or what is wrong with it.
 */
export async function startFromFiles(base: string): Promise<PyodideAPI> {
  const packages = Promise.all(ASSETS.packages.map((path) => fetchArchive(base, path)));
  const pyodide = await startPyodide(base, {
    stdlib: ASSETS.stdlib,
    content: packages.then((archives) => ({ FS }) => {
      unpack(FS, archives);
      // It is laid out already, and only has to be there by name.
      FS.writeFile(ASSETS.library_path, new Uint8Array());
    }),
  });
  pyodide.runPython("import importlib, webagent_ready; importlib.invalidate_caches(); webagent_ready.use()");
  return pyodide;
}
