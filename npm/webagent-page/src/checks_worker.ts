/** The thread of the checks: starts the bundle's Python, and answers one message after the other. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { bundleFolder, bundleIndex } from "./bundle.js";

/** The part of Pyodide that is used. */
interface Pyodide {
  FS: { writeFile(path: string, data: Uint8Array): void };
  globals: { get(name: string): (...given: string[]) => string };
  pyimport(name: string): { expect(load: () => Promise<void>): { arrive(): void } };
  runPython(code: string): void;
  unpackArchive(data: Uint8Array, format: string, options: { extractDir: string }): void;
}

interface Call {
  id: number;
  name: string;
  given: string[];
}

/** Answers are JSON. */
const PROGRAM = `
import json
from dataclasses import asdict

from webagent import parse
from webagent.checks import check
from webagent.codegen import generate_page_types, shared_types
from webagent.rebase import rebased
from webagent.schema import check_value, result_mismatches


def checked(text, path):
    return json.dumps(check(text, path=path).to_dict())


def types(text):
    return json.dumps(generate_page_types(parse(text)))


def moved(text, base):
    return json.dumps(rebased(text, base))


def mismatches(text, name, value):
    manifest = parse(text)
    tool = manifest.get_tool(name)
    if tool is None:
        return "[]"
    result = result_mismatches(tool, json.loads(value), types=shared_types(manifest))
    return as_json(result.mismatches)


def matches(value, declared):
    return as_json(check_value(json.loads(value), declared, none_is_undefined=True))


def as_json(found):
    return json.dumps([asdict(one) for one in found])
`;

async function start(): Promise<Pyodide> {
  const index = bundleIndex();
  const file = (name: string) => path.join(bundleFolder, name);
  const bytes = (name: string) => new Uint8Array(readFileSync(file(name)));
  const { loadPyodide } = (await import(pathToFileURL(file(`${index.pyodide}pyodide.mjs`)).href)) as {
    loadPyodide: (options: object) => Promise<Pyodide>;
  };
  const python = await loadPyodide({
    indexURL: file(index.pyodide),
    stdLibURL: file(index.stdlib),
    lockFileContents: readFileSync(file(index.lock), "utf8"),
    packageBaseUrl: bundleFolder,
    args: ["-X", "no_debug_ranges"],
  });
  python.FS.writeFile("/lib/python314-rest.zip", bytes(index.rest));
  const extractDir = path.posix.dirname(path.posix.dirname(index.library_path));
  for (const wheel of Object.values(index.wheels)) python.unpackArchive(bytes(wheel), "wheel", { extractDir });
  python.FS.writeFile(index.library_path, bytes(index.library));
  // All that could follow is there.
  python.pyimport("webagent_late").expect(async () => {}).arrive();
  python.runPython(PROGRAM);
  return python;
}

const port = parentPort;
if (!port) throw new Error("the checks run in a worker");
const starting = start();
starting.catch(() => {});
port.on("message", ({ id, name, given }: Call) => {
  starting
    .then((python) => ({ id, value: python.globals.get(name)(...given) }))
    .catch((thrown: unknown) => ({ id, error: lastLine(thrown) }))
    .then((answer) => port.postMessage(answer))
    .catch(() => {});
});

/** The last line of an error; in a Python traceback it names the error. */
function lastLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.trim().split("\n").at(-1)?.replace(/^\w+: /, "") ?? text;
}
