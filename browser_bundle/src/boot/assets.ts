/** The files that the runtime downloads. The build fills in names and sizes; see `build/assets.mjs`. */
interface Assets {
  /** Version of webagent that this bundle was built from. */
  version: string;
  /** Digest of every file of the bundle. */
  build: string;
  /** Folder of Pyodide's own files, relative to the bundle. */
  pyodide: string;
  /** The part of the standard library that the core can use, a zip of `.pyc` files. */
  stdlib: string;
  /** The rest of the standard library. */
  rest: string;
  /** Pyodide's lock file: the wheels' paths in the bundle, their digests and what they need. */
  lock: string;
  /** The part of the wheels that the start imports, zips of `.pyc` files. */
  packages: string[];
  /** Wheels of the core and its dependencies, by package name; they lack the library. */
  wheels: { "webagent-core": string; [name: string]: string };
  /** The WebAssembly of the only native library of the wheels. */
  library: string;
  /** Where Python looks for the library. */
  library_path: string;
  snapshot: SnapshotAssets;
  /** Bytes of each file that a start without the snapshot fetches before the runtime is ready, by path. */
  sizes: Record<string, number>;
}

/** Files of a start from an image of Python's memory. */
export interface SnapshotAssets {
  image: string;
  /** Bytes of the part of the image that is Pyodide's own. */
  head: number;
  /** An empty zip. */
  no_stdlib: string;
  /** As `Assets.sizes`. */
  sizes: Record<string, number>;
}

declare const __ASSETS__: Assets;

export const ASSETS: Assets = __ASSETS__;
