/** What the runtime downloads. The build fills in names and sizes; see `build/assets.mjs`. */
export interface Assets {
  /** Version of webagent that this bundle was built from. */
  version: string;
  /** Digest of every file of the bundle. */
  build: string;
  /** Folder of Pyodide's own files, relative to the bundle. */
  pyodide: string;
  /** What the core can touch of the standard library, a zip of `.pyc` files. */
  stdlib: string;
  /** The rest of the standard library. */
  rest: string;
  /** Pyodide's lock file: the wheels' paths in the bundle, their digests and what they need. */
  lock: string;
  /** Bytes of each file that is fetched before the runtime is ready, by path. */
  sizes: Record<string, number>;
}

declare const __ASSETS__: Assets;

export const ASSETS: Assets = __ASSETS__;
