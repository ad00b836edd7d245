/** Bundles the TypeScript of the page. */
import { readFileSync } from "node:fs";
import { appendFile, copyFile, cp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";
import { Kept } from "./kept.mjs";
import { sandboxHtml } from "./sandbox.mjs";

/** Scripts that pages import, or run in a worker, when they first need them, and where each begins. */
const MODULES = {
  answers: "panel/answers.ts",
  boot: "boot/main_thread.ts",
  code: "sandbox/code.ts",
  transform: "sandbox/transform/index.ts",
  components: "components/index.ts",
  dev: "dev/index.ts",
  dom: "dom/index.ts",
  far: "boot/worker_client.ts",
  granted: "panel/granted.ts",
  inspector: "inspector/index.ts",
  live: "live/index.ts",
  looks: "panel/looks.ts",
  panel: "panel/panel.ts",
  playground: "inspector/playground.ts",
  python_worker: "boot/python_worker.ts",
  requests: "panel/person_requests.ts",
  run: "run/runs.ts",
  screenshot: "dom/screenshot/index.ts",
  texts: "run/site_texts.ts",
};

const TERSER = readFileSync(createRequire(import.meta.url).resolve("terser/package.json"), "utf8");
const SQUEEZED = { ecma: 2020, toplevel: true, compress: { passes: 3 }, format: { comments: false } };

/** The manifest of the demo shop, which is an example of the playground too. */
const SHOP = fileURLToPath(new URL("../../site_template/webagents.md", import.meta.url));

/**
 * @param assets What the scripts download; see `src/boot/assets.ts`.
 * @param cache Folder for scripts that were squeezed before.
 */
export async function buildScripts(source, out, assets, cache) {
  const kept = new Kept(cache, JSON.stringify(SQUEEZED), TERSER);
  const common = {
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "utf8",
    outdir: out,
    logLevel: "warning",
    legalComments: "none",
    define: defines("__ASSETS__", assets),
  };
  await build({
    ...common,
    entryPoints: { webagent: path.join(source, "index.ts") },
    format: "esm",
  });
  await build({
    ...common,
    entryPoints: {
      global: path.join(source, "global.ts"),
      logs: path.join(source, "logs", "index.ts"),
      modelcontext: path.join(source, "modelcontext", "index.ts"),
    },
    format: "iife",
  });
  await build({
    ...common,
    entryPoints: Object.fromEntries(
      Object.entries(MODULES).map(([name, entry]) => [name, path.join(source, entry)]),
    ),
    format: "esm",
  });
  await build({ ...common, entryPoints: { inspector: path.join(source, "inspector", "inspector.css") } });
  for (const name of ["inspector.html", "playground.html"]) {
    await copyFile(path.join(source, "inspector", name), path.join(out, name));
  }
  await cp(path.join(source, "inspector", "examples"), path.join(out, "examples"), { recursive: true });
  await copyFile(SHOP, path.join(out, "examples", "shop.md"));
  await cp(path.join(source, "panel", "texts"), path.join(out, "texts"), { recursive: true });
  await writeFile(path.join(out, "sandbox.html"), await sandboxHtml(source));
  await copyFile(path.join(source, "components", "public.d.ts"), path.join(out, "components.d.ts"));
  for (const name of ["webagent", ...Object.keys(MODULES)]) await squeeze(kept, out, name, true);
  for (const name of ["global", "logs", "modelcontext"]) await squeeze(kept, out, name, false);
  await appendFile(path.join(out, "logs.js"), ignored("logs.js"));
}

/** Names for data and for each of its members, so that a script has only those that it uses. */
function defines(name, data) {
  const isObject = typeof data === "object" && !Array.isArray(data);
  const members = isObject ? Object.keys(data).filter((member) => /^\w+$/.test(member)) : [];
  return Object.assign({ [name]: JSON.stringify(data) }, ...members.map((member) => defines(`${name}.${member}`, data[member])));
}

/**
 * A comment that makes developer tools look past a script of one line: a message that passes
 * through it on its way to the console is shown with the line of the site that wrote it.
 */
function ignored(name) {
  const map = { version: 3, sources: [name], names: [], mappings: "AAAA", x_google_ignoreList: [0], ignoreList: [0] };
  const data = Buffer.from(JSON.stringify(map)).toString("base64");
  return `\n//# sourceMappingURL=data:application/json;base64,${data}\n`;
}

/** Make a script a few per cent smaller still; several passes find what one has made possible. */
async function squeeze(kept, out, name, module) {
  const file = path.join(out, `${name}.js`);
  const script = await readFile(file, "utf8");
  await writeFile(file, await kept.bytes([script, String(module)], async () => (await minify(script, { ...SQUEEZED, module })).code));
}
