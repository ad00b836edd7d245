/** Pyodide in Node: compiles Python for the page and writes Pyodide's lock file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Kept } from "./kept.mjs";

export const COMPILER = readFileSync(new URL("./compile.py", import.meta.url), "utf8");
const LINKED = readFileSync(new URL("./linked.py", import.meta.url), "utf8");
const LATE = readFileSync(new URL("./late.py", import.meta.url), "utf8");

/** Without docstrings and asserts. */
const OPTIMIZE = 2;

/** Writes the lock file with micropip, from wheels in Pyodide's own file system. */
const LOCKER = `
import json, pathlib, shutil, sys

# Without its own metadata micropip does not count as installed, so it installs itself as well.
for info in pathlib.Path("/locker").glob("*.dist-info"):
    shutil.rmtree(info)
sys.path.insert(0, "/locker")

async def lock(names):
    import micropip

    await micropip.install([f"emfs:/wheels/{name}" for name in names], deps=False)
    contents = json.loads(micropip.freeze())
    for package in contents["packages"].values():
        package["file_name"] = package["file_name"].rpartition("/")[2]
    return json.dumps(contents, sort_keys=True)
`;

export class CompilingPython {
  #pyodide;
  #folder;
  #kept;

  /**
   * Start Pyodide from its npm folder.
   *
   * @param cache Folder for what was compiled before, by digest of input and compiler.
   */
  static async start(folder, cache) {
    const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href);
    const { info } = JSON.parse(readFileSync(path.join(folder, "pyodide-lock.json"), "utf8"));
    const pyodide = await loadPyodide({
      lockFileContents: JSON.stringify({ info, packages: {} }),
      packageBaseUrl: pathToFileURL(`${cache}/`).href,
      args: ["-X", "no_debug_ranges"],
    });
    pyodide.runPython(COMPILER);
    return new CompilingPython(pyodide, folder, path.join(cache, "compiled"));
  }

  constructor(pyodide, folder, cache) {
    this.#pyodide = pyodide;
    this.#folder = folder;
    this.#kept = new Kept(cache, pyodide.version, COMPILER);
  }

  /** The standard library of the npm package, as bytecode. */
  async compileStdlib() {
    const source = readFileSync(path.join(this.#folder, "python_stdlib.zip"));
    return this.#kept.bytes([source], () => this.#call("compile_stdlib", source).slice());
  }

  /**
   * The standard library in two parts: the one that the page starts with, and the rest.
   *
   * @param whole What `compileStdlib` returned.
   * @param modules Names of the modules of the first part.
   */
  splitStdlib(whole, modules) {
    const [first, rest] = this.#call("split_stdlib", whole, this.#pyodide.toPy(modules), LATE);
    return { first: Buffer.from(first), rest: Buffer.from(rest) };
  }

  /** A wheel as bytecode: {name, bytes}; modules that are as in the last wheel of that name are taken from it. */
  async compileWheel({ name, bytes }) {
    const compiled = name.replace(/-py3-none-any\.whl$/, "-cp314-none-any.whl");
    const last = this.#kept.file("last", name);
    const made = await this.#kept.bytes([bytes], () => {
      const before = existsSync(last) ? [readFileSync(last)] : [];
      return this.#call("compile_wheel", name, bytes, OPTIMIZE, ...before)[1];
    });
    writeFileSync(last, made);
    return { name: compiled, bytes: made };
  }

  /** Pyodide's lock file for these wheels, with their digests and plain names. */
  async lock(wheels) {
    const { FS } = this.#pyodide;
    FS.mkdirTree("/wheels");
    for (const { name, bytes } of wheels) FS.writeFile(`/wheels/${name}`, new Uint8Array(bytes));
    for (const { name, bytes } of wheels) {
      if (name.startsWith("micropip-")) {
        this.#pyodide.unpackArchive(new Uint8Array(bytes), "wheel", { extractDir: "/locker" });
      }
    }
    this.#pyodide.runPython(LOCKER);
    const names = this.#pyodide.toPy(wheels.map((wheel) => wheel.name));
    const lock = JSON.parse(await this.#pyodide.globals.get("lock")(names));
    // Where it looks for them itself there is no source.
    const imports = new Map(wheels.map(({ name, bytes }) => [name, this.#call("imports", bytes)]));
    for (const entry of Object.values(lock.packages)) entry.imports = imports.get(entry.file_name);
    return lock;
  }

  /**
   * Take the one WebAssembly library of the wheels out of its wheel.
   *
   * @returns {wheels, path, bytes}: the wheels without it, where it will lie, what it is.
   */
  part(wheels) {
    const parts = wheels.map(({ bytes }) => this.#call("part", bytes));
    const found = parts.filter(Boolean);
    if (found.length !== 1) throw new Error(`the wheels hold ${found.length} libraries, not one`);
    const [[, path, bytes]] = found;
    const left = wheels.map((wheel, at) => (parts[at] ? { ...wheel, bytes: Buffer.from(parts[at][0]) } : wheel));
    return { wheels: left, path, bytes: Buffer.from(bytes) };
  }

  /**
   * One archive of what the first imports take of the wheels.
   *
   * @param modules Names of the modules that these imports bring.
   */
  firstOf(wheels, modules) {
    const bytes = this.#pyodide.toPy(wheels.map((wheel) => new Uint8Array(wheel.bytes)));
    return Buffer.from(this.#call("first_of", bytes, this.#pyodide.toPy(modules)));
  }

  /** The licence that a wheel names: [title, text]. */
  licences({ bytes }) {
    return this.#call("licences", bytes);
  }

  /** What is linked into Pyodide and into the library of a wheel: {modules, versions, bill}. */
  linked({ bytes }) {
    this.#pyodide.runPython(LINKED);
    return JSON.parse(this.#call("linked", bytes));
  }

  get version() {
    return this.#pyodide.version;
  }

  #call(name, ...args) {
    const bytes = this.#pyodide.globals.get("bytes");
    const plain = args.map((arg) =>
      arg instanceof Uint8Array ? bytes(this.#pyodide.toPy(new Uint8Array(arg))) : arg,
    );
    const result = this.#pyodide.globals.get(name)(...plain);
    // Texts arrive as such.
    return typeof result === "string" ? result : result?.toJs();
  }
}
