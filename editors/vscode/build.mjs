/** Bundles the extension, with the licences of what is in the bundle beside it. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: true,
  metafile: true,
});

const rule = "=".repeat(80);
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => file.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
);
const notices = [...packages].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const licence = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file));
  if (!licence) throw new Error(`\`${name}\` has no licence text, and it would be given out`);
  const text = readFileSync(path.join(folder, licence), "utf8").trim();
  return `\n${rule}\n${name} ${version}\n${rule}\n\n${text}\n`;
});
const intro = "This extension holds the software below, each part under its own licence.\n";
writeFileSync("dist/THIRD_PARTY_NOTICES.txt", intro + notices.join(""));
