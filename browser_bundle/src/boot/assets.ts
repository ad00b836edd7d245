/** The files that the runtime downloads, and their preload. The build fills in names and sizes; see `build/assets.mjs`. */
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
  wheels: { "webagent-core": string; snowballstemmer: string; [name: string]: string };
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

/**
 * Files that the start later requests in the same way, so that the browser reuses the preload. WebAssembly is
 * left out: browsers do not cache the compiled code of a preloaded file.
 */
const PRELOADED = /\/(pyodide\.mjs|pyodide\.asm\.mjs|pyodide-lock\.json|python_stdlib\.zip)$/;

/**
 * Ask the browser for the files of a start.
 *
 * @param base URL of the bundle, ending in a slash.
 */
export function preload(base: string): void {
  const { sizes } = whyNoSnapshot() === undefined ? ASSETS.snapshot : ASSETS;
  for (const path of Object.keys(sizes)) {
    if (!PRELOADED.test(path)) continue;
    const link = document.createElement("link");
    link.rel = path.endsWith(".mjs") ? "modulepreload" : "preload";
    if (link.rel === "preload") link.as = "fetch";
    link.crossOrigin = "anonymous";
    link.href = new URL(path, base).href;
    document.head.append(link);
  }
}

/** Why this browser cannot start from the bundle's image, undefined if it can. */
export function whyNoSnapshot(): string | undefined {
  // The image is made for Chromium, and includes what Python knows about its browser.
  if (!("Suspending" in WebAssembly)) return "this browser cannot suspend WebAssembly";
  if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return "the snapshot is for another kind of browser";
  return undefined;
}
