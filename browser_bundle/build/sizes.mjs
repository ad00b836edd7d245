/** The sizes of the bundle's parts, as a table. */
import { statSync } from "node:fs";
import path from "node:path";
import { SUFFIX } from "./variants.mjs";

/** The files of pydantic and of the packages that only it needs. */
const PYDANTIC = /\/(library\.wasm|pydantic\.zip|pydantic_core-|pydantic-|typing_extensions-|annotated_types-|typing_inspection-)[^/]*$/;

/**
 * @param sizes Bytes of each file, by path in the bundle.
 * @param assets See `src/boot/assets.ts`.
 * @param variants What `Variants.place` returned.
 */
export function sizeTable(bundle, sizes, assets, variants) {
  const starts = { snapshot: assets.snapshot.sizes, files: assets.sizes };
  const rows = [...sizes].map(([file, raw]) => ({
    file,
    bytes: [raw, variants[file] ? statSync(path.join(bundle, file + SUFFIX)).size : raw],
    of: Object.keys(starts).filter((start) => file in starts[start]),
  }));
  rows.sort((one, other) => other.of.length - one.of.length || other.bytes[1] - one.bytes[1]);
  const sum = (kept) => rows.filter(kept).reduce((total, { bytes }) => total.map((one, at) => one + bytes[at]), [0, 0]);
  const line = (name, bytes, of) =>
    `  ${name.slice(0, 40).padEnd(40)} ${bytes.map((cell) => String(cell).padStart(9)).join(" ")}  ${of}`;
  const sums = Object.keys(starts)
    .filter((start) => rows.some(({ of }) => of.includes(start)))
    .flatMap((start) => [
      line(`all before ready, from ${start}`, sum(({ of }) => of.includes(start)), start),
      line("  of these, files of pydantic", sum(({ of, file }) => of.includes(start) && PYDANTIC.test(file)), start),
    ]);
  return [
    line("file, and what is sent of it", ["plain", "zstd"], "needed by a start from"),
    ...rows.map(({ file, bytes, of }) => line(path.basename(file), bytes, of.join(", ") || "-")),
    ...sums,
  ].join("\n");
}
