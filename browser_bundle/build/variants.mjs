/** Puts smaller copies next to the files of the bundle, as servers send them: `.zst`, `.br`, `.gz`. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const COMPRESS = fileURLToPath(new URL("./variants.py", import.meta.url));

/** By the coding's name: the suffix of its copies, its best level, and the one for large files. */
export const CODINGS = {
  zstd: { suffix: ".zst", best: 19, large: 19 },
  // The best level would take a minute to save a tenth, for the few browsers that need it.
  br: { suffix: ".br", best: 11, large: 9 },
  gzip: { suffix: ".gz", best: 9, large: 9 },
};

const LARGE_BYTES = 1 << 20;

/** Files that only Chromium fetches, which has known zstd for longer than it can use them. */
const ZSTD_ONLY = /\/python\.image$/;

export class Variants {
  #interpreter;
  #cache;
  #files = new Map();
  #making = [];
  #lacking = new Set();

  /**
   * @param interpreter Python with `webagent_dev`, which compresses.
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
      const bytes = readFileSync(source);
      const digest = createHash("sha256").update(bytes).digest("hex");
      const copies = {};
      for (const [coding, { suffix, best, large }] of Object.entries(CODINGS)) {
        if (coding !== "zstd" && ZSTD_ONLY.test(file)) continue;
        const level = bytes.length < LARGE_BYTES ? best : large;
        copies[coding] = path.join(this.#cache, `${digest}-${level}${suffix}`);
        if (!existsSync(copies[coding])) jobs.push([source, copies[coding], suffix, level]);
      }
      this.#files.set(file, { digest, copies });
    }
    const made = this.#make(jobs);
    // `place` reports failures.
    made.catch(() => {});
    this.#making.push(made);
  }

  /**
   * Put the copies next to their files.
   *
   * @returns Of each file that has copies, its own digest (`identity`) and theirs, by coding.
   */
  async place(folder) {
    await Promise.all(this.#making);
    const index = {};
    for (const [file, { digest, copies }] of this.#files) {
      for (const [coding, copy] of Object.entries(copies)) {
        if (!existsSync(copy) || !statSync(copy).size) continue;
        copyFileSync(copy, path.join(folder, file + CODINGS[coding].suffix));
        const own = createHash("sha256").update(readFileSync(copy)).digest("hex");
        index[file] = { identity: digest, ...index[file], [coding]: own };
      }
    }
    return index;
  }

  /** The codings that the interpreter lacks, after `place`. */
  get lacking() {
    return [...this.#lacking];
  }

  async #make(jobs) {
    if (!jobs.length) return;
    const ways = await new Promise((resolve, reject) => {
      const child = execFile(this.#interpreter, [COMPRESS], (error, printed, told) => {
        if (error) reject(new Error(`files could not be compressed - ${told.trim().split("\n").at(-1)}`));
        else resolve(JSON.parse(printed));
      });
      // Longer jobs first, so that no core waits at the end.
      const size = ([file]) => statSync(file).size;
      child.stdin.end(JSON.stringify(jobs.sort((one, other) => size(other) - size(one))));
      process.once("exit", () => child.kill());
    });
    for (const [coding, { suffix }] of Object.entries(CODINGS)) {
      if (!ways.includes(suffix)) this.#lacking.add(coding);
    }
  }
}
