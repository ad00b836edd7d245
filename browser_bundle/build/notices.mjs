/** The licences of everything that the bundle redistributes, in one text. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Where the compiler writes the crate of a piece of code: of the program, and of Rust's own library. */
const CRATE = /\/(rust\/deps|registry\/src\/[^/]+)\/([A-Za-z0-9_-]+)-(\d+\.\d+\.\d+[^/]*)\/src\//g;
const RUSTC = /\/rustc\/([0-9a-f]{40})\/library\//;

/**
 * @param folder Licence texts of what comes in no wheel, and `linked.json`, which names what they are of.
 * @param version Version of Pyodide.
 * @param wheels Pairs of title and licence text.
 * @param linked What is linked into the binaries (see `linked.py`), the library of a wheel, and the wheel's title.
 */
export function noticesText(folder, version, wheels, linked) {
  const read = (name) => readFileSync(path.join(folder, name), "utf8");
  const known = JSON.parse(read("linked.json"));
  const parts = [
    [`Pyodide ${version}`, read("Pyodide.txt")],
    ["CPython and its standard library", read("CPython.txt")],
    ...libraries(known, linked, (name) => text(folder, known, name)),
    ["@babel/parser", read("babel-parser.txt")],
    ...wheels,
    ...crates(known, linked, (name) => text(folder, known, name)),
  ];
  const rule = "=".repeat(80);
  const intro = "This bundle holds the software below, each part under its own licence.\n";
  return intro + parts.map(([title, notice]) => `\n${rule}\n${title}\n${rule}\n\n${notice.trim()}\n`).join("");
}

/** What is linked into the interpreter: pairs of title and text. */
function libraries(known, { modules, versions }, textOf) {
  return known.libraries.map(({ name, modules: needed = [], text }) => {
    const gone = needed.find((module) => !modules.includes(module));
    if (gone) throw new Error(`\`${name}\` of linked.json has the module \`${gone}\`, which Pyodide has not`);
    return [versions[name] ? `${name} ${versions[name]}` : name, textOf(text)];
  });
}

/** What is linked into the library of a wheel, by licence text: pairs of title and text. */
function crates(known, { wheel, library, bill }, textOf) {
  const listed = bill.components.filter(({ scope }) => scope !== "excluded");
  const groups = new Map();
  const add = (text, line) => groups.set(text, [...(groups.get(text) ?? []), line]);
  for (const { name, version, author, licenses } of listed) {
    const declared = licenses.map(({ expression, license }) => expression ?? license.id).join(" AND ");
    const text = known.crates[name] ?? known.licences[declared];
    if (!text) throw new Error(`linked.json has no licence text for the crate \`${name}\`: ${declared}`);
    const by = author ? `, by ${author.replaceAll(/\s*<[^>]*>/g, "")}` : "";
    add(text, `${name} ${version} (${declared}${by})`);
  }
  // Rust's own library brings crates that are not in the bill.
  const code = library.toString("latin1");
  const isListed = (name, version) => listed.some((one) => one.name === name && one.version === version);
  const others = new Set();
  for (const [, , name, version] of code.matchAll(CRATE)) {
    if (!isListed(name, version)) others.add(`${name} ${version} (in the standard library of Rust)`);
  }
  const commit = code.match(RUSTC)?.[1];
  if (!commit) throw new Error("the library names no compiler of Rust");
  add(known.licences["MIT OR Apache-2.0"], `the standard library of Rust, commit ${commit} (MIT OR Apache-2.0)`);
  for (const line of others) add(known.licences["MIT OR Apache-2.0"], line);
  const some = (lines) => lines.slice(0, 3).map((line) => line.split(" ")[0]);
  return [...groups].map(([name, lines]) => [
    `Rust crates in ${wheel}: ${some(lines).join(", ")}${lines.length > 3 ? ", …" : ""}`,
    `${lines.join("\n")}\n\n${textOf(name)}`,
  ]);
}

/** A licence text that has the digest of `linked.json`. */
function text(folder, known, name) {
  const bytes = readFileSync(path.join(folder, "linked", name));
  if (createHash("sha256").update(bytes).digest("hex") !== known.texts[name]?.sha256) {
    throw new Error(`licenses/linked/${name} is not the text whose digest linked.json has`);
  }
  return bytes.toString();
}
