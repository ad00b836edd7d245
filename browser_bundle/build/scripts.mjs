/** Bundles the TypeScript of the page. */
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

/**
 * @param assets What the scripts download; see `src/boot/assets.ts`.
 */
export async function buildScripts(source, out, assets) {
  const common = {
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "utf8",
    outdir: out,
    logLevel: "warning",
    legalComments: "none",
  };
  await build({
    ...common,
    entryPoints: { webagent: path.join(source, "index.ts") },
    format: "esm",
    define: { __ASSETS__: JSON.stringify(assets) },
  });
  await build({
    ...common,
    entryPoints: {
      global: path.join(source, "global.ts"),
      modelcontext: path.join(source, "modelcontext", "index.ts"),
    },
    format: "iife",
  });
  await build({
    ...common,
    entryPoints: { components: path.join(source, "components", "index.ts") },
    format: "esm",
  });
  await copyFile(path.join(source, "components", "public.d.ts"), path.join(out, "components.d.ts"));
}
