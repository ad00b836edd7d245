/** What the parts of the bundle weigh, as a table. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/**
 * @param sizes Bytes of each file, by path in the bundle.
 * @param assets See `src/boot/assets.ts`.
 */
export function sizeTable(bundle, sizes, assets) {
  const starts = { snapshot: assets.snapshot?.sizes ?? {}, files: assets.sizes };
  const rows = [...sizes].map(([file, raw]) => ({
    name: path.basename(file),
    raw,
    sent: compressed(readFileSync(path.join(bundle, file))),
    of: Object.keys(starts).filter((start) => file in starts[start]),
  }));
  rows.sort((one, other) => other.of.length - one.of.length || other.sent - one.sent);
  const sum = (start, key) => rows.reduce((total, row) => total + (row.of.includes(start) ? row[key] : 0), 0);
  const line = (name, raw, sent, of) =>
    `  ${name.slice(0, 48).padEnd(48)} ${String(raw).padStart(10)} ${String(sent).padStart(10)}  ${of}`;
  return [
    line("file", "bytes", "brotli", "needed by a start from"),
    ...rows.map((row) => line(row.name, row.raw, row.sent, row.of.join(", ") || "-")),
    ...Object.keys(starts)
      .filter((start) => sum(start, "raw"))
      .map((start) => line(`all before ready, from ${start}`, sum(start, "raw"), sum(start, "sent"), start)),
  ].join("\n");
}

/** Bytes as a server would send them that compresses while it sends. */
function compressed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(bytes, { params }).length;
}
