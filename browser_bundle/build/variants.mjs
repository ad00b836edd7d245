/** Compresses the files of the bundle: each is stored once, with `.zst` behind its name. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const COMPRESS = fileURLToPath(new URL("./variants.py", import.meta.url));

/** `STORED` of `webagent_site.http.bundle_files`, and the highest level whose window browsers take. */
const CODING = "zstd";
export const SUFFIX = ".zst";
const LEVEL = 19;

export class Variants {
  #interpreter;
  #cache;
  #files = new Map();
  #making = [];

  /**
   * @param interpreter Python with `webagent_site`, which compresses.
   * @param cache Folder for what was made before, by digest of the file and level.
   */
  constructor(interpreter, cache) {
    this.#interpreter = interpreter;
    this.#cache = cache;
    mkdirSync(cache, { recursive: true });
  }

  /** Begin with the copies of files that are written; the build goes on meanwhile. */
  begin(folder, files) {
    const jobs = [];
    for (const file of files) {
      if (this.#files.has(file)) continue;
      const source = path.join(folder, file);
      const digest = sha256(source);
      const copy = path.join(this.#cache, `${digest}-${LEVEL}${SUFFIX}`);
      if (!existsSync(copy)) jobs.push([source, copy, SUFFIX, LEVEL]);
      this.#files.set(file, { digest, copy });
    }
    const made = this.#make(jobs);
    // `place` reports failures.
    made.catch(() => {});
    this.#making.push(made);
  }

  /**
   * Put the copies in the place of their files.
   *
   * @returns Of each file that is stored compressed, its own digest (`identity`) and that of the copy.
   */
  async place(folder) {
    await Promise.all(this.#making);
    const index = {};
    for (const [file, { digest, copy }] of this.#files) {
      if (!statSync(copy).size) continue;
      copyFileSync(copy, path.join(folder, file + SUFFIX));
      rmSync(path.join(folder, file));
      index[file] = { identity: digest, [CODING]: sha256(copy) };
    }
    return index;
  }

  async #make(jobs) {
    if (!jobs.length) return;
    await new Promise((resolve, reject) => {
      const child = execFile(this.#interpreter, [COMPRESS], (error, _, log) => {
        if (error) reject(new Error(`files could not be compressed - ${log.trim().split("\n").at(-1)}`));
        else resolve();
      });
      // Longer jobs first, so that no core waits at the end.
      const size = ([file]) => statSync(file).size;
      child.stdin.end(JSON.stringify(jobs.sort((one, other) => size(other) - size(one))));
      process.once("exit", () => child.kill());
    });
  }
}

function sha256(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
