/** Keeps results of the build, by everything that they are made of. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

export class Kept {
  #folder;
  #parts;

  /**
   * @param folder Where they are kept.
   * @param parts Bytes or texts that all of them are made of: programs, versions, options.
   */
  constructor(folder, ...parts) {
    this.#folder = folder;
    this.#parts = parts;
    mkdirSync(folder, { recursive: true });
  }

  /** The file of a result that is made of these parts too. */
  file(...parts) {
    const hash = createHash("sha256");
    for (const part of [...this.#parts, ...parts]) hash.update(part).update("\0");
    return path.join(this.#folder, hash.digest("hex"));
  }

  /** The result that was made of these parts before, or is made now. */
  async bytes(parts, make) {
    const file = this.file(...parts);
    if (!existsSync(file)) {
      writeFileSync(`${file}.making`, await make());
      renameSync(`${file}.making`, file);
    }
    return readFileSync(file);
  }
}
