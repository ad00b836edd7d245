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
const MAX_WHY_CHARS = 500;

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
  return encodeAt(value, "", { parents: [], left: maxChars, opaque });
}

/** Encode and write as JSON, within the size limit. */
export function encodeText(value: unknown): string {
  return JSON.stringify(encode(value));
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
      return tagged("bigint", value.toString());
    case "symbol":
      return tagged("symbol", value.description ?? "");
    case "function":
      return tagged("function", value.name);
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
  if (walk.left < 0) throw tooLarge(path, `it is longer than ${MAX_CHARS} characters`);
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
    return Array.from(object, (item, i) => encodeAt(item, `${path}[${i}]`, walk));
  }
  switch (Object.prototype.toString.call(object)) {
    case "[object Date]": {
      const date = object as Date;
      return tagged("date", Number.isNaN(date.getTime()) ? null : date.toISOString());
    }
    case "[object RegExp]":
      return tagged("regexp", String(object));
    case "[object Error]":
    case "[object DOMException]": {
      const error = object as Error;
      return tagged("error", { name: String(error.name), message: String(error.message) });
    }
    case "[object Map]": {
      const entries = Array.from(object as Map<unknown, unknown>, ([key, item], i): Encoded => [
        encodeAt(key, `${path}<key ${i}>`, walk),
        encodeAt(item, `${path}<value ${i}>`, walk),
      ]);
      return tagged("map", entries);
    }
    case "[object Set]": {
      const items = Array.from(object as Set<unknown>, (item, i) =>
        encodeAt(item, `${path}<item ${i}>`, walk),
      );
      return tagged("set", items);
    }
    case "[object String]":
    case "[object Number]":
    case "[object Boolean]":
      return encodeAt(object.valueOf(), path, walk);
  }
  if (object instanceof ArrayBuffer || ArrayBuffer.isView(object)) {
    spend(walk, object.byteLength * (4 / 3), path);
    return tagged("binary", base64(bytesOf(object)));
  }
  if (typeof Element !== "undefined" && object instanceof Element) {
    return tagged("element", `<${object.localName}${object.id ? ` id="${object.id}"` : ""}>`);
  }
  const json = (object as { toJSON?: unknown }).toJSON;
  if (typeof json === "function") {
    const plain: unknown = json.call(object);
    return plain === object ? encodePlain(object, path, walk) : encodeAt(plain, path, walk);
  }
  const kind = Object.prototype.toString.call(object).slice(8, -1);
  if (kind !== "Object") {
    if (walk.opaque) return tagged("opaque", kind.slice(0, MAX_WHY_CHARS));
    throw notCloneable(path, `a \`${kind}\` holds no plain data`);
  }
  return encodePlain(object, path, walk);
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
      return Uint8Array.from(atob(inner as string), (char) => char.charCodeAt(0));
    case "object":
      return decodePlain(inner as { [key: string]: Encoded });
    default:
      return value;
  }
}

function decodePlain(value: { [key: string]: Encoded }): unknown {
  const plain: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const entry = { value: decode(item), writable: true, enumerable: true, configurable: true };
    Object.defineProperty(plain, key, entry);
  }
  return plain;
}
