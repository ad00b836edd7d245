/** Writes files under names that change with their content, so that they can be cached for ever. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export class AssetFolder {
  #out;
  #sizes = new Map();
  #hash = createHash("sha256");

  /** @param out Folder that the files go to. */
  constructor(out) {
    this.#out = out;
  }

  /**
   * Write files that find each other by name into one folder; return its path with a slash.
   *
   * @param files Pairs of name and bytes.
   */
  group(files) {
    const hash = createHash("sha256");
    for (const [name, bytes] of files) hash.update(name).update("\0").update(bytes);
    const folder = `assets/${hash.digest("hex").slice(0, 16)}/`;
    for (const [name, bytes] of files) {
      this.#write(folder + name, bytes);
      this.#sizes.set(folder + name, bytes.length);
    }
    this.#hash.update(folder);
    return folder;
  }

  /** Write one file into a folder of its own; return its path. */
  single(name, bytes) {
    return this.group([[name, bytes]]) + name;
  }

  /** Write a file under its plain name; the page does not fetch it. */
  plain(name, text) {
    this.#write(name, text);
  }

  /** Bytes of each file, by path. */
  sizes() {
    return this.#sizes;
  }

  /** Digest of everything written so far. */
  digest() {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }

  #write(name, bytes) {
    const target = path.join(this.#out, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
}
