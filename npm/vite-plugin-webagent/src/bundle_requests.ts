/** Answers requests for files of the bundle, in development. */
import { createReadStream } from "node:fs";
import path from "node:path";
import type { Connect } from "vite";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Programs run in it, so it may do nothing else. */
const SANDBOX = {
  "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * Serve the files of the bundle.
 *
 * @param prefix What their URLs begin with.
 * @param files The names of all files; no others are served.
 * @param folder Where they are.
 */
export function serveBundle(prefix: string, files: Set<string>, folder: string): Connect.NextHandleFunction {
  return (request, response, next) => {
    const url = request.url?.split("?")[0] ?? "";
    const name = url.startsWith(prefix) ? url.slice(prefix.length) : "";
    if (!files.has(name)) return next();
    // A name below `assets` changes with the content.
    const kept = name.startsWith("assets/") ? "max-age=31536000, immutable" : "no-cache";
    response.setHeader("content-type", TYPES[path.extname(name)] ?? "application/octet-stream");
    response.setHeader("cache-control", kept);
    if (name === "sandbox.html") {
      for (const [header, value] of Object.entries(SANDBOX)) response.setHeader(header, value);
    }
    createReadStream(path.join(folder, name)).on("error", next).pipe(response);
  };
}
