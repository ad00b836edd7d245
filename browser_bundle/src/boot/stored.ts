/**
 * The files of a wheel that the build has made: stored, without a comment behind the directory.
 *
 * @returns Pairs of path and bytes.
 */
export function* filesOf(wheel: Uint8Array): Generator<[path: string, bytes: Uint8Array]> {
  const view = new DataView(wheel.buffer, wheel.byteOffset, wheel.length);
  const end = wheel.length - 22;
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
    yield [new TextDecoder().decode(wheel.subarray(at + 46, at + 46 + name)), wheel.slice(data, data + size)];
    at += 46 + name + extra + comment;
  }
}

/** What of Emscripten's file system is used. */
interface Files {
  mkdirTree(path: string): void;
  writeFile(path: string, bytes: Uint8Array): void;
}

/** Write a file, and the folders it lies in. */
export function put(files: Files, path: string, bytes: Uint8Array): void {
  files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  files.writeFile(path, bytes);
}
