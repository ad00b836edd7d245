/**
 * The files of the bundle, for Node: where they are, and the tags of a page that loads them.
 *
 * Code of pages finds the name of the folder in `webagent-page/bundle/folder.js`, as the default export.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptAttributes } from "./agent.js";

/** The index of the bundle: its version, and where its files are. */
export interface Index {
  version: string;
  /** Folder of Pyodide's own files. */
  pyodide: string;
  stdlib: string;
  rest: string;
  lock: string;
  library: string;
  library_path: string;
  wheels: Record<string, string>;
  /** Where a site has the bundle: a folder whose name changes with the content. */
  folder: string;
  /** Hashes of the scripts that tags name. */
  integrity: Record<string, string>;
}

/** A tag in the head of a page. */
export interface Tag {
  tag: "meta" | "script";
  attrs: Record<string, string>;
}

/** The folder with the files. */
export const bundleFolder = fileURLToPath(new URL("../bundle/", import.meta.url));

let read: Index | undefined;

/** The index of the bundle. */
export function bundleIndex(): Index {
  return (read ??= JSON.parse(readFileSync(path.join(bundleFolder, "bundle.json"), "utf8")) as Index);
}

/** Files that pages do not download. */
const OWN = ["bundle.json", "folder.d.ts", "folder.js"];

/** The paths of all files, with `/`. */
export function bundleFiles(): string[] {
  return readdirSync(bundleFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !OWN.includes(entry.name))
    .map((entry) => path.relative(bundleFolder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"));
}

/**
 * The tags that load the agent, in the order in which a page must have them.
 *
 * @param base URL of the folder with the bundle, with a slash at its end.
 * @param attributes Those of the agent's script, without `data-`. The manifest is announced too.
 * @param modelContext Whether scripts of the page offer tools on `document.modelContext`.
 */
export function tags(base: string, attributes: ScriptAttributes = {}, modelContext = false): Tag[] {
  const script = (name: string, more: Record<string, string>): Tag => {
    const integrity = bundleIndex().integrity[name];
    return { tag: "script", attrs: { src: `${base}${name}`, ...(integrity && { integrity }), ...more } };
  };
  const data = Object.entries(attributes).map(([name, value]) => [`data-${name}`, value]);
  return [
    ...(attributes.manifest
      ? [{ tag: "meta" as const, attrs: { name: "webagents-md", content: attributes.manifest } }]
      : []),
    script("global.js", {}),
    ...(modelContext ? [script("modelcontext.js", {})] : []),
    script("webagent.js", { type: "module", ...Object.fromEntries(data) }),
  ];
}

/** Tags as they are written in a page. */
export function html(written: Tag[]): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return written
    .map(({ tag, attrs }) => {
      const inner = Object.entries(attrs).map(([name, value]) => ` ${name}="${escape(value)}"`);
      return `\n    <${tag}${inner.join("")}>${tag === "script" ? "</script>" : ""}`;
    })
    .join("");
}

/** A page with tags before its first script, and after the tag of its encoding, which has to come early. */
export function withTags(page: string, written: Tag[]): string {
  const head = /<head(?:\s[^>]*)?>/i.exec(page) ?? /<!doctype[^>]*>/i.exec(page);
  const encoding = /<meta\s[^>]*charset[^>]*>/i.exec(page);
  const script = page.search(/<script\b/i);
  const found = encoding && (script < 0 || encoding.index < script) ? encoding : head;
  const place = found ? found.index + found[0].length : 0;
  return page.slice(0, place) + html(written) + page.slice(place);
}
