/** Wheels and other archives made by the build: stored, without a comment behind the directory. */
import type { PyodideAPI } from "pyodide";
import { RELOAD_HINT } from "../base/lazy_chunks.ts";
import { fetchOk } from "./downloads.ts";

/** Where Python looks for packages. */
const SITE_PACKAGES = "/lib/python3.14/site-packages";

/** The bytes are the file's from then on, and are not copied. */
export const OWNED = { canOwn: true };

/** A file of the bundle, and its bytes. */
export interface Archive {
  path: string;
  bytes: Uint8Array;
}

/** The members of Emscripten's file system that we use. */
interface Files {
  mkdirTree(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
}

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that names the missing file.
 */
export async function fetchArchive(base: string, path: string, options?: RequestInit): Promise<Archive> {
  return { path, bytes: new Uint8Array(await (await fetchOk(base, path, options)).arrayBuffer()) };
}

/**
 * Put the files of archives where Python looks for them.
 *
 * Without Python's own `zipfile`, which takes ten times as long.
 *
 * @throws Error that names the incomplete archive.
 */
export function unpack(files: Files, archives: Archive[]): void {
  const made = new Set<string>();
  for (const [name, bytes] of archives.flatMap(filesOf)) {
    const path = `${SITE_PACKAGES}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) files.mkdirTree(folder);
    made.add(folder);
    files.writeFile(path, bytes, OWNED);
  }
}

/** Mark packages as loaded, so that Pyodide does not load them again. */
export function markLoaded(pyodide: PyodideAPI, names: string[]): void {
  for (const name of names) pyodide.loadedPackages[name] = "default channel";
}

/** @returns Pairs of path and bytes. */
function filesOf({ path, bytes }: Archive): [path: string, bytes: Uint8Array][] {
  try {
    return [...entries(bytes)];
  } catch (cause) {
    throw new Error(`\`${path}\` is not whole; ${RELOAD_HINT}, or build or install the bundle again`, { cause });
  }
}

/** @throws RangeError The bytes are not an archive, or not all of it. */
function* entries(bytes: Uint8Array): Generator<[path: string, bytes: Uint8Array]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - 22;
  if (view.getUint32(end, true) !== 0x06054b50) throw new RangeError("it has no end of an archive");
  const text = new TextDecoder();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [size, name, extra, comment] = [
      view.getUint32(at + 24, true),
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ];
    const header = view.getUint32(at + 42, true);
    const data = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    yield [text.decode(bytes.subarray(at + 46, at + 46 + name)), bytes.subarray(data, data + size)];
    at += 46 + name + extra + comment;
  }
}
