/** The files that the runtime downloads, and their early requests. The build fills in names and sizes; see `build/assets.mjs`. */
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
  /** Code that imports of the core would compile: those of the start, and all later ones; see `build/look.py`. */
  made: [first: string, rest: string];
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

/** For scripts that come late: they have all of it, where `__ASSETS__.version` is the version alone. */
export const ASSETS: Assets = __ASSETS__;

export const VERSION = __ASSETS__.version;

/** Requests by their URLs, made before the script that reads the answers is there. */
export type EarlyRequests = Map<string, Promise<Response>>;

/**
 * Request the files of a start.
 *
 * @param base URL of the bundle, ending in a slash.
 * @returns All but those of scripts, which the browser keeps itself.
 */
export function requestEarly(base: string): EarlyRequests {
  const sizes = whyNoSnapshot() === undefined ? __ASSETS__.snapshot.sizes : __ASSETS__.sizes;
  const requests: EarlyRequests = new Map();
  for (const path of Object.keys(sizes)) {
    const { href } = new URL(path, base);
    if (path.endsWith(".mjs")) {
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = href;
      document.head.append(link);
    } else {
      const answer = fetch(href);
      // The reader of the answer gets the reason.
      answer.catch(() => {});
      requests.set(href, answer);
    }
  }
  return requests;
}

/** Why this browser cannot start from the bundle's image, undefined if it can. */
export function whyNoSnapshot(): string | undefined {
  // The image is made for Chromium, and includes what Python knows about its browser.
  if (!("Suspending" in WebAssembly)) return "this browser cannot suspend WebAssembly";
  if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return "the snapshot is for another kind of browser";
  return undefined;
}
