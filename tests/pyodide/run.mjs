/**
 * Runs Python in the built bundle, without a browser:
 *
 *   node run.mjs BUNDLE [--first] [FOLDER=PLACE …] < program.py
 *
 * prints the JSON that the program's last expression is. Each FOLDER of this machine is to be seen
 * at PLACE while it runs. With --first there is no more of the standard library than what a page
 * starts with.
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
pyodide.FS.writeFile(assets.library_path, readFileSync(path.join(bundle, assets.library)));
const late = pyodide.pyimport("webagent_late");
const use = (made) => late.use(new Uint8Array(readFileSync(path.join(bundle, made))));
use(assets.made[0]);
const finder = late.expect(() => Promise.reject(new Error("kept away")));
const options = process.argv.slice(3);
if (!options.includes("--first")) {
  use(assets.made[1]);
  pyodide.FS.writeFile("/lib/python314-rest.zip", readFileSync(path.join(bundle, assets.rest)));
  finder.arrive();
}
for (const mount of options.filter((option) => option.includes("="))) {
  const [source, place] = mount.split("=");
  pyodide.mountNodeFS(place, source);
}
const program = await text(process.stdin);
process.stdout.write(await pyodide.runPythonAsync(program));
