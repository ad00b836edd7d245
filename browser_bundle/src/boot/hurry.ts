/** Fetches what a start takes before the script of the start itself is there. */
import { ASSETS } from "./assets.ts";
import { whyNoSnapshot } from "./from_snapshot.ts";

/** All that the browser is asked for in the same words later, so that it has it already. */
const EARLY = /\/(pyodide\.mjs|pyodide\.asm\.mjs|pyodide-lock\.json|python_stdlib\.zip)$/;
/** Only with the image: of what Pyodide takes from a preload, browsers forget what they have compiled before. */
const EARLY_WITH_IMAGE = /\.wasm$/;

/** @param base URL of the bundle, ending in a slash. */
export function hurry(base: string): void {
  const image = whyNoSnapshot() === undefined ? ASSETS.snapshot : null;
  for (const path of Object.keys((image ?? ASSETS).sizes)) {
    if (!EARLY.test(path) && !(image && EARLY_WITH_IMAGE.test(path))) continue;
    const link = document.createElement("link");
    link.rel = path.endsWith(".mjs") ? "modulepreload" : "preload";
    if (link.rel === "preload") link.as = "fetch";
    link.crossOrigin = "anonymous";
    link.href = new URL(path, base).href;
    document.head.append(link);
  }
}
