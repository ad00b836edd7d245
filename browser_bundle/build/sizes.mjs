/** What the parts of the bundle weigh, as a table. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/**
 * @param files Paths in the bundle.
 * @param early Those that are fetched before the agent is ready, as keys.
 */
export function sizeTable(bundle, files, early) {
  const rows = files.map((file) => {
    const bytes = readFileSync(path.join(bundle, file));
    return { name: path.basename(file), raw: bytes.length, sent: compressed(bytes), early: file in early };
  });
  const sum = (some, key) => some.reduce((total, row) => total + row[key], 0);
  const first = rows.filter((row) => row.early);
  rows.sort((one, other) => other.early - one.early || other.sent - one.sent);
  const line = (name, raw, sent, when) =>
    `  ${name.slice(0, 58).padEnd(58)} ${String(raw).padStart(10)} ${String(sent).padStart(10)}  ${when}`;
  return [
    line("file", "bytes", "brotli", "fetched"),
    ...rows.map((row) => line(row.name, row.raw, row.sent, row.early ? "before ready" : "later")),
    line("all that is fetched before ready", sum(first, "raw"), sum(first, "sent"), ""),
  ].join("\n");
}

/** Bytes as a server would send them that compresses while it sends. */
function compressed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params }).length;
}
