/**
 * Runs Python in the built bundle, without a browser:
 *
 *   node run.mjs BUNDLE [FOLDER=PLACE …] < program.py
 *
 * prints the JSON that the program's last expression is. Each FOLDER of this machine is to be seen
 * at PLACE while it runs.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const bundle = path.resolve(process.argv[2]);
const assets = JSON.parse(readFileSync(path.join(bundle, "bundle.json"), "utf8"));
const folder = path.join(bundle, assets.pyodide);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href);

const pyodide = await loadPyodide({
  indexURL: folder,
  stdLibURL: path.join(bundle, assets.stdlib),
  lockFileContents: readFileSync(path.join(bundle, assets.lock), "utf8"),
  packageBaseUrl: `${bundle}/`,
  packages: ["webagent-core"],
  stdout: (line) => console.error(line),
});
for (const mount of process.argv.slice(3)) {
  const [source, place] = mount.split("=");
  pyodide.mountNodeFS(place, source);
}
const program = await text(process.stdin);
process.stdout.write(await pyodide.runPythonAsync(program));
