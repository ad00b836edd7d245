/** Makes `sandbox.html`: the page in which programs run, whole in one file. */
import { createHash } from "node:crypto";
import path from "node:path";
import { build } from "esbuild";

/** The frame and its workers may run the scripts in the file, and code from a string. */
const policyFor = (script) =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}' 'unsafe-eval'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

/**
 * @param source Folder of the TypeScript.
 * @param squeezed Makes a script smaller.
 * @returns HTML.
 */
export async function sandboxHtml(source, squeezed = async (script) => script) {
  const names = ["worker", "supervisor", "frame"];
  const [worker, supervisor, frame] = await Promise.all(names.map((name) => bundled(source, name, squeezed)));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyFor(frame)}">`,
    "<title>webagent sandbox</title>",
    `<script type="text/plain" id="worker">${worker}</script>`,
    `<script type="text/plain" id="supervisor">${supervisor}</script>`,
    `<script>${frame}</script></head></html>\n`,
  ].join("\n");
}

async function bundled(source, name, squeezed) {
  const { outputFiles } = await build({
    entryPoints: [path.join(source, "sandbox", `${name}.ts`)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  // In strings and regular expressions, the only places for it, this is the same; HTML would take
  // it for the start of a comment.
  const text = (await squeezed(outputFiles[0].text)).trim().replaceAll("<!--", "\\x3C!--");
  if (/<\/script/i.test(text)) throw new Error(`${name}.ts would end its own script element`);
  return text;
}
