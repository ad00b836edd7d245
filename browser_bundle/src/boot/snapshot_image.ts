/**
 * The memory of a Python that has imported the core, as what differs from the memory of one that has
 * not run yet.
 *
 * In the file, numbers are 32 bits, little endian: the length of the JSON, the JSON (`Contents`), what
 * Pyodide itself knows of the snapshot, pairs of how many granules to skip and how many follow, then
 * these granules. Each part begins at a multiple of four.
 */

/** Bytes that are taken or left together. */
export const GRANULE = 64;

interface Contents {
  /** Bytes of the memory; it ends there. */
  size: number;
  /** Up to here memory is as the program's code sets it; behind it, it is empty. */
  fixed: number;
  /**
   * The memory behind the program's own data, up to the base of the stack. It is taken as empty too: the
   * code that runs before Python leaves other marks there now and then.
   */
  empty: [start: number, end: number];
  /** Which handle Python has for which library. */
  libraries: [handle: string, name: string][];
  checksum: number;
  /** Bytes of the parts behind the JSON. */
  head: number;
  runs: number;
}

export interface Image extends Contents {
  headBytes: Uint8Array;
  runWords: Uint32Array;
  granules: Uint8Array;
}

/** Write an image file. */
export function writeImage(contents: Contents, head: Uint8Array, runs: Uint32Array, granules: Uint8Array): Uint8Array {
  const text = JSON.stringify(contents);
  const json = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const start = 4 + json.length;
  const file = new Uint8Array(start + head.length + runs.byteLength + granules.length);
  new DataView(file.buffer).setUint32(0, json.length, true);
  file.set(json, 4);
  file.set(head, start);
  file.set(new Uint8Array(runs.buffer), start + head.length);
  file.set(granules, start + head.length + runs.byteLength);
  return file;
}

/** @throws Error that says what is wrong with the file. */
export function readImage(file: ArrayBuffer): Image {
  try {
    const length = new DataView(file).getUint32(0, true);
    const contents = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 4, length))) as Contents;
    const start = 4 + length;
    const runs = start + contents.head;
    return {
      ...contents,
      headBytes: new Uint8Array(file, start, contents.head),
      runWords: new Uint32Array(file, runs, contents.runs / 4),
      granules: new Uint8Array(file, runs + contents.runs),
    };
  } catch {
    throw new Error("the snapshot is not an image, or not all of one");
  }
}

/**
 * Turn the memory of a Python that has not run into the image's.
 *
 * @param used Bytes of the memory that are in use.
 * @throws Error that says why the memory is not what it should be.
 */
export function restoreImage(memory: Uint8Array, used: number, image: Image): void {
  memory.fill(0, image.fixed, used);
  memory.fill(0, ...image.empty);
  const { runWords, granules } = image;
  let from = 0;
  let to = 0;
  for (let index = 0; index + 1 < runWords.length; index += 2) {
    to += (runWords[index] ?? 0) * GRANULE;
    const bytes = (runWords[index + 1] ?? 0) * GRANULE;
    if (from + bytes > granules.length || to + bytes > image.size) {
      throw new Error("the snapshot is not whole");
    }
    memory.set(granules.subarray(from, from + bytes), to);
    from += bytes;
    to += bytes;
  }
  if (checksum(memory, image.size) !== image.checksum) {
    throw new Error("the snapshot does not fit: the memory it gives is not the one that was kept");
  }
}

/** A number that changes with every bit of the first `size` bytes. */
export function checksum(memory: Uint8Array, size: number): number {
  const words = new Int32Array(memory.buffer, memory.byteOffset, size >>> 2);
  let even = 0x811c9dc5 | 0;
  let odd = 0x01000193;
  for (let index = 0; index + 1 < words.length; index += 2) {
    even = Math.imul(even ^ (words[index] as number), 0x01000193);
    odd = Math.imul(odd ^ (words[index + 1] as number), 0x01000193);
  }
  // A multiplication never carries a high bit down; this does.
  return (Math.imul(even ^ (even >>> 15), 0x2c1b3c6d) ^ odd) >>> 0;
}
