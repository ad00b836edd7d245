/**
 * Finds what `src` exports although nothing imports it:
 *
 *   node build/exports.mjs    fails with the list
 *
 * A module that nothing imports is an entry; pages and Python use what it exports.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

const files = ["src", "test"]
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)))
  .filter((file) => file.endsWith(".ts"));
/** Exported names with their lines, by file. */
const exported = new Map();
/** Imported names by file; `*` means all of them. */
const imported = new Map();

for (const file of files) {
  const text = readFileSync(file, "utf8");
  const names = new Map();
  exported.set(file, names);
  const use = (specifier, name) => {
    if (!specifier.startsWith(".")) return;
    const target = path.join(path.dirname(file), specifier);
    if (!imported.has(target)) imported.set(target, new Set());
    imported.get(target).add(name);
  };
  for (const node of parse(text, { sourceType: "module", plugins: ["typescript"] }).program.body) {
    if (node.type === "ImportDeclaration") {
      for (const { imported: name } of node.specifiers) use(node.source.value, name?.name ?? "*");
    } else if (node.type === "ExportNamedDeclaration") {
      for (const { local, exported: name } of node.specifiers) {
        names.set(name.name, node.loc.start.line);
        if (node.source) use(node.source.value, local.name);
      }
      const { declaration } = node;
      for (const { id } of declaration?.declarations ?? (declaration ? [declaration] : [])) {
        names.set(id.name, node.loc.start.line);
      }
    }
  }
  // `import("./code.ts")`, in types too, takes a module whole.
  for (const [, specifier] of text.matchAll(/\bimport\(\s*"(\.[^"]+)"/g)) use(specifier, "*");
}

const needless = [...exported].flatMap(([file, names]) => {
  const used = imported.get(file);
  if (file.startsWith("test") || !used || used.has("*")) return [];
  return [...names].filter(([name]) => !used.has(name)).map(([name, line]) => `${file}:${line} ${name}`);
});
if (needless.length) {
  console.error(`exports: nothing imports these, so they need no \`export\`:\n  ${needless.join("\n  ")}`);
  process.exit(1);
}
