/** Gets wheels: other people's from the package index by digest, ours from the source. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** The interpreter of Pyodide and the platform that its wheels are tagged for. */
const TARGET = [
  "--only-binary=:all:",
  "--implementation=cp",
  "--python-version=3.14",
  "--abi=cp314",
  "--abi=none",
  "--platform=pyemscripten_2026_0_wasm32",
  "--platform=any",
];

/**
 * Fetch the wheels of a requirements file into a folder that keeps them between builds.
 *
 * @returns A list of {name, bytes}, sorted by name.
 */
export async function fetchWheels(python, requirements, folder) {
  mkdirSync(folder, { recursive: true });
  const wanted = readFileSync(requirements, "utf8").match(/^[\w-]+==\S+/gm) ?? [];
  const find = () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".whl"));
    return wanted.map((pin) => {
      const [name, version] = pin.split("==");
      return files.find((file) => file.startsWith(`${name.replaceAll("-", "_")}-${version}-`));
    });
  };
  if (find().includes(undefined)) {
    const args = ["download", "--quiet", "--no-deps", "--require-hashes", ...TARGET];
    await run(python, ["-m", "pip", ...args, "--dest", folder, "--requirement", requirements]);
  }
  return find()
    .toSorted()
    .map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));
}

/** Build the core wheel from its source. */
export async function buildCoreWheel(python, source, folder) {
  rmSync(folder, { recursive: true, force: true });
  // A fixed date in the wheel: the same source gives the same bytes.
  const env = { ...process.env, SOURCE_DATE_EPOCH: "315532800" };
  await run(python, ["-m", "hatchling", "build", "-t", "wheel", "-d", folder], { cwd: source, env });
  const [name] = readdirSync(folder);
  return { name, bytes: readFileSync(path.join(folder, name)) };
}

async function run(command, args, options = {}) {
  try {
    await promisify(execFile)(command, args, options);
  } catch (error) {
    const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim() || error.message;
    throw new Error(`\`${command} ${args.slice(0, 3).join(" ")} …\` failed:\n${output}`);
  }
}
