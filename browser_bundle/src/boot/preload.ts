/** Preloads the files of a start while its script is still on the way. */
import { ASSETS } from "./assets.ts";

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
