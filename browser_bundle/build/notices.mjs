/** The licences of everything that the bundle redistributes, in one text. */
import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * @param folder Licence texts of what comes in no wheel.
 * @param version Version of Pyodide.
 * @param wheels Pairs of title and licence text.
 */
export function noticesText(folder, version, wheels) {
  const read = (name) => readFileSync(path.join(folder, name), "utf8");
  const parts = [
    [`Pyodide ${version}`, read("Pyodide.txt")],
    ["CPython and its standard library", read("CPython.txt")],
    ["@babel/parser", read("babel-parser.txt")],
    ...wheels,
  ];
  const rule = "=".repeat(80);
  const intro = "This bundle holds the software below, each part under its own licence.\n";
  return intro + parts.map(([title, text]) => `\n${rule}\n${title}\n${rule}\n\n${text.trim()}\n`).join("");
}
