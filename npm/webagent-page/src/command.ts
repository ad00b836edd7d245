#!/usr/bin/env node
/** `webagent-page FOLDER`: puts the bundle into the folder of a static site, and prints the tags of a page. */
import { cpSync } from "node:fs";
import path from "node:path";
import { bundleFiles, bundleFolder, bundleIndex, html, tags } from "./bundle.js";

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || more.length) {
  console.error("usage: webagent-page FOLDER\n\nWrites the agent into the folder of a static site.");
  process.exit(2);
}
const place = bundleIndex().folder;
for (const name of bundleFiles()) cpSync(path.join(bundleFolder, name), path.join(folder, place, name));
console.log(`wrote ${path.join(folder, place)}\n\nThe tags of each page:\n`);
console.log(html(tags(`/${place}`, { manifest: "/webagents.md" })));
