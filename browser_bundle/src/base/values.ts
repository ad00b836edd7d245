/**
 * Values that cross the border between JavaScript and Python as JSON.
 *
 * JSON holds null, booleans, finite numbers, strings, arrays and plain objects. Anything else
 * travels as `{"$type": T, "value": V}`; a plain object with a key `$type` of its own travels as
 * `{"$type": "object", "value": {…}}`, so that data cannot pose as a tag. A value that
 * has no data to copy (a window, a response, a weak map, a promise inside a result …) is an error.
 * In the result of a program it is `{"$type": "opaque", "value": what it is}`, because the program
 * has already run.
 */
import { describeThrown, isWebagentError, WebagentError } from "./errors.ts";

/** A value as JSON can hold it. */
export type Encoded = null | boolean | number | string | Encoded[] | { [key: string]: Encoded };

/** Largest encoded text that crosses, in UTF-16 code units. */
export const MAX_CHARS = 16 * 1024 * 1024;
/** Deepest nesting that crosses; Python's JSON reader fails at deeper ones. */
const MAX_DEPTH = 200;
/** Deepest nesting of encoded data: a tag adds up to three levels to each of the value's. */
const MAX_ENCODED_DEPTH = 4 * MAX_DEPTH;
const MAX_WHY_CHARS = 500;
/** The weight of each value and each key besides its characters: it takes time even if it is empty. */
const VALUE_CHARS = 16;
/** Keys of one object that count no more than that; engines take much longer for objects with more. */
const MAX_LIGHT_KEYS = 32;
const HEAVY_KEY_CHARS = 100;
/** Taken before a program can replace it. */
const stringify = JSON.stringify;

const PENDING = "a person has to send it";

/** The value of a call that a person has to complete; only our own code makes one. */
export class Pending {
  /** @param filled What the form holds now, by the names of its parameters. */
  constructor(readonly filled: Record<string, unknown>) {}
}

/** A file whose bytes were read; `copiedFiles` makes them. */
class FileData {
  constructor(
    readonly name: string,
    readonly type: string,
    readonly bytes: Uint8Array,
  ) {}
}

/** The most bytes of all files in one value. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** The most pixels of a canvas or a bitmap that becomes a picture. */
const MAX_PIXELS = 16_000_000;
const MAX_FILES = 20;
const MAX_FILE_NAME = 100;

/**
 * Read the files in a value: blobs, and canvases and bitmaps as PNG pictures.
 *
 * @returns The value itself without any; else a copy that `encode` takes. Files are the value, or directly in
 * its list or object.
 * @throws WebagentError `too_large` or `not_cloneable`.
 */
export async function copiedFiles(value: unknown): Promise<unknown> {
  try {
    return await copied(value);
  } catch (thrown) {
    if (isWebagentError(thrown)) throw thrown;
    // A value that throws when it is read is reported by `encode`.
    return value;
  }
}

async function copied(value: unknown): Promise<unknown> {
  const budget = { bytes: MAX_FILE_BYTES, files: MAX_FILES };
  if (isFile(value)) return fileData(value, "", budget);
  if (Array.isArray(value)) {
    if (!value.some(isFile)) return value;
    const items: unknown[] = [];
    for (const [i, item] of value.entries()) items.push(isFile(item) ? await fileData(item, `[${i}]`, budget) : item);
    return items;
  }
  if (typeof value !== "object" || value === null || kindOf(value) !== "Object" || "toJSON" in value) return value;
  const entries = Object.entries(value);
  if (!entries.some(([, item]) => isFile(item))) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of entries) copy[key] = isFile(item) ? await fileData(item, key, budget) : item;
  return copy;
}

type FileLike = Blob | HTMLCanvasElement | OffscreenCanvas | ImageBitmap;

const FILE_KINDS = /^(?:Blob|File|HTMLCanvasElement|OffscreenCanvas|ImageBitmap)$/;

function isFile(value: unknown): value is FileLike {
  if (typeof value !== "object" || value === null) return false;
  try {
    return FILE_KINDS.test(kindOf(value));
  } catch {
    // A proxy may throw at anything.
    return false;
  }
}

async function fileData(value: FileLike, path: string, budget: { bytes: number; files: number }): Promise<FileData> {
  if (--budget.files < 0) throw tooLarge(path, `it holds more than ${MAX_FILES} files`);
  try {
    const blob = "arrayBuffer" in value ? value : await pictureOf(value, path);
    const bytes = blob.size <= budget.bytes ? new Uint8Array(await Blob.prototype.arrayBuffer.call(blob)) : null;
    budget.bytes -= bytes?.length ?? Infinity;
    if (!bytes || budget.bytes < 0) throw tooLarge(path, `its files have more than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
    const name = "name" in blob ? String(blob.name) : "";
    return new FileData(name.slice(0, MAX_FILE_NAME), String(blob.type).slice(0, MAX_FILE_NAME), bytes);
  } catch (thrown) {
    if (isWebagentError(thrown)) throw thrown;
    throw notCloneable(path, `the file cannot be read - ${describeThrown(thrown)}`);
  }
}

/** A canvas or a bitmap as a PNG; throws for one that holds parts of other origins. */
async function pictureOf(source: Exclude<FileLike, Blob>, path: string): Promise<Blob> {
  const { width, height } = source;
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS)) throw tooLarge(path, `it has ${width} × ${height} pixels`);
  if ("convertToBlob" in source) return source.convertToBlob();
  const canvas = "toBlob" in source ? source : document.createElement("canvas");
  if (canvas !== source) {
    Object.assign(canvas, { width, height });
    canvas.getContext("2d")?.drawImage(source, 0, 0);
  }
  return new Promise((resolve, reject) => {
    HTMLCanvasElement.prototype.toBlob.call(canvas, (blob) => (blob ? resolve(blob) : reject(new Error("it gives no picture"))));
  });
}

interface EncodeOptions {
  /** Limit of the encoded text. */
  maxChars?: number;
  /** Whether what has no data to copy becomes `{"$type": "opaque", "value": what it is}`. */
  opaque?: boolean;
}

/** State of an encoding: the objects around the current one, and how many characters are left. */
interface Walk {
  parents: object[];
  left: number;
  maxChars: number;
  opaque: boolean;
}

/**
 * Encode any value, within a limit of characters.
 *
 * @throws WebagentError `not_cloneable` or `too_large`, with the path of the culprit.
 */
export function encode(
  value: unknown,
  { maxChars = MAX_CHARS, opaque = false }: EncodeOptions = {},
): Encoded {
  return encodeAt(value, "", { parents: [], left: maxChars, maxChars, opaque });
}

/** Encode and write as JSON, within the size limit. */
export function encodeText(value: unknown, maxChars?: number): string {
  return jsonText(maxChars === undefined ? encode(value) : encodeLight(value, maxChars));
}

/** Write as JSON, also where a script of the page gives all arrays a `toJSON`, as old libraries do. */
export function jsonText(data: unknown): string {
  const lists = Array.prototype as { toJSON?: unknown };
  const theirs = Object.getOwnPropertyDescriptor(lists, "toJSON");
  delete lists.toJSON;
  try {
    return stringify(data);
  } finally {
    if (theirs) Object.defineProperty(lists, "toJSON", theirs);
  }
}

/**
 * Encode a value that the page's thread can take in at once.
 *
 * @param maxChars Limit of its weight; see `weigh`.
 * @throws WebagentError as `encode`.
 */
export function encodeLight(value: unknown, maxChars: number, opaque = false): Encoded {
  const encoded = encode(value, { maxChars, opaque });
  if (weigh(encoded, maxChars) <= maxChars) return encoded;
  throw tooLarge("", `it is longer than ${maxChars} characters, with ${VALUE_CHARS} for each value and key in it`);
}

/**
 * The weight of encoded data: its characters, and a fixed number of them for each value and key.
 *
 * @param most What weighs more is not weighed to its end.
 * @returns Infinity if it is nested too deeply, or not encoded data.
 */
export function weigh(data: Encoded, most: number, depth = 0): number {
  if (typeof data === "string") return VALUE_CHARS + writtenLength(data);
  if (typeof data !== "object" || data === null) return VALUE_CHARS;
  if (depth > MAX_ENCODED_DEPTH) return Infinity;
  let weight = VALUE_CHARS;
  if (Array.isArray(data)) {
    for (let i = 0; i < data.length && weight <= most; i++) {
      weight += weigh(data[i] as Encoded, most - weight, depth + 1);
    }
    return weight;
  }
  // Of other objects, such as bytes, not even the keys are listed.
  const prototype: unknown = Object.getPrototypeOf(data);
  if (prototype !== null && prototype !== Object.prototype) return Infinity;
  let keys = 0;
  for (const key in data) {
    if (!Object.hasOwn(data, key)) continue;
    weight += (++keys > MAX_LIGHT_KEYS ? HEAVY_KEY_CHARS : VALUE_CHARS) + writtenLength(key);
    if (weight > most) break;
    weight += weigh(data[key] as Encoded, most - weight, depth + 1);
  }
  return weight;
}

/** The length of a text in JSON, where some characters take six. */
function writtenLength(text: string): number {
  return text.length > VALUE_CHARS ? stringify(text).length : text.length;
}

/**
 * Cut encoded data for a record of it.
 *
 * The rest becomes `{"$type": "cut", "value": its first part, "length": its full length}`,
 * the length in characters, items or keys.
 *
 * @param most About how many characters are kept.
 * @returns The data, itself if all of it fits, and how many characters it takes.
 */
export function cut(data: Encoded, most: number): [kept: Encoded, chars: number] {
  const budget = { left: most };
  return [cutAt(data, budget), most - budget.left];
}

function cutAt(data: Encoded, budget: { left: number }): Encoded {
  budget.left -= VALUE_CHARS;
  if (typeof data === "string") {
    // Half of what is left, so that one long text does not hide what comes after it.
    const most = Math.max(0, Math.floor(budget.left / 2));
    budget.left -= Math.min(most, data.length);
    return data.length <= most ? data : shortened(data.slice(0, most).replace(/[\uD800-\uDBFF]$/, ""), data.length);
  }
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) {
    const items: Encoded[] = [];
    for (const item of data) {
      if (budget.left <= 0) return shortened(items, data.length);
      items.push(cutAt(item, budget));
    }
    return items.every((item, i) => item === data[i]) ? data : items;
  }
  if (Object.hasOwn(data, "$type")) {
    const inner = data["value"] ?? null;
    const kept = cutAt(inner, budget);
    return kept === inner ? data : kept;
  }
  const fields = Object.create(null) as { [key: string]: Encoded };
  let same = true;
  for (const [key, item] of Object.entries(data)) {
    budget.left -= VALUE_CHARS + key.length;
    if (budget.left <= 0) return shortened(fields, Object.keys(data).length);
    fields[key] = cutAt(item, budget);
    same &&= fields[key] === item;
  }
  return same ? data : fields;
}

function shortened(value: Encoded, length: number): Encoded {
  return { $type: "cut", value, length };
}

function encodeAt(value: unknown, path: string, walk: Walk): Encoded {
  spend(walk, typeof value === "string" ? value.length + 2 : 2, path);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged("number", word(value));
    case "undefined":
      return { $type: "undefined" };
    case "bigint":
      return tagged("bigint", counted(walk, value.toString(), path));
    case "symbol":
      return tagged("symbol", counted(walk, value.description ?? "", path));
    case "function":
      return tagged("function", counted(walk, String(value.name), path));
  }
  if (value === null) return null;
  const object = value as object;
  const { parents } = walk;
  const above = parents.indexOf(object);
  if (above >= 0) return tagged("circular", parents.length - above);
  if (parents.length >= MAX_DEPTH) {
    throw tooLarge(path, `it is nested deeper than ${MAX_DEPTH} levels`);
  }
  parents.push(object);
  try {
    return encodeObject(object, path, walk);
  } catch (thrown) {
    if (isWebagentError(thrown) && (thrown.kind === "too_large" || !walk.opaque)) throw thrown;
    const why = `reading it threw ${describeThrown(thrown)}`;
    if (walk.opaque) return tagged("opaque", why.slice(0, MAX_WHY_CHARS));
    throw notCloneable(path, why);
  } finally {
    parents.pop();
  }
}

/** Count while encoding, so that an endless value fails before it fills the memory. */
function spend(walk: Walk, chars: number, path: string): void {
  walk.left -= chars;
  if (walk.left < 0) throw tooLarge(path, `it is longer than ${walk.maxChars} characters`);
}

/** A text inside of a tag, which is counted like any other. */
function counted(walk: Walk, text: string, path: string): string {
  spend(walk, text.length, path);
  return text;
}

function tooLarge(path: string, why: string): WebagentError {
  return new WebagentError({
    kind: "too_large",
    message: `the value is too large: ${why}`,
    ...(path ? { path } : {}),
    help: "return less: a page of results, or only the fields that are needed",
  });
}

function word(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function encodeObject(object: object, path: string, walk: Walk): Encoded {
  if (Array.isArray(object)) {
    spend(walk, object.length, path);
    return each(object as unknown[], (item, i) => encodeAt(item, `${path}[${i}]`, walk));
  }
  if (object instanceof FileData) {
    const { name, type, bytes } = object;
    spend(walk, bytes.length * (4 / 3) + name.length + type.length, path);
    return { $type: "file", value: base64(bytes), name, type };
  }
  if (object instanceof Pending) return tagged("pending", encodeAt({ ...object.filled }, path, walk));
  const kind = kindOf(object);
  switch (kind) {
    case "Date": {
      const date = object as Date;
      return tagged("date", Number.isNaN(date.getTime()) ? null : date.toISOString());
    }
    case "RegExp":
      return tagged("regexp", counted(walk, String(object), path));
    case "Error":
    case "DOMException": {
      const error = object as Error;
      const [name, message] = [String(error.name), String(error.message)];
      return tagged("error", { name: counted(walk, name, path), message: counted(walk, message, path) });
    }
    case "Map": {
      const entries = each(object as Map<unknown, unknown>, ([key, item], i) => [
        encodeAt(key, `${path}<key ${i}>`, walk),
        encodeAt(item, `${path}<value ${i}>`, walk),
      ]);
      return tagged("map", entries);
    }
    case "Set": {
      const items = each(object as Set<unknown>, (item, i) =>
        encodeAt(item, `${path}<item ${i}>`, walk),
      );
      return tagged("set", items);
    }
    case "String":
    case "Number":
    case "Boolean":
      return encodeAt(object.valueOf(), path, walk);
  }
  if (object instanceof ArrayBuffer || ArrayBuffer.isView(object)) {
    spend(walk, object.byteLength * (4 / 3), path);
    return tagged("binary", base64(bytesOf(object)));
  }
  if (typeof Element !== "undefined" && object instanceof Element) {
    const start = `<${object.localName}${object.id ? ` id="${object.id}"` : ""}>`;
    return tagged("element", counted(walk, start, path));
  }
  const json = (object as { toJSON?: unknown }).toJSON;
  if (typeof json === "function") {
    const plain: unknown = json.call(object);
    return plain === object ? encodePlain(object, path, walk) : encodeAt(plain, path, walk);
  }
  if (kind !== "Object") {
    if (walk.opaque) return tagged("opaque", kind.slice(0, MAX_WHY_CHARS));
    throw notCloneable(path, `a \`${kind}\` holds no plain data`);
  }
  return encodePlain(object, path, walk);
}

/** `Array.from` without it, as old libraries replace it by a function that takes nothing but a list. */
function each<Item>(items: Iterable<Item>, encoded: (item: Item, i: number) => Encoded): Encoded[] {
  const all: Encoded[] = [];
  for (const item of items) all.push(encoded(item, all.length));
  return all;
}

/** The name of an object's class; a plain object may call itself whatever it likes. */
const kindOf = (object: object): string => (isPlain(object) ? "Object" : Object.prototype.toString.call(object).slice(8, -1));

/** Whether an object was made with `{}` or `Object.create(null)`, in this realm or another. */
function isPlain(object: object): boolean {
  const above = Object.getPrototypeOf(object) as object | null;
  const named = Object.getOwnPropertyDescriptor(object, Symbol.toStringTag);
  // `Math` and `JSON` hide their names, and hold no data.
  return named?.enumerable === true && (above === null || Object.getPrototypeOf(above) === null);
}

function encodePlain(object: object, path: string, walk: Walk): Encoded {
  // With a null prototype, a key named `__proto__` is data like any other.
  const plain = Object.create(null) as { [key: string]: Encoded };
  for (const key of Object.keys(object)) {
    const item = (object as Record<string, unknown>)[key];
    // As in JSON, undefined is left out of objects but not of arrays.
    if (item === undefined) continue;
    spend(walk, key.length + 4, path);
    plain[key] = encodeAt(item, path ? `${path}.${key}` : key, walk);
  }
  return "$type" in plain ? tagged("object", plain) : plain;
}

function tagged(type: string, value: Encoded): Encoded {
  return { $type: type, value };
}

function notCloneable(path: string, why: string): WebagentError {
  return new WebagentError({
    kind: "not_cloneable",
    message: `the value${path ? ` at \`${path}\`` : ""} cannot be copied: ${why}`,
    ...(path ? { path } : {}),
    help: "return plain data: strings, numbers, lists and objects",
  });
}

function bytesOf(object: ArrayBuffer | ArrayBufferView): Uint8Array {
  return object instanceof ArrayBuffer
    ? new Uint8Array(object)
    : new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary);
}

const bytesIn = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** Decode a value; what JavaScript has no type for stays a tagged object. */
export function decode(value: Encoded): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(decode);
  if (!Object.hasOwn(value, "$type")) return decodePlain(value);
  const inner = value["value"] as Encoded;
  switch (value["$type"]) {
    case "undefined":
      return undefined;
    case "bigint":
      return BigInt(inner as string);
    case "number":
      return Number(inner);
    case "date":
      return new Date(inner === null ? NaN : (inner as string));
    case "map":
      return new Map((inner as [Encoded, Encoded][]).map(([k, v]) => [decode(k), decode(v)]));
    case "set":
      return new Set((inner as Encoded[]).map(decode));
    case "binary":
      return bytesIn(inner as string);
    case "file":
      return new File([bytesIn(inner as string)], String(value["name"] ?? ""), { type: String(value["type"] ?? "") });
    case "object":
      return decodePlain(inner as { [key: string]: Encoded });
    case "pending":
      return { pending: PENDING, filled: decode(inner) };
    default:
      return value;
  }
}

function decodePlain(value: { [key: string]: Encoded }): unknown {
  const plain: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = decode(item);
    // A name of the prototype cannot always be assigned; to define every key takes ten times as long.
    if (!(key in plain)) plain[key] = inner;
    else {
      const entry = { value: inner, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(plain, key, entry);
    }
  }
  return plain;
}
